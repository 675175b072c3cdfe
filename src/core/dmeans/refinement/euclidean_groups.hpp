// Costs of groups of rows under squared Euclidean distances, for SplitMerge.
#pragma once

#include <vector>

#include "dmeans/clusters.hpp"
#include "dmeans/refinement/bisect.hpp"
#include "dmeans/refinement/row_groups.hpp"
#include "kernel/feature_centers.hpp"
#include "kernel/kernel_descent.hpp"
#include "support/equations.hpp"
#include "support/signals.hpp"

namespace dynmeans {

class EuclideanGroups {
 public:
  EuclideanGroups(const RefineRows& rows, const PriorView& prior, const KernelSearch& search)
      : rows_(rows),
        prior_(prior),
        birth_(search.birth),
        d_(rows.d),
        descent_(view(), search, FeatureCenters(view(), rows.y.data(), rows.phi.data(), rows.d)),
        merged_mean_(rows.d) {}

  double cost(const RowGroup& group, std::int32_t slot) const {
    return group.spread + link_cost(group, slot);
  }

  void add_link_changes(const RowGroup& group, std::vector<double>& changes) const {
    for (int k = 0; k < prior_.n; ++k) changes.push_back(link_cost(group, k) - birth_);
  }

  // Moves single rows by the exact saving of each move.
  void move_rows(std::vector<std::int32_t>& labels, RowGroups&) {
    descent_.descend(labels);
    labels = descent_.labels();
  }

  // before: cost of the group; links: least birth and revival costs of two clusters
  bool may_split(const RowGroup& whole, double before, double links, Bisection& bisection) const {
    return !(before - links <= whole.spread - bisection.max_saving(whole));
  }

  double cost_of_staying(const RowGroup& staying, std::int32_t slot, const RowGroup&) const {
    return cost(staying, slot);
  }
  void set_leaving(const RowGroup& group) { leaving_ = &group; }
  double cost_of_leaving(std::int32_t slot) const { return cost(*leaving_, slot); }

  // Merges each group with the one of largest saving, under the slot of either.
  std::vector<Relabel> merge(const std::vector<RowGroup>& found, std::vector<char>& is_changed) {
    std::vector<Relabel> merges;
    for (std::size_t g = 0; g < found.size(); ++g)
      if (!is_changed[g]) merge_one(found, g, is_changed, merges);
    return merges;
  }

 private:
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
    if (slot >= prior_.n) return birth_;
    const double gamma = prior_.gammas[slot],
                 d2 = squared_distance_between(mean.data(), &rows_.phi[std::size_t(slot) * d_]);
    return revival_cost(prior_.revival[slot], gamma, weight, d2);
  }

  double link_cost(const RowGroup& group, std::int32_t slot) const {
    return link_cost(slot, group.weight, group.mean);
  }

  // in, out: is_changed (groups,), merges
  void merge_one(const std::vector<RowGroup>& found, std::size_t g, std::vector<char>& is_changed,
                 std::vector<Relabel>& merges) {
    const RowGroup& a = found[g];
    double least = 0;
    std::size_t with = g;
    std::int32_t to = kNone;
    for (std::size_t h = g + 1; h < found.size(); ++h) {
      if (is_changed[h]) continue;
      poll_(2 * d_);
      const RowGroup& b = found[h];
      const double before = link_cost(a, a.slot) + link_cost(b, b.slot), n = a.weight + b.weight;
      const double apart = a.weight * b.weight / n * squared_distance_between(a.mean.data(), b.mean.data());
      if (!(apart < before)) continue;
      for (int j = 0; j < d_; ++j) merged_mean_[j] = (a.weight * a.mean[j] + b.weight * b.mean[j]) / n;
      for (const std::int32_t slot : {a.slot, b.slot}) {
        const double change = apart + link_cost(slot, n, merged_mean_) - before;
        if (change < least - kMinRelativeGain * before) least = change, with = h, to = slot;
      }
    }
    if (to == kNone) return;
    is_changed[g] = is_changed[with] = true;
    merges.push_back({g, to});
    merges.push_back({with, to});
  }

  const RefineRows& rows_;
  PriorView prior_;
  double birth_;  // lambda
  int d_;
  KernelDescent<FeatureCenters> descent_;
  const RowGroup* leaving_ = nullptr;
  std::vector<double> merged_mean_;  // (d,)  mean of two clusters that may be merged
  Poll poll_;
};

}  // namespace dynmeans
