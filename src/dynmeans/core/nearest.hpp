// The nearest of some fixed centres for every row: predict.
#pragma once

#include <array>
#include <limits>
#include <type_traits>
#include <vector>

#include "gap.hpp"
#include "lanes.hpp"
#include "points.hpp"
#include "team.hpp"

namespace dynmeans {

constexpr int kVeryWide = 128;  // features with which most distances can be left unfinished

// One row after another; a distance is left as soon as it exceeds the least so far.
inline void nearest_of_wide(const double* rows, Row n, int d, const double* centers, int n_centers,
                            std::int32_t* which) {
  for (Row i = 0; i < n; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < n_centers; ++k) {
      const double gap = squared_gap(Plain{rows + i * d}, centers + std::size_t(k) * d, d, least);
      if (!(gap < least)) continue;
      least = gap;
      which[i] = k;
    }
  }
}

template <class T>
void nearest_centers(const T* data,          // in  (n, d)
                     Row n, int d,           // in
                     const double* centers,  // in  (K, d)
                     int n_centers,          // in  K >= 1
                     int n_threads,          // in
                     std::int32_t* which) {  // out (n,)
  std::vector<T> shift(d), shifted(std::size_t(n_centers) * d);
  for (int j = 0; j < d; ++j) shift[j] = static_cast<T>(centers[j]);
  for (std::size_t i = 0; i < shifted.size(); ++i) shifted[i] = static_cast<T>(centers[i] - shift[i % d]);
  constexpr Row kRows = 4096;
  const int chunks = static_cast<int>((n + kRows - 1) / kRows);
  Team team(n_threads);
  if constexpr (std::is_same_v<T, double>) {
    if (d >= kVeryWide)
      return team.share(chunks, [&](int c) {
        const Row begin = c * kRows;
        nearest_of_wide(data + begin * d, std::min(kRows, n - begin), d, centers, n_centers, which + begin);
      });
  }
  team.share(chunks, [&](int c) {
    std::vector<T> tile(std::size_t(d) * kTile), last(tile.size());
    std::array<T, kTile> best;
    std::array<std::int32_t, kTile> found;
    const Row end = std::min(n, Row(c + 1) * kRows);
    for (Row i = c * kRows; i < end; i += kTile) {
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

}  // namespace dynmeans
