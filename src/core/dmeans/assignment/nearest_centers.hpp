// Nearest center of every row: by comparison with all centers, or from an initial estimate.
#pragma once

#include <array>
#include <limits>
#include <type_traits>
#include <vector>

#include "dmeans/assignment/partial_distance_bound.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "simd/simd_kernels.hpp"
#include "simd/squared_distance.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

// Nearest center of one row; of equals, the first. A distance is abandoned once it exceeds the least so far.
struct NearestOfRow {
  const double* row;      // (d,)
  const double* centers;  // (K, d)
  int d, n_centers;
  const PartialDistanceBound* partial_bound;
  double* bounds;       // scratch (n_bounds,)
  std::int32_t* which;  // in: initial estimate; out

  [[gnu::always_inline]] void run() const {
    const std::int32_t initial = *which;
    const double rounding_factor = 1 + 4 * d * std::numeric_limits<double>::epsilon();
    partial_bound->bound(row, bounds);
    double least = squared_distance_to(initial, std::numeric_limits<double>::infinity());
    for (std::int32_t k = 0; k < n_centers; ++k) {
      if (k == initial || bounds[k] > least * rounding_factor) continue;
      const double squared = squared_distance_to(k, least);
      if (!(squared < least || (squared == least && k < *which))) continue;
      least = squared;
      *which = k;
    }
  }

 private:
  [[gnu::always_inline]] double squared_distance_to(std::int32_t k, double limit) const {
    double squared;
    WideSquaredDistance<Plain>{{row}, centers + std::size_t(k) * d, d, limit, &squared}.run();
    return squared;
  }
};

// Compares tiles of rows with all centers.
template <class T>
void nearest_centers(const T* data,          // in  (n, d)
                     Row n, int d,           // in
                     const double* centers,  // in  (K, d)
                     int n_centers,          // in  K >= 1
                     int n_threads,          // in
                     std::int32_t* which) {  // out (n,)
  constexpr Row kRows = 4096;                // rows of a chunk: enough work for a thread
  const int chunks = static_cast<int>((n + kRows - 1) / kRows);
  ThreadPool pool(n_threads);
  std::vector<T> shift(d), shifted(std::size_t(n_centers) * d);
  for (int j = 0; j < d; ++j) shift[j] = static_cast<T>(centers[j]);
  for (std::size_t i = 0; i < shifted.size(); ++i) shifted[i] = static_cast<T>(centers[i] - shift[i % d]);
  pool.run(chunks, [&](int c) {
    std::vector<T> tile(std::size_t(d) * kTile), last(tile.size());
    std::array<T, kTile> best;
    std::array<std::int32_t, kTile> found;
    const Row end = std::min(n, Row(c + 1) * kRows);
    Poll poll;
    for (Row i = c * kRows; i < end; i += kTile) {
      poll(std::int64_t(kTile) * d * n_centers);
      const int count = int(std::min<Row>(kTile, end - i));
      const T* rows = data + i * d;
      if (count < kTile) {
        std::copy_n(rows, std::size_t(count) * d, last.begin());
        rows = last.data();
      }
      tile_lanes<T>().spread(rows, d, shift.data(), tile.data());
      tile_lanes<T>().nearest_two(tile.data(), d, shifted.data(), n_centers, best.data(), nullptr,
                                  found.data());
      std::copy_n(found.begin(), count, which + i);
    }
  });
}

// The same from initial estimates, on one thread. If most of them are right, wide rows take 0.3 to 0.7 of the
// CPU time of nearest_centers; from arbitrary estimates, they take 1.0 to 2.1 times as long.
template <class T>
void nearest_from_estimates(const T* data,          // in  (n, d)
                            Row n, int d,           // in
                            const double* centers,  // in  (K, d)
                            int n_centers,          // in  K >= 1
                            std::int32_t* which) {  // in: estimates (n,); out
  if constexpr (std::is_same_v<T, double>) {
    const PartialDistanceBound partial_bound(centers, n_centers, d);
    if (partial_bound.is_worth_it()) {
      RawVector<double> bounds(partial_bound.n_bounds());
      Poll poll;
      for (Row i = 0; i < n; ++i) {
        poll(std::int64_t(d) * n_centers);
        run_wide(NearestOfRow{data + i * d, centers, d, n_centers, &partial_bound, bounds.data(), which + i});
      }
      return;
    }
  }
  nearest_centers(data, n, d, centers, n_centers, 1, which);
}

}  // namespace dynmeans
