// View of one batch: rows read in place, shifted so that their mean is near the origin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dmeans/batch/batch_scale.hpp"
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

  // A whole batch: data (n, d), weights (n,) or null for ones; its scale is computed on the threads of the
  // pool.
  BatchView(const T* data, const double* weights, Row n, int d, ThreadPool& pool)
      : BatchView(data, weights, n, d, BatchScale<T>::of(data, weights, n, d, pool)) {}

  // A chunk of a batch; `scale` is that of the whole batch.
  BatchView(const T* data, const double* weights, Row n, int d, BatchScale<T> scale)
      : data(data), weights(weights), n(n), d(d), scale(std::move(scale)) {
    if (d >= kWide ? n <= kMaxKept / d : n <= kFewRows) store_shifted();
  }

  BatchView(const BatchView&) = delete;
  BatchView& operator=(const BatchView&) = delete;

  double weight(Row i) const { return weights ? weights[i] : 1.0; }

  const T* row(Row i) const { return data + i * d; }

  // A row less the shift, (d,); `scratch` (d,) may be used to store it.
  const double* shifted(Row i, double* scratch) const {
    if (!shifted_.empty()) return &shifted_[std::size_t(i) * d];
    write_shifted(i, scratch);
    return scratch;
  }

  // Squared distance, or a lower bound that exceeds `limit`.
  double squared_distance(Row i, const double* center,
                          double limit = std::numeric_limits<double>::infinity()) const {
    if (!shifted_.empty())
      return dynmeans::squared_distance(Plain{&shifted_[std::size_t(i) * d]}, center, d, limit);
    return dynmeans::squared_distance(Shifted<T>{row(i), shift.data()}, center, d, limit);
  }

  // in: rows, ascending; out: tile (d, kTile), one row per column; the last row fills the remaining columns
  void gather(const Row* rows, int count, T* tile) const {
    if (count == kTile && rows[kTile - 1] - rows[0] == kTile - 1)
      return tile_lanes<T>().spread(row(rows[0]), d, shift.data(), tile);
    for (int b = 0; b < kTile; ++b) {
      const T* x = row(rows[std::min(b, count - 1)]);
      for (int j = 0; j < d; ++j) tile[j * kTile + b] = x[j] - shift[j];
    }
  }

 private:
  void write_shifted(Row i, double* y) const {
    const T *x = row(i), *middle = shift.data();
    for_features(d, [=](int j) __attribute__((always_inline)) { y[j] = x[j] - middle[j]; });
  }

  // Small batches are shifted once: every restart reads the rows several times.
  void store_shifted() {
    shifted_.resize(std::size_t(n) * d);
    for (Row i = 0; i < n; ++i) write_shifted(i, &shifted_[std::size_t(i) * d]);
  }

  static constexpr Row kMaxKept = 1 << 20;  // numbers of wide rows
  static constexpr Row kFewRows = 1024;     // narrow rows

  RawVector<double> shifted_;  // (n, d) or empty
};

}  // namespace dynmeans
