// Costs of groups of directions, for SplitMerge. The birth and revival costs are those of a whole cluster,
// Eq. (sphere-whole).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dmeans/clusters.hpp"
#include "dmeans/refinement/bisect.hpp"
#include "dmeans/refinement/row_groups.hpp"
#include "simd/simd_kernels.hpp"
#include "sphere/sphere_merge.hpp"
#include "support/signals.hpp"

namespace dynmeans {

class SphereGroups {
 public:
  SphereGroups(const RefineRows& rows, const PriorView& prior, double birth, int max_iter)
      : rows_(rows),
        prior_(prior),
        birth_(birth),
        max_iter_(max_iter),
        d_(rows.d),
        sum_(rows.d),
        to_old_(prior.n) {}

  double cost(const RowGroup& group, std::int32_t slot) {
    const double squared = add_up(group);
    return group.weight + (is_old(slot) ? old_cost(slot, dot(phi(slot), sum_.data()), squared)
                                        : birth_ - std::sqrt(squared));
  }

  void add_link_changes(const RowGroup& group, std::vector<double>& changes) {
    set_leaving(group);
    const double born = birth_ - std::sqrt(squared_);
    for (int k = 0; k < prior_.n; ++k) changes.push_back(old_cost(k, to_old_[k], squared_) - born);
  }

  // Moves rows to the nearest center, until no row moves.
  void move_rows(std::vector<std::int32_t>& labels, RowGroups& groups) {
    for (int pass = 0; pass < max_iter_ && move_once(labels, groups); ++pass) continue;
  }

  // before: cost of the group; links: least birth and revival costs of two clusters
  bool may_split(const RowGroup&, double before, double links, Bisection&) const {
    return !(before <= links);
  }

  // Includes the weight of the rows that leave, which cost_of_leaving does not.
  double cost_of_staying(const RowGroup& staying, std::int32_t slot, const RowGroup& leaving) {
    return cost(staying, slot) + leaving.weight;
  }
  void set_leaving(const RowGroup& group) {
    squared_ = add_up(group);
    dot_lanes<double>().dots(sum_.data(), d_, prior_.centers, prior_.n, to_old_.data());
  }
  double cost_of_leaving(std::int32_t slot) const {
    return is_old(slot) ? old_cost(slot, to_old_[slot], squared_) : birth_ - std::sqrt(squared_);
  }

  // Merges groups that were not split, the pair with the largest saving first.
  std::vector<Relabel> merge(const std::vector<RowGroup>& found, const std::vector<char>& is_changed) {
    std::vector<std::size_t> which;
    for (std::size_t g = 0; g < found.size(); ++g)
      if (!is_changed[g]) which.push_back(g);
    const std::vector<int> into = SphereMerge(make_table(found, is_changed)).run();
    std::vector<Relabel> merges;
    for (std::size_t a = 0; a < which.size(); ++a)
      if (into[a] != int(a)) merges.push_back({which[a], found[which[into[a]]].slot});
    return merges;
  }

 private:
  double dot(const double* a, const double* b) const { return dot_product(a, b, d_); }

  const double* phi(int k) const { return prior_.centers + std::size_t(k) * d_; }
  bool is_old(std::int32_t slot) const { return slot < prior_.n; }

  // Sum of the rows of a group, in sum_; its squared length.
  double add_up(const RowGroup& group) {
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

  // Moves every row to the nearest center, Eq. (sphere-label) of active clusters; true if any moved.
  bool move_once(std::vector<std::int32_t>& labels, RowGroups& groups) {
    const std::vector<RowGroup>& found = groups.of(labels);
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
        if (!(cosines[best] > cosines[own] + kMinRelativeGain * d_)) continue;
        labels[i] = found[best].slot;
        moved = true;
      }
    return moved;
  }

  // Sums and resultants of the groups that did not change, in their order.
  SphereGroupTable make_table(const std::vector<RowGroup>& found, const std::vector<char>& is_changed) {
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

  const RefineRows& rows_;
  PriorView prior_;
  double birth_;
  int max_iter_, d_;
  std::vector<double> sum_;     // (d,)  of the rows of a group
  std::vector<double> to_old_;  // (K,)  products of a sum with the old centers
  double squared_ = 0;          // squared length of that sum
  Poll poll_;
};

}  // namespace dynmeans
