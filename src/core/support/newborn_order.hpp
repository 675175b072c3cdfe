// Order of newborn clusters: by weight, then by distance to the mean of the batch, then as they were found.
//
// Translation, rotation and units do not change this order; the order of the rows rarely does. Distances
// are compared in steps of one millionth of the largest, so that rounding does not decide between equal
// distances.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace dynmeans {

// Sort `order`, indices of newborn clusters, in place.
template <class Index>
void sort_newborn(std::vector<Index>& order,             // in, out
                  const std::vector<double>& weights,    // in  weight of the rows of every cluster
                  std::vector<double> squared_distances  // in  of every cluster to the mean of the batch
) {
  double largest = 0;
  for (const Index k : order) largest = std::max(largest, squared_distances[k]);
  for (const Index k : order) {
    double& distance = squared_distances[k];
    distance = largest > 0 ? std::round(1e6 * (distance / largest)) : 0;
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : squared_distances[a] < squared_distances[b];
  });
}

}  // namespace dynmeans
