// Lower bounds on the distances between a wide row and many centers, from a few features (partial distance
// search, Bei and Gray 1985).
//
// The features in which the centers differ most prove that most distances are long. They are stored side by
// side for all centers, so that several centers are compared at once.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "simd/feature_loops.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

class PartialDistanceBound {
 public:
  // centers (n, d); where there are few centers or few features, nothing is gained
  PartialDistanceBound(const double* centers, int n, int d)
      : n_(n), stride_((n + kTogether - 1) / kTogether * kTogether) {
    if (n < kFour || d < 2 * kSeen) return;
    choose_features(centers, d);
    columns_.resize(std::size_t(kSeen) * stride_);
    for (int k = 0; k < n; ++k)
      for (int f = 0; f < kSeen; ++f)
        columns_[std::size_t(f) * stride_ + k] = centers[std::size_t(k) * d + seen_[f]];
  }

  bool is_worth_it() const { return !seen_.empty(); }

  // How many bounds are written: those of the centers, and what fills the last group.
  int n_bounds() const { return stride_; }

  // in: row (d,); out: bounds (n_bounds,) on its squared distances, from below but for rounding; zero if a
  // look is not worth it
  [[gnu::always_inline]] void bound(const double* row, double* bounds) const {
    if (!is_worth_it()) {
      std::fill_n(bounds, n_, 0.0);
      return;
    }
    double seen[kSeen];
    for (int f = 0; f < kSeen; ++f) seen[f] = row[seen_[f]];
    for (int k = 0; k < stride_; k += kTogether) {
      Four sums[kTogether / kFour] = {};
      const double* column = &columns_[k];
      for (int f = 0; f < kSeen; ++f, column += stride_)
        for (int q = 0; q < kTogether / kFour; ++q) {
          const Four gap = seen[f] - load_four(column + q * kFour);
          sums[q] += gap * gap;
        }
      for (int q = 0; q < kTogether / kFour; ++q) store_four(bounds + k + q * kFour, sums[q]);
    }
  }

 private:
  static constexpr int kSeen = 32;             // features
  static constexpr int kTogether = 4 * kFour;  // centers of a group

  void choose_features(const double* centers, int d) {
    std::vector<double> sums(d), squares(d);
    double *const sum = sums.data(), *const square = squares.data();
    for (int k = 0; k < n_; ++k) {
      const double* center = centers + std::size_t(k) * d;
      for_features(d, [=](int j) __attribute__((always_inline)) {
        sum[j] += center[j];
        square[j] += center[j] * center[j];
      });
    }
    std::vector<double>& spread = squares;
    for (int j = 0; j < d; ++j) spread[j] -= sum[j] * sum[j] / n_;
    seen_.resize(d);
    std::iota(seen_.begin(), seen_.end(), 0);
    std::nth_element(seen_.begin(), seen_.begin() + kSeen, seen_.end(),
                     [&](int a, int b) { return spread[a] > spread[b]; });
    seen_.resize(kSeen);
  }

  int n_, stride_;
  std::vector<int> seen_;        // (kSeen,)  features, or none
  std::vector<double> columns_;  // (kSeen, stride)  of the centers
};

}  // namespace dynmeans
