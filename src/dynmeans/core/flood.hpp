// The components that short edges make of few rows, and the tree of long edges between them, as cutting the
// minimum spanning tree would leave them, but without the edges inside of components.
//
// It grows like Prim's tree, except that all rows within reach join at once, in any order. Only when none is
// left in reach, the row nearest to the tree is sought: the edge to it is long, and a component begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "cut_tree.hpp"
#include "wide.hpp"

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

  // Vectors side by side: the next does not wait for the comparison of the one before.
  static constexpr int kSide = 4;

  // A known number of dimensions makes a loop that stays in registers.
  [[gnu::always_inline]] void run() const {
    if (d == 2) return look(2);
    if (d == 3) return look(3);
    look(d);
  }

  [[gnu::always_inline]] void look(int d) const {
    const Four here = Four{} + component;
    for (std::int64_t k = 0; k < n; k += kSide * kFour) {
      Four least[kSide];
      for (Four& gap : least) gap = Four{} + std::numeric_limits<double>::infinity();
      for (std::int64_t f = 0; f < n_fresh; ++f)
        for (int s = 0; s < kSide; ++s) {
          Four sum{};
          for (int c = 0; c < d; ++c) {
            const Four step = load_four(columns + c * stride + k + s * kFour) - fresh[f * d + c];
            sum += step * step;
          }
          least[s] = sum < least[s] ? sum : least[s];
        }
      for (int s = 0; s < kSide; ++s) {
        const std::int64_t at = k + s * kFour;
        const Four gap = load_four(gaps + at);
        store_four(from + at, least[s] < gap ? here : load_four(from + at));
        store_four(gaps + at, least[s] < gap ? least[s] : gap);
      }
    }
  }
};

class Flood {
  static constexpr std::int64_t kWidth = NearestNew::kSide * kFour;

 public:
  // in: data (n, d), n > 0; unit: rows are multiplied by it, so that no square of a distance overflows
  Flood(const double* data, std::int64_t n, int d, double unit, double scale)
      : d_(d),
        n_(n),
        stride_((n + kWidth - 1) / kWidth * kWidth),
        unit_(unit),
        reach_(largest_square(scale * unit)),
        columns_(d * stride_),
        gaps_(stride_, std::numeric_limits<double>::infinity()),
        from_(stride_),
        rows_(n) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int c = 0; c < d; ++c) columns_[c * stride_ + i] = data[i * d + c] * unit;
    std::iota(rows_.begin(), rows_.end(), 0);
    result_.component.resize(n);
  }

  CutTree run() {
    std::int64_t next = 0;
    for (double from = -1, gap = 0; n_ > 0; from = from_[next], gap = gaps_[next]) {
      result_.parent.push_back(std::int64_t(from));
      result_.length.push_back(std::sqrt(gap) / unit_);
      take_out(next);
      while (!fresh_.empty()) spread();
      next = std::min_element(gaps_.begin(), gaps_.begin() + n_) - gaps_.begin();
    }
    return std::move(result_);
  }

 private:
  // The largest number whose root, as rounded, is no more than the length.
  static double largest_square(double length) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    double square = length * length;
    while (square < kFar && std::sqrt(std::nextafter(square, kFar)) <= length)
      square = std::nextafter(square, kFar);
    return square;
  }

  // The rows just taken look around, and take those within reach.
  void spread() {
    const std::vector<double> fresh = std::move(fresh_);
    fresh_.clear();
    run_wide(NearestNew{columns_.data(), fresh.data(), n_, stride_, std::int64_t(fresh.size()) / d_, d_,
                        double(result_.parent.size() - 1), gaps_.data(), from_.data()});
    for (std::int64_t k = n_ - 1; k >= 0; --k)
      if (gaps_[k] <= reach_) take_out(k);
  }

  // Rows outside stay together: the last of them fills the gap.
  void take_out(std::int64_t k) {
    const std::int64_t last = --n_;
    for (int c = 0; c < d_; ++c) {
      double* column = &columns_[c * stride_];
      fresh_.push_back(column[k]);
      column[k] = column[last];
    }
    result_.component[rows_[k]] = std::int64_t(result_.parent.size()) - 1;
    rows_[k] = rows_[last];
    from_[k] = from_[last];
    gaps_[k] = gaps_[last];
  }

  int d_;
  std::int64_t n_, stride_;          // rows outside; their places, in whole vectors
  double unit_, reach_;              // reach is squared
  std::vector<double> columns_;      // (d, stride)
  std::vector<double> gaps_, from_;  // (stride,)  squared distance to the tree; component that is so near
  std::vector<std::int64_t> rows_;   // (n,)  numbers of the rows outside
  std::vector<double> fresh_;        // (., d)  places of rows that have not looked around yet
  CutTree result_;
};

}  // namespace dynmeans
