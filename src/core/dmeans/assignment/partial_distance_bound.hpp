// Lower bounds on the distances between a wide row and many centers, from a few features (partial distance
// search, Bei and Gray 1985).
//
// The features in which the centers differ most exclude most centers. They are stored side by side for all
// centers, so that several centers are compared at once. The gain is stated at nearest_from_estimates.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "simd/feature_loops.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

class PartialDistanceBound {
 public:
  // centers (n, d); with few centers or few features, bounds would not save time and are not computed
  PartialDistanceBound(const double* centers, int n, int d)
      : n_(n), stride_((n + kCenters - 1) / kCenters * kCenters) {
    if (n < kFour || d < 2 * kFeatures) return;
    choose_features(centers, d);
    columns_.resize(std::size_t(kFeatures) * stride_);
    for (int k = 0; k < n; ++k)
      for (int f = 0; f < kFeatures; ++f)
        columns_[std::size_t(f) * stride_ + k] = centers[std::size_t(k) * d + features_[f]];
  }

  bool is_worth_it() const { return !features_.empty(); }

  // Number of bounds written: one per center, padded to whole groups.
  int n_bounds() const { return stride_; }

  // If is_worth_it. in: row (d,); out: lower bounds (n_bounds,) on its squared distances, up to rounding
  [[gnu::always_inline]] void bound(const double* row, double* bounds) const {
    double selected[kFeatures];
    for (int f = 0; f < kFeatures; ++f) selected[f] = row[features_[f]];
    for (int k = 0; k < stride_; k += kCenters) {
      Four sums[kCenters / kFour] = {};
      const double* column = &columns_[k];
      for (int f = 0; f < kFeatures; ++f, column += stride_)
        for (int q = 0; q < kCenters / kFour; ++q) {
          const Four difference = selected[f] - load_four(column + q * kFour);
          sums[q] += difference * difference;
        }
      for (int q = 0; q < kCenters / kFour; ++q) store_four(bounds + k + q * kFour, sums[q]);
    }
  }

 private:
  static constexpr int kFeatures = 32;        // number of features compared
  static constexpr int kCenters = 4 * kFour;  // centers compared together

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
    features_.resize(d);
    std::iota(features_.begin(), features_.end(), 0);
    std::nth_element(features_.begin(), features_.begin() + kFeatures, features_.end(),
                     [&](int a, int b) { return spread[a] > spread[b]; });
    features_.resize(kFeatures);
  }

  int n_, stride_;
  std::vector<int> features_;    // (kFeatures,)  selected features, or none
  std::vector<double> columns_;  // (kFeatures, stride)  of the centers
};

}  // namespace dynmeans
