// Lower the cost of a clustering by splitting, merging and re-linking whole clusters.
//
// The descent of the paper moves single rows between existing clusters, so it cannot split, merge or
// re-link clusters. Each round here re-links all clusters to the old ones, moves single rows, splits every
// cluster and merges every pair where this lowers the cost, until nothing changes. No change raises the
// cost.
//
// The costs depend on the geometry of the rows, EuclideanGroups or SphereGroups, which provides
//   cost              of a group in a slot
//   add_link_changes  changes of the cost if a group becomes each of the old clusters instead of a birth
//   move_rows         moves single rows between clusters
//   may_split         false if a lower bound proves that no split of a group lowers the cost
//   cost_of_staying, set_leaving, cost_of_leaving   costs of the two halves of a group
//   merge             merges pairs of groups
#pragma once

#include <algorithm>
#include <vector>

#include "dmeans/clusters.hpp"
#include "dmeans/refinement/bisect.hpp"
#include "dmeans/refinement/row_groups.hpp"
#include "support/linear_assignment.hpp"
#include "support/signals.hpp"

namespace dynmeans {

template <class Geometry>
class SplitMerge {
 public:
  // rows: the batch; prior, birth: costs of a revival and of a birth; max_iter: maximum number of rounds
  SplitMerge(const RefineRows& rows, const PriorView& prior, double birth, int max_iter, Geometry geometry)
      : prior_(prior),
        birth_(birth),
        max_iter_(max_iter),
        d_(rows.d),
        geometry_(std::move(geometry)),
        groups_(rows),
        bisection_(rows) {}

  // in: labels (n,)  0 .. K-1 remembered, then newborn; out: the same of a clustering that costs no more
  std::vector<std::int32_t> run(const std::vector<std::int32_t>& labels) {
    labels_ = labels;
    for (int round = 0; round < max_iter_; ++round) {
      link();
      geometry_.move_rows(labels_, groups_);
      if (!change_clusters()) break;
    }
    return std::move(labels_);
  }

 private:
  bool is_old(std::int32_t slot) const { return slot < prior_.n; }

  // The cheapest links to the old clusters.
  void link() {
    const std::vector<RowGroup>& found = groups_.of(labels_);
    std::vector<double> changes;  // (groups, K)
    changes.reserve(found.size() * prior_.n);
    for (const RowGroup& group : found) {
      poll_(std::int64_t(prior_.n) * d_);
      geometry_.add_link_changes(group, changes);
    }
    const std::vector<std::int64_t> slots =
        LinearAssignment(changes.data(), int(found.size()), prior_.n).run();
    for (std::size_t g = 0; g < found.size(); ++g) move(found[g], std::int32_t(slots[g]));
  }

  void move(const RowGroup& group, std::int32_t slot) {
    for (const Row i : group.rows) labels_[i] = slot;
  }

  // Splits and merges clusters, each at most once, so that the saving of every change is exact.
  bool change_clusters() {
    const std::vector<RowGroup>& found = groups_.of(labels_);
    asleep_.assign(prior_.n, true);
    next_ = prior_.n;
    for (const RowGroup& group : found) {
      if (is_old(group.slot)) asleep_[group.slot] = false;
      next_ = std::max(next_, group.slot + 1);
    }
    bool changed = false;
    std::vector<char> is_changed(found.size());
    for (std::size_t g = 0; g < found.size(); ++g) changed |= is_changed[g] = split(found[g]);
    for (const Relabel& merged : geometry_.merge(found, is_changed)) {
      move(found[merged.group], merged.slot);
      changed = true;
    }
    return changed;
  }

  bool split(const RowGroup& whole) {
    poll_(std::int64_t(whole.rows.size()) * d_ * 8);
    const double before = geometry_.cost(whole, whole.slot);
    if (!geometry_.may_split(whole, before, least_links(whole), bisection_)) return false;
    if (bisection_.cut_along(whole) && split_off(whole, before)) return true;
    return bisection_.cut_across(whole) && split_off(whole, before);
  }

  // Birth and revival costs of two clusters of which one keeps its slot: a lower bound on their cost.
  double least_links(const RowGroup& whole) const {
    double other = birth_;
    for (std::int32_t k = 0; k < prior_.n; ++k)
      if (asleep_[k]) other = std::min(other, prior_.revival[k]);
    return other + (is_old(whole.slot) ? prior_.revival[whole.slot] : birth_);
  }

  // One half keeps the cluster; the other is born, or revives an old cluster.
  bool split_off(const RowGroup& whole, double before) {
    double least = before - kMinRelativeGain * before;
    const RowGroup* leaving = nullptr;
    std::int32_t to = kNone;
    for (int h = 0; h < 2; ++h) {
      const double stay = geometry_.cost_of_staying(bisection_[1 - h], whole.slot, bisection_[h]);
      geometry_.set_leaving(bisection_[h]);
      for (std::int32_t k = 0; k <= prior_.n; ++k) {
        if (is_old(k) && !asleep_[k]) continue;
        const double after = stay + geometry_.cost_of_leaving(k);
        if (after < least) least = after, leaving = &bisection_[h], to = k;
      }
    }
    if (!leaving) return false;
    if (is_old(to)) asleep_[to] = false;
    move(*leaving, is_old(to) ? to : next_++);
    return true;
  }

  PriorView prior_;
  double birth_;
  int max_iter_, d_;
  Geometry geometry_;
  RowGroups groups_;
  Bisection bisection_;               // of the cluster to be split
  std::vector<std::int32_t> labels_;  // (n,)
  std::vector<char> asleep_;          // (K,)
  std::int32_t next_ = 0;             // slot of the next newborn
  Poll poll_;
};

}  // namespace dynmeans
