// Lower the cost of a clustering of directions by splitting, merging and re-linking whole clusters.
//
// The same rounds as in dmeans/refinement/split_merge.hpp: re-link all clusters to the old ones, move single
// rows to the nearest center, split every cluster and merge pairs where this lowers Eq. (sphere-eliminated),
// until nothing changes. The birth and revival costs are those of a whole cluster, Eq. (sphere-whole). No
// change raises the cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dmeans/clusters.hpp"
#include "dmeans/refinement/bisect.hpp"
#include "dmeans/refinement/row_groups.hpp"
#include "kernel/linear_assignment.hpp"
#include "simd/simd_kernels.hpp"
#include "sphere/sphere_merge.hpp"
#include "support/signals.hpp"

namespace dynmeans {

class SphereRefinement {
  using Group = RowGroup;

 public:
  SphereRefinement(const RefineRows& rows, const PriorView& prior, double birth, int max_iter)
      : rows_(rows),
        prior_(prior),
        birth_(birth),
        max_iter_(max_iter),
        d_(rows.d),
        groups_(rows),
        bisection_(rows),
        sum_(rows.d),
        to_old_(prior.n) {}

  // in: labels (n,)  0 .. K-1 remembered, then newborn; out: the same of a clustering that costs no more
  std::vector<std::int32_t> run(const std::vector<std::int32_t>& labels) {
    labels_ = labels;
    for (int round = 0; round < max_iter_; ++round) {
      link();
      for (int pass = 0; pass < max_iter_ && move_rows(); ++pass) continue;
      if (!change_clusters()) break;
    }
    return std::move(labels_);
  }

 private:
  static constexpr double kTolerance = 1e-12;  // smallest relative gain that counts

  double dot(const double* a, const double* b) const {
    double out;
    dot_lanes<double>().dots(a, d_, b, 1, &out);
    return out;
  }

  const double* phi(int k) const { return prior_.centers + std::size_t(k) * d_; }
  bool is_old(std::int32_t slot) const { return slot < prior_.n; }

  // Sum of the rows of a group, in sum_; its squared length.
  double add_up(const Group& group) {
    for (int j = 0; j < d_; ++j) sum_[j] = group.weight * group.mean[j];
    return dot(sum_.data(), sum_.data());
  }

  // |gamma phi + S| of an old cluster, where `product` is phi . S.
  double length_with(int k, double product, double squared) const {
    const double g = prior_.gammas[k];
    return std::sqrt(std::max(g * g + 2 * g * product + squared, 0.0));
  }

  // Eq. (sphere-eliminated) of a group under an old cluster, without the weight of its rows.
  double old_cost(int k, double product, double squared) const {
    return prior_.revival[k] + prior_.gammas[k] - length_with(k, product, squared);
  }

  double cost(const Group& group, std::int32_t slot) {
    const double squared = add_up(group);
    return group.weight + (is_old(slot) ? old_cost(slot, dot(phi(slot), sum_.data()), squared)
                                        : birth_ - std::sqrt(squared));
  }

  // The cheapest links to the old clusters.
  void link() {
    const std::vector<Group>& found = groups_.of(labels_);
    std::vector<double> change;  // (groups, K)  of the cost, against a birth
    change.reserve(found.size() * prior_.n);
    for (const Group& group : found) {
      poll_(std::int64_t(prior_.n) * d_);
      const double squared = add_up(group), born = birth_ - std::sqrt(squared);
      dot_lanes<double>().dots(sum_.data(), d_, prior_.centers, prior_.n, to_old_.data());
      for (int k = 0; k < prior_.n; ++k) change.push_back(old_cost(k, to_old_[k], squared) - born);
    }
    const std::vector<std::int64_t> slots =
        LinearAssignment(change.data(), int(found.size()), prior_.n).run();
    for (std::size_t g = 0; g < found.size(); ++g) move(found[g], std::int32_t(slots[g]));
  }

  void move(const Group& group, std::int32_t slot) {
    for (const Row i : group.rows) labels_[i] = slot;
  }

  // Moves every row to the nearest center, Eq. (sphere-label) of awake clusters; true if any moved.
  bool move_rows() {
    const std::vector<Group>& found = groups_.of(labels_);
    const SphereGroupTable table = make_table(found, std::vector<char>(found.size()));
    std::vector<double> centers = table.resultants, cosines(found.size());
    for (int g = 0; g < table.count(); ++g) {
      const double length = std::sqrt(dot(table.resultant(g), table.resultant(g)));
      for (int j = 0; j < d_; ++j) centers[std::size_t(g) * d_ + j] /= std::max(length, 1e-300);
    }
    bool moved = false;
    for (std::size_t own = 0; own < found.size(); ++own)
      for (const Row i : found[own].rows) {
        poll_(std::int64_t(d_) * table.count());
        dot_lanes<double>().dots(rows_.at(i), d_, centers.data(), table.count(), cosines.data());
        const std::size_t best = std::max_element(cosines.begin(), cosines.end()) - cosines.begin();
        if (!(cosines[best] > cosines[own] + kTolerance * d_)) continue;
        labels_[i] = found[best].slot;
        moved = true;
      }
    return moved;
  }

  // Sums and resultants of the groups that did not change, in their order.
  SphereGroupTable make_table(const std::vector<Group>& found, const std::vector<char>& is_changed) {
    SphereGroupTable table;
    table.d = d_;
    for (std::size_t g = 0; g < found.size(); ++g) {
      if (is_changed[g]) continue;
      const std::int32_t k = found[g].slot;
      add_up(found[g]);
      table.sums.insert(table.sums.end(), sum_.begin(), sum_.end());
      table.released.push_back(is_old(k) ? prior_.revival[k] + prior_.gammas[k] : birth_);
      if (is_old(k))
        for (int j = 0; j < d_; ++j) sum_[j] += prior_.gammas[k] * phi(k)[j];
      table.resultants.insert(table.resultants.end(), sum_.begin(), sum_.end());
    }
    return table;
  }

  // Splits clusters, each at most once, and merges those that were not split.
  bool change_clusters() {
    const std::vector<Group>& found = groups_.of(labels_);
    asleep_.assign(prior_.n, true);
    next_ = prior_.n;
    for (const Group& group : found) {
      if (is_old(group.slot)) asleep_[group.slot] = false;
      next_ = std::max(next_, group.slot + 1);
    }
    bool changed = false;
    std::vector<char> is_changed(found.size());
    for (std::size_t g = 0; g < found.size(); ++g) changed |= is_changed[g] = split(found[g]);
    return merge(found, is_changed) || changed;
  }

  bool split(const Group& whole) {
    poll_(std::int64_t(whole.rows.size()) * d_ * 8);
    const double before = cost(whole, whole.slot);
    const double link = is_old(whole.slot) ? prior_.revival[whole.slot] : birth_;
    if (before <= link + cheapest_link()) return false;
    if (bisection_.cut_along(whole) && split_off(whole, before)) return true;
    return bisection_.cut_across(whole) && split_off(whole, before);
  }

  // Lower bound on the cost of one more cluster.
  double cheapest_link() const {
    double least = birth_;
    for (int k = 0; k < prior_.n; ++k)
      if (asleep_[k]) least = std::min(least, prior_.revival[k]);
    return least;
  }

  // One half keeps the cluster; the other is born, or revives an old cluster.
  bool split_off(const Group& whole, double before) {
    double least = before - kTolerance * before;
    const Group* leaving = nullptr;
    std::int32_t to = kNone;
    for (int h = 0; h < 2; ++h) {
      const double stay = cost(bisection_[1 - h], whole.slot) + bisection_[h].weight,
                   squared = add_up(bisection_[h]);
      dot_lanes<double>().dots(sum_.data(), d_, prior_.centers, prior_.n, to_old_.data());
      for (std::int32_t k = 0; k <= prior_.n; ++k) {
        if (is_old(k) && !asleep_[k]) continue;
        const double after =
            stay + (is_old(k) ? old_cost(k, to_old_[k], squared) : birth_ - std::sqrt(squared));
        if (after < least) least = after, leaving = &bisection_[h], to = k;
      }
    }
    if (!leaving) return false;
    if (is_old(to)) asleep_[to] = false;
    move(*leaving, is_old(to) ? to : next_++);
    return true;
  }

  bool merge(const std::vector<Group>& found, const std::vector<char>& is_changed) {
    std::vector<std::size_t> which;
    for (std::size_t g = 0; g < found.size(); ++g)
      if (!is_changed[g]) which.push_back(g);
    const std::vector<int> into = SphereMerge(make_table(found, is_changed)).run();
    bool changed = false;
    for (std::size_t a = 0; a < which.size(); ++a)
      if (into[a] != int(a)) {
        move(found[which[a]], found[which[into[a]]].slot);
        changed = true;
      }
    return changed;
  }

  const RefineRows& rows_;
  PriorView prior_;
  double birth_;
  int max_iter_, d_;
  RowGroups groups_;
  Bisection bisection_;               // of the cluster to be split
  std::vector<std::int32_t> labels_;  // (n,)
  std::vector<char> asleep_;          // (K,)
  std::int32_t next_ = 0;             // slot of the next newborn
  std::vector<double> sum_;           // (d,)  of the rows of a group
  std::vector<double> to_old_;        // (K,)  products of a sum with the old centers
  Poll poll_;
};

}  // namespace dynmeans
