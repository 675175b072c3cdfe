// A first look at the distances between a wide row and some centres.
//
// A few blocks of features, those in which the centres differ most, show that most distances are long. They
// lie side by side, so that those of all centres stay in the nearest cache.
#pragma once

#include <algorithm>
#include <vector>

#include "features.hpp"
#include "gap.hpp"

namespace dynmeans {

class Glance {
 public:
  static constexpr int kBlocks = 4, kWidth = kBlocks * kWide;

  // centers (n, d); where there are few features, nothing is gained
  Glance(const double* centers, int n, int d) : d_(d) {
    if (d / kWide < 2 * kBlocks) return;
    choose_blocks(centers, n);
    packed_.resize(std::size_t(n) * kWidth);
    for (int k = 0; k < n; ++k) pack(centers + std::size_t(k) * d, &packed_[std::size_t(k) * kWidth]);
  }

  bool is_worth_it() const { return !begins_.empty(); }

  // in: row (d,); out: packed (kWidth,)
  void pack(const double* row, double* packed) const {
    for (const int begin : begins_) packed = std::copy_n(row + begin, kWide, packed);
  }

  // At least this far apart, but for rounding: a packed row and a centre. Where the first block alone exceeds
  // `most`, the others are left out.
  [[gnu::always_inline]] double squared_gap(const double* packed, int k, double most) const {
    const double* center = &packed_[std::size_t(k) * kWidth];
    double total = 0;
    for (int j = 0; j < kWidth && !(total > most); j += kWide) {
      Four sums[kWide / kFour];
      for (int q = 0; q < kWide / kFour; ++q) {
        const Four gap = load_four(packed + j + q * kFour) - load_four(center + j + q * kFour);
        sums[q] = gap * gap;
      }
      const Four sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      total += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    return total;
  }

 private:
  void choose_blocks(const double* centers, int n) {
    std::vector<double> sums(d_), squares(d_);
    for (int k = 0; k < n; ++k) {
      const double* center = centers + std::size_t(k) * d_;
      double *sum = sums.data(), *square = squares.data();
      for_features(d_, [=](int j) __attribute__((always_inline)) {
        sum[j] += center[j];
        square[j] += center[j] * center[j];
      });
    }
    std::vector<double> spread(d_);  // of a block, where it begins
    for (int j = 0; j < d_; ++j) spread[j / kWide * kWide] += squares[j] - sums[j] * sums[j] / n;
    for (int begin = 0; begin + kWide <= d_; begin += kWide) begins_.push_back(begin);
    std::partial_sort(begins_.begin(), begins_.begin() + kBlocks, begins_.end(),
                      [&](int a, int b) { return spread[a] > spread[b]; });
    begins_.resize(kBlocks);
  }

  int d_;
  std::vector<int> begins_;     // of the blocks
  std::vector<double> packed_;  // (n, kWidth)
};

}  // namespace dynmeans
