// View of one batch: rows read in place, shifted so that their mean is near the origin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dmeans/batch_scale.hpp"
#include "simd/feature_loops.hpp"
#include "simd/simd_kernels.hpp"
#include "simd/squared_distance.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
struct BatchView {
  const T* data;          // (n, d)
  const double* weights;  // (n,) or null for ones
  Row n;
  int d;
  const BatchScale<T> scale;
  const std::vector<T>& shift = scale.shift;

  BatchView(const T* data, const double* weights, Row n, int d)
      : BatchView(data, weights, n, d, BatchScale<T>::of(data, weights, n, d)) {}

  // A part of a batch; `scale` is that of the whole.
  BatchView(const T* data, const double* weights, Row n, int d, BatchScale<T> scale)
      : data(data), weights(weights), n(n), d(d), scale(std::move(scale)) {
    if (d >= kWide && n <= kMostKept / d) keep_moved();
  }

  BatchView(const BatchView&) = delete;
  BatchView& operator=(const BatchView&) = delete;

  double weight(Row i) const { return weights ? weights[i] : 1.0; }

  const T* row(Row i) const { return data + i * d; }

  // A row less the shift, (d,); `scratch` (d,) is where it may be put.
  const double* moved(Row i, double* scratch) const {
    if (!moved_.empty()) return &moved_[std::size_t(i) * d];
    write_moved(i, scratch);
    return scratch;
  }

  // Squared distance, or a lower bound that exceeds `most`.
  double squared_distance(Row i, const double* center,
                          double most = std::numeric_limits<double>::infinity()) const {
    if (!moved_.empty())
      return dynmeans::squared_distance(Plain{&moved_[std::size_t(i) * d]}, center, d, most);
    return dynmeans::squared_distance(Shifted<T>{row(i), shift.data()}, center, d, most);
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
  void write_moved(Row i, double* y) const {
    const T *x = row(i), *middle = shift.data();
    for_features(d, [=](int j) __attribute__((always_inline)) { y[j] = x[j] - middle[j]; });
  }

  // Small batches of wide rows are moved once and for all: every restart reads them several times.
  void keep_moved() {
    moved_.resize(std::size_t(n) * d);
    for (Row i = 0; i < n; ++i) write_moved(i, &moved_[std::size_t(i) * d]);
  }

  static constexpr Row kMostKept = 1 << 20;  // numbers

  RawVector<double> moved_;  // (n, d) or empty
};

}  // namespace dynmeans
