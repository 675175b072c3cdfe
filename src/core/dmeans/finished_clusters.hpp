// Clusters at the end of a descent: the objective, and the order of the newborn.
#pragma once

#include <numeric>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "simd/feature_loops.hpp"
#include "simd/squared_distance.hpp"
#include "support/exact_sum.hpp"
#include "support/newborn_order.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Eq. DMeansObj: births, revivals and displacements of the clusters.
inline void add_cost_of_clusters(const Clusters& slots, double birth, ExactSum& cost) {
  for (int k = 0; k < slots.count(); ++k) {
    if (!slots.is_active(k)) continue;
    const auto displacement = [&] {
      return squared_distance(Plain{slots.center(k)}, slots.old_center(k), slots.d());
    };
    cost.add(slots.is_old(k) ? slots.revival(k) + slots.gamma(k) * displacement() : birth);
  }
}

// Eq. DMeansObj: distances of the rows begin .. end - 1 to the centers of their slots. in: labels (n,), the
// slot of every row; in, out: cost
template <class T>
void add_cost_of_rows(const BatchView<T>& points, Row begin, Row end, const std::int32_t* labels,
                      const Clusters& slots, ExactSum& cost) {
  Poll poll;
  for (Row i = begin; i < end; ++i) {
    poll(2 * points.d);
    cost.add(points.weight(i) * points.squared_distance(i, slots.center(labels[i])));
  }
}

struct FinishedClusters {
  std::vector<std::int32_t> numbers;  // (slots,) in the result: remembered, then newborn; -1 for empty slots
  std::vector<double> centers;        // (L, d)
  std::vector<double> slot_weights;   // (L,) weight of the rows

  template <class T>
  FinishedClusters(const Clusters& slots, const BatchScale<T>& scale) : numbers(slots.count(), -1) {
    std::vector<std::int32_t> order(slots.n_old());
    std::iota(order.begin(), order.end(), 0);
    const auto newborn = newborn_order(slots, scale);
    order.insert(order.end(), newborn.begin(), newborn.end());
    for (std::size_t s = 0; s < order.size(); ++s) numbers[order[s]] = std::int32_t(s);
    centers.resize(order.size() * slots.d());
    slot_weights.reserve(order.size());
    double* center = centers.data();
    const T* const middle = scale.shift.data();
    for (const int k : order) {
      const double* position = slots.is_active(k) ? slots.center(k) : slots.old_center(k);
      for_features(slots.d(),
                   [=](int j) __attribute__((always_inline)) { center[j] = position[j] + middle[j]; });
      center += slots.d();
      slot_weights.push_back(slots.is_active(k) ? slots.weight(k) : 0.0);
    }
  }

 private:
  template <class T>
  static std::vector<std::int32_t> newborn_order(const Clusters& slots, const BatchScale<T>& scale) {
    std::vector<std::int32_t> order;
    for (int k = slots.n_old(); k < slots.count(); ++k)
      if (slots.is_active(k)) order.push_back(k);
    if (order.size() < 2) return order;
    const std::vector<double> mean = mean_of_batch(slots, scale);
    std::vector<double> weights(slots.count()), squared_distances(slots.count());
    for (const int k : order) {
      weights[k] = slots.weight(k);
      squared_distances[k] = squared_distance(Plain{slots.center(k)}, mean.data(), slots.d());
    }
    sort_newborn(order, weights, std::move(squared_distances));
    return order;
  }

  template <class T>
  static std::vector<double> mean_of_batch(const Clusters& slots, const BatchScale<T>& scale) {
    ClusterSums all(scale.terms, scale.weights);
    all.grow(1);
    for (int k = 0; k < slots.count(); ++k)
      if (slots.is_active(k)) all.merge(0, slots.sums(), k);
    std::vector<double> mean(slots.d());
    all.read_sum(0, mean.data());
    for (double& coordinate : mean) coordinate /= all.weight(0);
    return mean;
  }
};

}  // namespace dynmeans
