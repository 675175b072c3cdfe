// Clusters at the end of a descent: the terms of the objective without rows, and the order of the newborn.
#pragma once

#include <numeric>
#include <vector>

#include "dmeans/clusters.hpp"
#include "simd/feature_loops.hpp"
#include "simd/squared_distance.hpp"
#include "support/newborn_order.hpp"

namespace dynmeans {

// Eq. (DMeansObj) without the distances of the rows: births, revivals and displacements.
inline double cost_of_clusters(const Clusters& slots, double birth) {
  double cost = 0;
  for (int k = 0; k < slots.count(); ++k) {
    if (!slots.is_awake(k)) continue;
    cost += slots.is_old(k)
                ? slots.revival(k) + slots.gamma(k) * squared_distance(Plain{slots.center(k)},
                                                                       slots.old_center(k), slots.d())
                : birth;
  }
  return cost;
}

struct FinishedClusters {
  std::vector<std::int32_t> numbers;  // (slots,) in the result: remembered, then newborn; -1 for empty slots
  std::vector<double> centers;        // (L, d)
  std::vector<double> taken;          // (L,) weight of the rows

  template <class T>
  FinishedClusters(const Clusters& slots, const std::vector<T>& shift) : numbers(slots.count(), -1) {
    std::vector<std::int32_t> order(slots.n_old());
    std::iota(order.begin(), order.end(), 0);
    const auto newborn = newborn_order(slots);
    order.insert(order.end(), newborn.begin(), newborn.end());
    for (std::size_t s = 0; s < order.size(); ++s) numbers[order[s]] = std::int32_t(s);
    centers.resize(order.size() * shift.size());
    double* center = centers.data();
    const T* const middle = shift.data();
    for (const int k : order) {
      const double* position = slots.is_awake(k) ? slots.center(k) : slots.old_center(k);
      for_features(slots.d(),
                   [=](int j) __attribute__((always_inline)) { center[j] = position[j] + middle[j]; });
      center += slots.d();
      taken.push_back(slots.is_awake(k) ? slots.weight(k) : 0.0);
    }
  }

 private:
  static std::vector<std::int32_t> newborn_order(const Clusters& slots) {
    std::vector<std::int32_t> order;
    for (int k = slots.n_old(); k < slots.count(); ++k)
      if (slots.is_awake(k)) order.push_back(k);
    if (order.size() < 2) return order;
    const std::vector<double> mean = mean_of_batch(slots);
    std::vector<double> weights(slots.count()), squared_distances(slots.count());
    for (const int k : order) {
      weights[k] = slots.weight(k);
      squared_distances[k] = squared_distance(Plain{slots.center(k)}, mean.data(), slots.d());
    }
    sort_newborn(order, weights, std::move(squared_distances));
    return order;
  }

  static std::vector<double> mean_of_batch(const Clusters& slots) {
    std::vector<double> mean(slots.d());
    double total = 0;
    for (int k = 0; k < slots.count(); ++k) {
      if (!slots.is_awake(k)) continue;
      total += slots.weight(k);
      for (int j = 0; j < slots.d(); ++j) mean[j] += slots.sum(k)[j];
    }
    for (double& coordinate : mean) coordinate /= total;
    return mean;
  }
};

}  // namespace dynmeans
