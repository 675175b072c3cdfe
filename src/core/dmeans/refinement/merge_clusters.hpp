// Merge clusters that are not worth a birth into older ones.
//
// The objective charges the birth of a cluster once. A cluster that was founded by mistake, or that is
// revived beside another one, keeps its rows from then on, because its revival costs less than a birth. Here
// every cluster of a batch must be worth a birth. From the youngest to the oldest, a cluster is merged into
// the older one for which the sum of squared deviations grows least, if it grows by less than the birth cost.
// This may raise the objective.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dmeans/prior_view.hpp"
#include "simd/squared_distance.hpp"
#include "support/equations.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Clusters of a batch: remembered ones in the order of their ids, then newborn ones.
struct ClusterTable {
  std::vector<double> centers;       // (slots, d)
  std::vector<double> slot_weights;  // (slots,)  weight of the rows of each slot
};

class ClusterMerger {
 public:
  // prior: the remembered clusters; birth: lambda
  ClusterMerger(ClusterTable clusters, int d, const PriorView& prior, double birth)
      : clusters_(std::move(clusters)),
        d_(d),
        prior_(prior),
        birth_(birth),
        n_(int(clusters_.slot_weights.size())),
        into_(n_, -1) {}

  // Returns whether clusters were merged.
  bool run() {
    read_means();
    for (int b = n_ - 1; b > 0; --b)
      if (clusters_.slot_weights[b] > 0) merge(b);
    if (!has_merged_) return false;
    update_centers();
    number_slots();
    return true;
  }

  ClusterTable& clusters() { return clusters_; }                    // without newborn clusters that merged
  const std::vector<std::int32_t>& numbers() const { return to_; }  // (slots,) new number of each slot
  double cost_change() const { return cost_change_; }               // of the objective

 private:
  bool is_old(int k) const { return k < prior_.n; }
  const double* old_center(int k) const { return prior_.centers + std::size_t(k) * d_; }
  double* mean(int k) { return &means_[std::size_t(k) * d_]; }

  // Means of the rows, from Eq. paramupdate.
  void read_means() {
    means_ = clusters_.centers;
    for (int k = 0; k < prior_.n; ++k) {
      const double n = clusters_.slot_weights[k], gamma = prior_.gammas[k];
      for (int j = 0; n > 0 && j < d_; ++j) mean(k)[j] += gamma / n * (mean(k)[j] - old_center(k)[j]);
    }
  }

  double link_cost(int k) {
    if (!is_old(k)) return birth_;
    const double d2 = squared_distance(Plain{mean(k)}, old_center(k), d_);
    return revival_cost(prior_.revival[k], prior_.gammas[k], clusters_.slot_weights[k], d2);
  }

  void merge(int b) {
    poll_(std::int64_t(b) * d_);
    double* const weights = clusters_.slot_weights.data();
    double least = birth_;
    int a = -1;
    for (int k = 0; k < b; ++k) {
      if (!(weights[k] > 0)) continue;
      const double cost =
          merge_weight(weights[k], weights[b]) * squared_distance(Plain{mean(k)}, mean(b), d_);
      if (cost < least) least = cost, a = k;
    }
    if (a < 0) return;
    cost_change_ += least - link_cost(a) - link_cost(b);
    const double n = weights[a] + weights[b], share = weights[b] / n;
    for (int j = 0; j < d_; ++j) mean(a)[j] += share * (mean(b)[j] - mean(a)[j]);
    weights[a] = n;
    weights[b] = 0;
    into_[b] = a;
    has_merged_ = true;
    cost_change_ += link_cost(a);
  }

  void update_centers() {
    std::vector<char> is_changed(n_, 0);
    for (int k = 0; k < n_; ++k)
      if (into_[k] >= 0) is_changed[k] = is_changed[into_[k]] = 1;
    for (int k = 0; k < n_; ++k) {
      if (!is_changed[k]) continue;
      const double n = clusters_.slot_weights[k], gamma = is_old(k) ? prior_.gammas[k] : 0.0;
      for (int j = 0; j < d_; ++j)
        clusters_.centers[std::size_t(k) * d_ + j] =
            updated_center(gamma, is_old(k) ? old_center(k)[j] : 0.0, n * mean(k)[j], 1 / (gamma + n));
    }
  }

  // Remembered clusters keep their slots; the others follow in the same order.
  void number_slots() {
    to_.resize(n_);
    int kept = 0;
    for (int k = 0; k < n_; ++k) {
      if (into_[k] >= 0) to_[k] = to_[into_[k]];
      if (into_[k] >= 0 && !is_old(k)) continue;
      if (into_[k] < 0) to_[k] = kept;
      clusters_.slot_weights[kept] = clusters_.slot_weights[k];
      std::copy_n(&clusters_.centers[std::size_t(k) * d_], d_, &clusters_.centers[std::size_t(kept) * d_]);
      ++kept;
    }
    clusters_.slot_weights.resize(kept);
    clusters_.centers.resize(std::size_t(kept) * d_);
  }

  ClusterTable clusters_;
  int d_;
  PriorView prior_;
  double birth_;
  int n_;                         // number of slots
  std::vector<int> into_;         // (slots,)  older slot that a slot merged into, or -1
  std::vector<std::int32_t> to_;  // (slots,)
  std::vector<double> means_;     // (slots, d)  of the rows
  double cost_change_ = 0.0;
  bool has_merged_ = false;
  Poll poll_;
};

}  // namespace dynmeans
