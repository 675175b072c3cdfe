// Components that edges up to a threshold make of few rows, and the tree of longer edges between them: the
// same as cutting the minimum spanning tree, without computing the edges inside components.
//
// The tree grows as in PrimMst, but all rows within the threshold are added at once, in any order. Only
// when none is left, the nearest row is searched; the edge to it is long and starts a new component.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "mst/mst_components.hpp"
#include "simd/avx2_dispatch.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Squared distances of the rows outside to the tree, now that some rows are new in it.
struct NearestNew {
  const double* columns;  // in  (d, stride) places of the rows outside
  const double* fresh;    // in  (n_fresh, d)
  std::int64_t n, stride, n_fresh;
  int d;
  double component;  // in  of the new rows
  double* gaps;      // in, out (stride,)
  double* from;      // in, out (stride,) component of the nearest row in the tree
  double* least;     // out (stride / kStretch,) smallest gap of every stretch of rows

  // Vectors side by side: the next does not wait for the comparison of the one before.
  static constexpr int kSide = 4, kStretch = kSide * kFour;

  // A known number of dimensions makes a loop that stays in registers.
  [[gnu::always_inline]] void run() const {
    if (d == 2) return look(2);
    if (d == 3) return look(3);
    look(d);
  }

  [[gnu::always_inline]] void look(int d) const {
    const Four here = Four{} + component;
    for (std::int64_t k = 0; k < n; k += kStretch) {
      Four found[kSide];
      for (Four& gap : found) gap = Four{} + std::numeric_limits<double>::infinity();
      for (std::int64_t f = 0; f < n_fresh; ++f)
        for (int s = 0; s < kSide; ++s) {
          Four sum{};
          for (int c = 0; c < d; ++c) {
            const Four step = load_four(columns + c * stride + k + s * kFour) - fresh[f * d + c];
            sum += step * step;
          }
          found[s] = sum < found[s] ? sum : found[s];
        }
      Four smallest = Four{} + std::numeric_limits<double>::infinity();
      for (int s = 0; s < kSide; ++s) {
        const std::int64_t at = k + s * kFour;
        const Four gap = load_four(gaps + at), nearer = found[s] < gap ? found[s] : gap;
        store_four(from + at, found[s] < gap ? here : load_four(from + at));
        store_four(gaps + at, nearer);
        smallest = nearer < smallest ? nearer : smallest;
      }
      const double left = smallest[0] < smallest[1] ? smallest[0] : smallest[1];
      const double right = smallest[2] < smallest[3] ? smallest[2] : smallest[3];
      least[k / kStretch] = left < right ? left : right;
    }
  }
};

class ThresholdComponents {
  static constexpr std::int64_t kStretch = NearestNew::kStretch;
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t kPortion = 1 << 24;  // coordinates compared at once

 public:
  // in: data (n, d), n > 0; unit: factor of all rows that keeps squared distances finite; scale: threshold
  ThresholdComponents(const double* data, std::int64_t n, int d, double unit, double scale)
      : d_(d),
        n_(n),
        stride_((n + kStretch - 1) / kStretch * kStretch),
        unit_(unit),
        reach_(largest_square(scale * unit)),
        columns_(d * stride_, kFar),
        gaps_(stride_, kFar),
        from_(stride_),
        least_(stride_ / kStretch, kFar),
        rows_(n) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int c = 0; c < d; ++c) columns_[c * stride_ + i] = data[i * d + c] * unit;
    std::iota(rows_.begin(), rows_.end(), 0);
    taken_.reserve(n * d);
    result_.component.resize(n);
  }

  CutTree run() {
    std::int64_t next = 0;
    for (double from = -1, gap = 0; n_ > 0; from = from_[next], gap = gaps_[next]) {
      result_.parent.push_back(std::int64_t(from));
      result_.length.push_back(std::sqrt(gap) / unit_);
      take_out(next);
      while (n_looked_ < taken_.size()) spread();
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

  // The rows just taken look around, and take those within reach.
  void spread() {
    const double* fresh = taken_.data() + n_looked_;
    const auto n_fresh = std::int64_t(taken_.size() - n_looked_) / d_;
    n_looked_ = taken_.size();
    // In portions, so that signals are seen in between.
    const std::int64_t portion = std::max<std::int64_t>(kPortion / (n_ * d_ + 1), 1);
    for (std::int64_t f = 0; f < n_fresh; f += portion) {
      const std::int64_t count = std::min(portion, n_fresh - f);
      poll_(n_ * count * d_ / 2 + n_);
      run_wide(NearestNew{columns_.data(), fresh + f * d_, n_, stride_, count, d_,
                          double(result_.parent.size() - 1), gaps_.data(), from_.data(), least_.data()});
    }
    // From the end, because the row that fills a gap has been looked at.
    for (std::int64_t s = (n_ - 1) / kStretch; s >= 0; --s)
      if (least_[s] <= reach_) take_stretch(s);
  }

  // Who is in reach is hard to foresee: first a list of them, without a branch.
  void take_stretch(std::int64_t s) {
    std::int64_t hits[kStretch];
    int count = 0;
    for (std::int64_t k = s * kStretch; k < std::min((s + 1) * kStretch, n_); ++k) {
      hits[count] = k;
      count += gaps_[k] <= reach_;
    }
    while (count > 0) take_out(hits[--count]);
  }

  // Valid while no row was taken since the distances were computed.
  std::int64_t nearest_outside() const {
    const auto end = least_.begin() + (n_ + kStretch - 1) / kStretch;
    const std::int64_t s = std::min_element(least_.begin(), end) - least_.begin();
    const double* stretch = &gaps_[s * kStretch];
    return s * kStretch + (std::find(stretch, stretch + kStretch, least_[s]) - stretch);
  }

  // Rows outside stay together: the last of them fills the gap.
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
    gaps_[k] = gaps_[last];
    gaps_[last] = kFar;
  }

  int d_;
  std::int64_t n_, stride_;      // rows outside; their places, in whole stretches, the rest infinitely far
  double unit_, reach_;          // reach is squared
  std::vector<double> columns_;  // (d, stride)
  std::vector<double> gaps_, from_;  // (stride,)  squared distance to the tree; component that is so near
  std::vector<double> least_;        // (stretches,)  smallest gap of each
  std::vector<std::int64_t> rows_;   // (n,)  numbers of the rows outside
  std::vector<double> taken_;  // (., d)  places of the rows in the tree, in the order in which they came
  std::size_t n_looked_ = 0;   // of these numbers, those of rows that have looked around
  CutTree result_;
  Poll poll_;
};

}  // namespace dynmeans
