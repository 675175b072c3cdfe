// Components of few rows under edges up to a threshold, and the tree of longer edges between them: the
// same as cutting the minimum spanning tree, without computing the edges inside components.
//
// The tree grows as in PrimMst, but all rows within the threshold are added at once, in any order. If
// none is left, the nearest row is searched; the edge to it is long and starts a new component. For the
// rings of the paper in 2-D, this takes 9, 34 and 105 microseconds for 100, 400 and 1,000 rows; the tree of
// PrimMst alone takes 18, 131 and 794.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "mst/mst_components.hpp"
#include "simd/dispatch.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Squared distances of the rows outside to the tree, now that some rows are new in it.
struct NearestNew {
  const double* columns;  // in  (d, stride) rows outside the tree
  const double* added;    // in  (n_added, d)
  std::int64_t n, stride, n_added;
  int d;
  double component;   // in  of the new rows
  double* distances;  // in, out (stride,)
  double* from;       // in, out (stride,) component of the nearest row in the tree
  double* minima;     // out (stride / kBlock,) smallest distance of every block of rows

  // Independent vectors: one comparison need not wait for another.
  static constexpr int kSide = 4, kBlock = kSide * kFour;

  // With a constant dimension the loop stays in registers.
  [[gnu::always_inline]] void run() const {
    if (d == 2) return update(2);
    if (d == 3) return update(3);
    update(d);
  }

  [[gnu::always_inline]] void update(int d) const {
    const Four here = Four{} + component;
    for (std::int64_t k = 0; k < n; k += kBlock) {
      Four found[kSide];
      for (Four& distance : found) distance = Four{} + std::numeric_limits<double>::infinity();
      for (std::int64_t f = 0; f < n_added; ++f)
        for (int s = 0; s < kSide; ++s) {
          Four sum{};
          for (int c = 0; c < d; ++c) {
            const Four step = load_four(columns + c * stride + k + s * kFour) - added[f * d + c];
            sum += step * step;
          }
          found[s] = sum < found[s] ? sum : found[s];
        }
      Four smallest = Four{} + std::numeric_limits<double>::infinity();
      for (int s = 0; s < kSide; ++s) {
        const std::int64_t at = k + s * kFour;
        const Four distance = load_four(distances + at), nearer = found[s] < distance ? found[s] : distance;
        store_four(from + at, found[s] < distance ? here : load_four(from + at));
        store_four(distances + at, nearer);
        smallest = nearer < smallest ? nearer : smallest;
      }
      const double left = smallest[0] < smallest[1] ? smallest[0] : smallest[1];
      const double right = smallest[2] < smallest[3] ? smallest[2] : smallest[3];
      minima[k / kBlock] = left < right ? left : right;
    }
  }
};

class ThresholdComponents {
  static constexpr std::int64_t kBlock = NearestNew::kBlock;
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t kPortion = 1 << 24;  // coordinates compared at once

 public:
  // in: data (n, d), n > 0; unit: factor of all rows that keeps squared distances finite; scale: threshold
  ThresholdComponents(const double* data, std::int64_t n, int d, double unit, double scale)
      : d_(d),
        n_(n),
        stride_((n + kBlock - 1) / kBlock * kBlock),
        unit_(unit),
        reach_(largest_square(scale * unit)),
        columns_(d * stride_, kFar),
        distances_(stride_, kFar),
        from_(stride_),
        minima_(stride_ / kBlock, kFar),
        rows_(n) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int c = 0; c < d; ++c) columns_[c * stride_ + i] = data[i * d + c] * unit;
    std::iota(rows_.begin(), rows_.end(), 0);
    taken_.reserve(n * d);
    result_.component.resize(n);
  }

  CutTree run() {
    std::int64_t next = 0;
    for (double from = -1, distance = 0; n_ > 0; from = from_[next], distance = distances_[next]) {
      result_.parent.push_back(std::int64_t(from));
      result_.length.push_back(std::sqrt(distance) / unit_);
      take_out(next);
      while (n_used_ < taken_.size()) grow();
      next = n_ > 0 ? nearest_outside() : 0;
    }
    return std::move(result_);
  }

 private:
  // The largest number whose root, as rounded, is no more than the length.
  static double largest_square(double length) {
    double square = length * length;
    while (square < kFar && std::sqrt(std::nextafter(square, kFar)) <= length)
      square = std::nextafter(square, kFar);
    return square;
  }

  // Update the distances by the rows added last, and add all rows within the threshold.
  void grow() {
    const double* added = taken_.data() + n_used_;
    const auto n_added = std::int64_t(taken_.size() - n_used_) / d_;
    n_used_ = taken_.size();
    // In portions, with a check for signals in between.
    const std::int64_t portion = std::max<std::int64_t>(kPortion / (n_ * d_ + 1), 1);
    for (std::int64_t f = 0; f < n_added; f += portion) {
      const std::int64_t count = std::min(portion, n_added - f);
      poll_(n_ * count * d_ / 2 + n_);
      run_wide(NearestNew{columns_.data(), added + f * d_, n_, stride_, count, d_,
                          double(result_.parent.size() - 1), distances_.data(), from_.data(),
                          minima_.data()});
    }
    // From the end, because the row that takes a free entry has been checked.
    for (std::int64_t s = (n_ - 1) / kBlock; s >= 0; --s)
      if (minima_[s] <= reach_) take_block(s);
  }

  // First list the rows within the threshold, without a branch: their order is unpredictable.
  void take_block(std::int64_t s) {
    std::int64_t hits[kBlock];
    int count = 0;
    for (std::int64_t k = s * kBlock; k < std::min((s + 1) * kBlock, n_); ++k) {
      hits[count] = k;
      count += distances_[k] <= reach_;
    }
    while (count > 0) take_out(hits[--count]);
  }

  // Valid while no row was added since the distances were computed.
  std::int64_t nearest_outside() const {
    const auto end = minima_.begin() + (n_ + kBlock - 1) / kBlock;
    const std::int64_t s = std::min_element(minima_.begin(), end) - minima_.begin();
    const double* block = &distances_[s * kBlock];
    return s * kBlock + (std::find(block, block + kBlock, minima_[s]) - block);
  }

  // Rows outside stay together: the last of them takes the free entry.
  void take_out(std::int64_t k) {
    const std::int64_t last = --n_;
    for (int c = 0; c < d_; ++c) {
      double* column = &columns_[c * stride_];
      taken_.push_back(column[k]);
      column[k] = column[last];
      column[last] = kFar;
    }
    result_.component[rows_[k]] = std::int64_t(result_.parent.size()) - 1;
    rows_[k] = rows_[last];
    from_[k] = from_[last];
    distances_[k] = distances_[last];
    distances_[last] = kFar;
  }

  int d_;
  std::int64_t n_, stride_;         // rows outside; their capacity in whole blocks, the rest infinitely far
  double unit_, reach_;             // reach is squared
  std::vector<double> columns_;     // (d, stride)
  std::vector<double> distances_;   // (stride,)  squared distance to the tree
  std::vector<double> from_;        // (stride,)  component of the nearest row
  std::vector<double> minima_;      // (blocks,)  smallest distance of each block
  std::vector<std::int64_t> rows_;  // (n,)  numbers of the rows outside
  std::vector<double> taken_;       // (., d)  rows in the tree, in the order in which they were added
  std::size_t n_used_ = 0;          // of these coordinates, those already compared with the rows outside
  CutTree result_;
  Poll poll_;
};

}  // namespace dynmeans
