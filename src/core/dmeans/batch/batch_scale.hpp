// Shift and magnitude of a batch: the shift brings its rows near the origin.
//
// Both are reductions that depend neither on the order of the rows nor on how they are split into chunks, so
// every chunk of a batch computes with the same numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dmeans/batch/row_hash.hpp"
#include "simd/reproducible_sum.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

using Row = std::int64_t;
constexpr std::int32_t kNone = -1;  // no slot

// Rows whose mean is the shift: all of a small batch; of a large one those that a hash selects, on average
// kShiftRows. `n_total` is the number of rows of the whole batch, of which `data` (n, d) may be a chunk.
template <class T>
std::vector<const T*> shift_rows(const T* data, Row n, int d, Row n_total) {
  constexpr Row kShiftRows = 256;  // any point near the rows serves as the shift
  constexpr int kHashed = 4;       // features; few, because every row of a large batch is hashed
  const Row one_in = std::max<Row>(n_total / kShiftRows, 1);
  const std::uint64_t selected = std::numeric_limits<std::uint64_t>::max() / std::uint64_t(one_in);
  std::vector<const T*> rows;
  rows.reserve(one_in == 1 ? n : kShiftRows);
  for (Row i = 0; i < n; ++i)
    if (one_in == 1 || row_hash(data + i * d, std::min(d, kHashed)) <= selected) rows.push_back(data + i * d);
  return rows;
}

// Mean of some rows, in any order.
template <class T>
std::vector<T> mean_of_rows(const std::vector<const T*>& rows, int d) {
  ColumnExtent extent(d);
  for (const T* x : rows)
    extent.extend([=](int j) __attribute__((always_inline)) { return std::abs(double(x[j])); });
  const SumGrid grid(extent, Row(rows.size()));
  std::vector<double> sum(grid.size()), y(d);
  for (const T* x : rows) {
    std::copy_n(x, d, y.begin());
    grid.add(y.data(), 1.0, sum.data());
  }
  grid.total(sum.data(), y.data());
  std::vector<T> mean(d);
  for (int j = 0; j < d && !rows.empty(); ++j) mean[j] = static_cast<T>(y[j] / double(rows.size()));
  return mean;
}

// Magnitudes of weights m, for the grid of their sums.
inline ColumnExtent weight_extent(const double* weights, Row n) {
  ColumnExtent extent(1);
  for (Row i = 0; i < n; ++i) extent.extend([=](int) { return weights[i]; });
  return extent;
}

// weights (n,) or null for ones
inline SumGrid weight_grid(const double* weights, Row n) {
  return weights ? SumGrid(weight_extent(weights, n), n) : SumGrid::of_counts();
}

// Magnitudes of shifted rows y and of the terms m y of their sums.
struct RowExtent {
  ColumnExtent terms;  // (d,)
  double radius = 0;   // largest coordinate

  RowExtent() : terms(0) {}
  // in: data (n, d), weights (n,) or null for ones, shift (d,)
  template <class T>
  RowExtent(const T* data, const double* weights, Row n, int d, const T* shift) : terms(d) {
    const Row whole = n / together(d) * together(d);
    measure_together(data, whole, d, shift);
    for (Row i = whole; i < n; ++i) extend(data + i * d, shift, 1.0, terms);
    radius = d ? *std::max_element(terms.largest.begin(), terms.largest.end()) : 0;
    if (!weights) return;
    terms = ColumnExtent(d);
    for (Row i = 0; i < n; ++i) extend(data + i * d, shift, weights[i], terms);
  }

  // Includes the rows of another chunk of the batch.
  void merge(const RowExtent& other) {
    terms.merge(other.terms);
    radius = std::max(radius, other.radius);
  }

 private:
  // Narrow rows that are measured as one wide row, to fill vector registers.
  static int together(int d) { return d < kWide ? 2 * kWide / std::max(d, 1) : 1; }

  template <class T>
  static void extend(const T* x, const T* shift, double m, ColumnExtent& extent) {
    extent.extend([=](int j)
                      __attribute__((always_inline)) { return m * double(std::abs(x[j] - shift[j])); });
  }

  // in: data (n, d), where n is a multiple of together(d)
  template <class T>
  void measure_together(const T* data, Row n, int d, const T* shift) {
    if (n == 0) return;
    const int columns = together(d) * d;
    std::vector<T> repeated(columns);
    for (int j = 0; j < columns; ++j) repeated[j] = shift[j % d];
    ColumnExtent wide(columns);
    for (Row i = 0; i < n; i += together(d)) extend(data + i * d, repeated.data(), 1.0, wide);
    for (int j = 0; j < columns; ++j) {
      terms.largest[j % d] = std::max(terms.largest[j % d], wide.largest[j]);
      terms.smallest[j % d] = std::min(terms.smallest[j % d], wide.smallest[j]);
    }
  }
};

// Shift and grids of a whole batch.
template <class T>
struct BatchScale {
  std::vector<T> shift;    // (d,) subtracted from every row before anything else
  double radius = 0;       // largest coordinate after the shift, for the rounding error of distances
  SumGrid terms, weights;  // of sums of m y and of m

  BatchScale(std::vector<T> shift, const RowExtent& extent, Row n, SumGrid weights)
      : shift(std::move(shift)), radius(extent.radius), terms(extent.terms, n), weights(std::move(weights)) {}

  // in: data (n, d), weights (n,) or null for ones
  static BatchScale of(const T* data, const double* weights, Row n, int d, ThreadPool& pool) {
    const int chunks = int(std::clamp<Row>(n / kChunkRows, 1, 64));
    const auto first = [=](int c) { return n * c / chunks; };
    std::vector<std::vector<const T*>> selected(chunks);
    pool.run(chunks,
             [&](int c) { selected[c] = shift_rows(data + first(c) * d, first(c + 1) - first(c), d, n); });
    std::vector<const T*> rows = std::move(selected[0]);
    for (int c = 1; c < chunks; ++c) rows.insert(rows.end(), selected[c].begin(), selected[c].end());
    if (rows.empty()) rows = shift_rows(data, n, d, Row(0));
    std::vector<T> shift = mean_of_rows(rows, d);
    std::vector<RowExtent> extents(chunks);
    pool.run(chunks, [&](int c) {
      const double* const m = weights ? weights + first(c) : nullptr;
      extents[c] = RowExtent(data + first(c) * d, m, first(c + 1) - first(c), d, shift.data());
    });
    for (int c = 1; c < chunks; ++c) extents[0].merge(extents[c]);
    return {std::move(shift), extents[0], n, weight_grid(weights, n)};
  }

 private:
  static constexpr Row kChunkRows = 4096;  // smallest chunk that is worth a thread
};

}  // namespace dynmeans
