// Distances that the warnings of D-Means compare with the birth cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "simd/squared_distance.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Squared diagonal of the box around rows (n, d) and centers (K, d), which are not both empty.
template <class T>
double squared_span(const T* rows, std::int64_t n, const double* centers, std::int64_t n_centers, int d) {
  std::vector<double> low(d, std::numeric_limits<double>::infinity()),
      high(d, -std::numeric_limits<double>::infinity());
  const auto extend = [&](const auto* x) {
    for (int j = 0; j < d; ++j) {
      low[j] = std::min(low[j], double(x[j]));
      high[j] = std::max(high[j], double(x[j]));
    }
  };
  Poll poll;
  for (std::int64_t i = 0; i < n; ++i) poll(d), extend(rows + i * d);
  for (std::int64_t k = 0; k < n_centers; ++k) extend(centers + k * d);
  return squared_distance(Plain{high.data()}, low.data(), d);
}

// The largest squared distance of a row (n, d) to the nearest center (K, d) other than its own, K >= 2.
template <class T>
double farthest_from_others(const T* rows, const std::int64_t* own, std::int64_t n, const double* centers,
                            std::int64_t n_centers, int d) {
  std::vector<double> row(d);
  double farthest = 0;
  Poll poll;
  for (std::int64_t i = 0; i < n; ++i) {
    poll(d * n_centers);
    std::copy_n(rows + i * d, d, row.begin());
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < n_centers; ++k)
      if (k != own[i]) nearest = std::min(nearest, squared_distance(Plain{row.data()}, centers + k * d, d));
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

}  // namespace dynmeans
