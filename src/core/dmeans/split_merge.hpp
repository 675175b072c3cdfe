// A clustering of a batch made cheaper.
//
// The descent of the paper moves rows between the clusters that it has. It sees neither that one cluster had
// better be two, nor that two had better be one, nor that another old cluster fits better. Here every
// cluster whose parting pays is parted, every pair whose joining pays is joined, all are linked anew to the
// old ones, and rows move one by one, until nothing helps. No change raises the cost.
#pragma once

#include <algorithm>
#include <vector>

#include "dmeans/bisect.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/row_groups.hpp"
#include "kernel/feature_centers.hpp"
#include "kernel/kernel_descent.hpp"
#include "kernel/linear_assignment.hpp"
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
        halves_(rows),
        joint_(rows.d) {}

  // in: labels (n,)  0 .. K-1 remembered, then newborn; out: the same of a clustering that costs no more
  std::vector<std::int32_t> run(const std::vector<std::int32_t>& labels) {
    labels_ = labels;
    for (int round = 0; round < search_.max_iter; ++round) {
      link();
      descent_.descend(labels_);  // single rows, by what a move really saves
      labels_ = descent_.labels();
      if (!change_clusters()) break;
    }
    return std::move(labels_);
  }

 private:
  static constexpr double kGrain = 1e-12;  // the least gain worth a change, as a share of what it changes

  double gap(const double* a, const double* b) const { return squared_distance(Plain{a}, b, d_); }

  // The linear kernel, for the descent by single rows.
  KernelView view() const {
    return {rows_.weights.data(),      nullptr, nullptr, rows_.phi_phi.data(), prior_.gammas, prior_.revival,
            Row(rows_.weights.size()), prior_.n};
  }

  // What a group pays besides its spread: a birth, or a return and the pull of the past.
  double price(std::int32_t slot, double weight, const std::vector<double>& mean) const {
    if (slot >= prior_.n) return search_.birth;
    const double gamma = prior_.gammas[slot], d2 = gap(mean.data(), &rows_.phi[std::size_t(slot) * d_]);
    return prior_.revival[slot] + gamma * weight / (gamma + weight) * d2;
  }

  double price(const Group& group, std::int32_t slot) const { return price(slot, group.weight, group.mean); }
  double cost(const Group& group, std::int32_t slot) const { return group.spread + price(group, slot); }

  // The cheapest links to the old clusters.
  void link() {
    const std::vector<Group>& found = groups_.of(labels_);
    std::vector<double> change;  // (groups, K)  of the cost, against a birth
    change.reserve(found.size() * prior_.n);
    for (const Group& group : found) {
      poll_(std::int64_t(prior_.n) * d_);
      for (int k = 0; k < prior_.n; ++k) change.push_back(price(group, k) - search_.birth);
    }
    const std::vector<std::int64_t> slots =
        LinearAssignment(change.data(), int(found.size()), prior_.n).run();
    for (std::size_t g = 0; g < found.size(); ++g) move(found[g], std::int32_t(slots[g]));
  }

  void move(const Group& group, std::int32_t slot) {
    for (const Row i : group.rows) labels_[i] = slot;
  }

  // Parts and joins clusters, none of them twice, so that what each change saves is exact.
  bool change_clusters() {
    const std::vector<Group>& found = groups_.of(labels_);
    asleep_.assign(prior_.n, true);
    next_ = prior_.n;
    for (const Group& group : found) {
      if (group.slot < prior_.n) asleep_[group.slot] = false;
      next_ = std::max(next_, group.slot + 1);
    }
    bool changed = false;
    std::vector<char> busy(found.size());
    for (std::size_t g = 0; g < found.size(); ++g) changed |= busy[g] = part(found[g]);
    for (std::size_t g = 0; g < found.size(); ++g) changed |= !busy[g] && join(found, g, busy);
    return changed;
  }

  bool part(const Group& whole) {
    poll_(std::int64_t(whole.rows.size()) * d_ * 8);
    const double before = cost(whole, whole.slot);
    if (before - cheapest_two(whole) <= whole.spread - halves_.most_saved(whole)) return false;
    if (halves_.cut_along(whole) && part_with(whole, before)) return true;
    return halves_.cut_across(whole) && part_with(whole, before);
  }

  // One half stays; the other is born, or is an old cluster that sleeps.
  bool part_with(const Group& whole, double before) {
    double least = before - kGrain * before;
    const Group* leaver = nullptr;
    std::int32_t to = kNone;
    for (int h = 0; h < 2; ++h) {
      const double stay = cost(halves_[1 - h], whole.slot);
      for (std::int32_t k = 0; k <= prior_.n; ++k) {
        if (k < prior_.n && !asleep_[k]) continue;
        const double after = stay + cost(halves_[h], k);
        if (after < least) least = after, leaver = &halves_[h], to = k;
      }
    }
    if (!leaver) return false;
    if (to < prior_.n) asleep_[to] = false;
    move(*leaver, to < prior_.n ? to : next_++);
    return true;
  }

  // No two clusters cost less, one of which stays: their prices without spread and pull.
  double cheapest_two(const Group& whole) const {
    double other = search_.birth;
    for (std::int32_t k = 0; k < prior_.n; ++k)
      if (asleep_[k]) other = std::min(other, prior_.revival[k]);
    return other + (whole.slot < prior_.n ? prior_.revival[whole.slot] : search_.birth);
  }

  // Joins a group with that other one with which it saves most, under the slot of either.
  bool join(const std::vector<Group>& found, std::size_t g, std::vector<char>& busy) {
    const Group& a = found[g];
    double least = 0;
    std::size_t with = g;
    std::int32_t to = kNone;
    for (std::size_t h = g + 1; h < found.size(); ++h) {
      if (busy[h]) continue;
      poll_(2 * d_);
      const Group& b = found[h];
      const double before = price(a, a.slot) + price(b, b.slot), n = a.weight + b.weight;
      const double apart = a.weight * b.weight / n * gap(a.mean.data(), b.mean.data());
      if (!(apart < before)) continue;
      for (int j = 0; j < d_; ++j) joint_[j] = (a.weight * a.mean[j] + b.weight * b.mean[j]) / n;
      for (const std::int32_t slot : {a.slot, b.slot}) {
        const double change = apart + price(slot, n, joint_) - before;
        if (change < least - kGrain * before) least = change, with = h, to = slot;
      }
    }
    if (to == kNone) return false;
    busy[g] = busy[with] = true;
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

  Bisection halves_;           // of the cluster that is to be parted
  std::vector<double> joint_;  // (d,)  mean of two clusters that may be joined
  Poll poll_;
};

}  // namespace dynmeans
