// Lower the cost of a clustering by splitting, merging and re-linking whole clusters.
//
// The descent of the paper moves single rows between existing clusters, so it cannot split, merge or
// re-link clusters. Each round here re-links all clusters to the old ones, moves single rows, splits every
// cluster and merges every pair where this lowers the cost, until nothing changes. No change raises the
// cost.
#pragma once

#include <algorithm>
#include <vector>

#include "dmeans/clusters.hpp"
#include "dmeans/refinement/bisect.hpp"
#include "dmeans/refinement/row_groups.hpp"
#include "kernel/feature_centers.hpp"
#include "kernel/kernel_descent.hpp"
#include "kernel/linear_assignment.hpp"
#include "support/equations.hpp"
#include "support/signals.hpp"

namespace dynmeans {

class SplitMerge {
  using Group = RowGroup;

 public:
  SplitMerge(const RefineRows& rows, const PriorView& prior, const KernelSearch& search)
      : rows_(rows),
        prior_(prior),
        search_(search),
        d_(rows.d),
        groups_(rows),
        descent_(view(), search, FeatureCenters(view(), rows.y.data(), rows.phi.data(), rows.d)),
        bisection_(rows),
        merged_mean_(rows.d) {}

  // in: labels (n,)  0 .. K-1 remembered, then newborn; out: the same of a clustering that costs no more
  std::vector<std::int32_t> run(const std::vector<std::int32_t>& labels) {
    labels_ = labels;
    for (int round = 0; round < search_.max_iter; ++round) {
      link();
      descent_.descend(labels_);  // single rows, by the exact saving of a move
      labels_ = descent_.labels();
      if (!change_clusters()) break;
    }
    return std::move(labels_);
  }

 private:
  static constexpr double kTolerance = 1e-12;  // smallest relative gain that counts

  double squared_distance_between(const double* a, const double* b) const {
    return squared_distance(Plain{a}, b, d_);
  }

  // The linear kernel, for the descent by single rows.
  KernelView view() const {
    return {rows_.weights.data(),      nullptr, nullptr, rows_.phi_phi.data(), prior_.gammas, prior_.revival,
            Row(rows_.weights.size()), prior_.n};
  }

  // Cost of a group besides its spread: a birth, or a revival and the distance to the old center.
  double link_cost(std::int32_t slot, double weight, const std::vector<double>& mean) const {
    if (slot >= prior_.n) return search_.birth;
    const double gamma = prior_.gammas[slot],
                 d2 = squared_distance_between(mean.data(), &rows_.phi[std::size_t(slot) * d_]);
    return revival_cost(prior_.revival[slot], gamma, weight, d2);
  }

  double link_cost(const Group& group, std::int32_t slot) const {
    return link_cost(slot, group.weight, group.mean);
  }
  double cost(const Group& group, std::int32_t slot) const { return group.spread + link_cost(group, slot); }

  // The cheapest links to the old clusters.
  void link() {
    const std::vector<Group>& found = groups_.of(labels_);
    std::vector<double> change;  // (groups, K)  of the cost, against a birth
    change.reserve(found.size() * prior_.n);
    for (const Group& group : found) {
      poll_(std::int64_t(prior_.n) * d_);
      for (int k = 0; k < prior_.n; ++k) change.push_back(link_cost(group, k) - search_.birth);
    }
    const std::vector<std::int64_t> slots =
        LinearAssignment(change.data(), int(found.size()), prior_.n).run();
    for (std::size_t g = 0; g < found.size(); ++g) move(found[g], std::int32_t(slots[g]));
  }

  void move(const Group& group, std::int32_t slot) {
    for (const Row i : group.rows) labels_[i] = slot;
  }

  // Split and merge clusters, each at most once, so that the saving of every change is exact.
  bool change_clusters() {
    const std::vector<Group>& found = groups_.of(labels_);
    asleep_.assign(prior_.n, true);
    next_ = prior_.n;
    for (const Group& group : found) {
      if (group.slot < prior_.n) asleep_[group.slot] = false;
      next_ = std::max(next_, group.slot + 1);
    }
    bool changed = false;
    std::vector<char> is_changed(found.size());
    for (std::size_t g = 0; g < found.size(); ++g) changed |= is_changed[g] = split(found[g]);
    for (std::size_t g = 0; g < found.size(); ++g) changed |= !is_changed[g] && merge(found, g, is_changed);
    return changed;
  }

  bool split(const Group& whole) {
    poll_(std::int64_t(whole.rows.size()) * d_ * 8);
    const double before = cost(whole, whole.slot);
    if (before - lower_bound_of_two(whole) <= whole.spread - bisection_.max_saving(whole)) return false;
    if (bisection_.cut_along(whole) && split_off(whole, before)) return true;
    return bisection_.cut_across(whole) && split_off(whole, before);
  }

  // One half keeps the cluster; the other is born, or revives an old cluster.
  bool split_off(const Group& whole, double before) {
    double least = before - kTolerance * before;
    const Group* leaving = nullptr;
    std::int32_t to = kNone;
    for (int h = 0; h < 2; ++h) {
      const double stay = cost(bisection_[1 - h], whole.slot);
      for (std::int32_t k = 0; k <= prior_.n; ++k) {
        if (k < prior_.n && !asleep_[k]) continue;
        const double after = stay + cost(bisection_[h], k);
        if (after < least) least = after, leaving = &bisection_[h], to = k;
      }
    }
    if (!leaving) return false;
    if (to < prior_.n) asleep_[to] = false;
    move(*leaving, to < prior_.n ? to : next_++);
    return true;
  }

  // Lower bound on the cost of two clusters of which one stays: birth and revival costs only.
  double lower_bound_of_two(const Group& whole) const {
    double other = search_.birth;
    for (std::int32_t k = 0; k < prior_.n; ++k)
      if (asleep_[k]) other = std::min(other, prior_.revival[k]);
    return other + (whole.slot < prior_.n ? prior_.revival[whole.slot] : search_.birth);
  }

  // Merge a group with the one that saves most, under the slot of either.
  bool merge(const std::vector<Group>& found, std::size_t g, std::vector<char>& is_changed) {
    const Group& a = found[g];
    double least = 0;
    std::size_t with = g;
    std::int32_t to = kNone;
    for (std::size_t h = g + 1; h < found.size(); ++h) {
      if (is_changed[h]) continue;
      poll_(2 * d_);
      const Group& b = found[h];
      const double before = link_cost(a, a.slot) + link_cost(b, b.slot), n = a.weight + b.weight;
      const double apart = a.weight * b.weight / n * squared_distance_between(a.mean.data(), b.mean.data());
      if (!(apart < before)) continue;
      for (int j = 0; j < d_; ++j) merged_mean_[j] = (a.weight * a.mean[j] + b.weight * b.mean[j]) / n;
      for (const std::int32_t slot : {a.slot, b.slot}) {
        const double change = apart + link_cost(slot, n, merged_mean_) - before;
        if (change < least - kTolerance * before) least = change, with = h, to = slot;
      }
    }
    if (to == kNone) return false;
    is_changed[g] = is_changed[with] = true;
    move(a, to);
    move(found[with], to);
    return true;
  }

  const RefineRows& rows_;
  PriorView prior_;
  KernelSearch search_;
  int d_;
  RowGroups groups_;
  KernelDescent<FeatureCenters> descent_;
  std::vector<std::int32_t> labels_;  // (n,)
  std::vector<char> asleep_;          // (K,)
  std::int32_t next_ = 0;             // slot of the next newborn

  Bisection bisection_;              // of the cluster to be split
  std::vector<double> merged_mean_;  // (d,)  mean of two clusters that may be merged
  Poll poll_;
};

}  // namespace dynmeans
