// One batch as the loops see it: rows read in place, moved so that their middle is near the origin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gap.hpp"
#include "lanes.hpp"

namespace dynmeans {

using Row = std::int64_t;

template <class T>
struct Points {
  const T* data;          // (n, d)
  const double* weights;  // (n,) or null for ones
  Row n;
  int d;
  std::vector<T> shift;  // (d,) subtracted from every row before anything else
  double radius = 0;     // largest coordinate after the shift, for the rounding error of distances

  Points(const T* data, const double* weights, Row n, int d)
      : data(data), weights(weights), n(n), d(d), shift(d) {
    find_shift();
    std::vector<T> most(d);  // of each feature: so many running maxima do not wait for each other
    for (Row i = 0; i < n; ++i)
      for (int j = 0; j < d; ++j) most[j] = std::max(most[j], std::abs(data[i * d + j] - shift[j]));
    for (int j = 0; j < d; ++j) radius = std::max(radius, double(most[j]));
  }

  double weight(Row i) const { return weights ? weights[i] : 1.0; }

  const T* row(Row i) const { return data + i * d; }

  // out: y (d,)
  void read(Row i, double* y) const {
    const T* x = row(i);
    for (int j = 0; j < d; ++j) y[j] = x[j] - shift[j];
  }

  double squared_distance(Row i, const double* center) const {
    return squared_gap(Shifted<T>{row(i), shift.data()}, center, d);
  }

  // in: rows, ascending; out: tile (d, kTile), those rows side by side; the last fills what is left over
  void gather(const Row* rows, int count, T* tile) const {
    if (count == kTile && rows[kTile - 1] - rows[0] == kTile - 1)
      return tile_lanes<T>().spread(row(rows[0]), d, shift.data(), tile);
    for (int b = 0; b < kTile; ++b) {
      const T* x = row(rows[std::min(b, count - 1)]);
      for (int j = 0; j < d; ++j) tile[j * kTile + b] = x[j] - shift[j];
    }
  }

 private:
  // The mean of some rows is as good as the mean of all: only digits depend on it.
  void find_shift() {
    const Row count = std::min<Row>(n, 256);
    std::vector<double> sum(d);
    for (Row s = 0; s < count; ++s)
      for (int j = 0; j < d; ++j) sum[j] += double(row(s * n / count)[j]) / double(count);
    for (int j = 0; j < d; ++j) shift[j] = static_cast<T>(sum[j]);
  }
};

}  // namespace dynmeans
