// Unit rows of one batch, with the cosines of each to the remembered centers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dmeans/clusters.hpp"
#include "sphere/center_products.hpp"
#include "support/signals.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
struct SphereRows {
  const T* data;          // (n, d)
  const double* weights;  // (n,) or null for ones
  Row n;
  int d;

  const T* row(Row i) const { return data + i * d; }
  double weight(Row i) const { return weights ? weights[i] : 1.0; }
  // A weight above 1 stands for copies with the same label.
  double deciding_weight(Row i) const { return std::min(weight(i), 1.0); }
  // Rounding error of the dot product of two unit rows.
  double rounding() const { return 4 * (d / 16.0 + 8) * std::numeric_limits<T>::epsilon(); }
};

// The chord between two directions is sqrt(2 - 2 cosine), a metric. Bounds include the rounding error.
inline double chord_up(double cosine, double rounding) {
  return std::sqrt(std::max(2 - 2 * cosine, 0.0) + 2 * rounding);
}
inline double chord_down(double cosine, double rounding) {
  return std::sqrt(std::max(2 - 2 * cosine - 2 * rounding, 0.0));
}

// Approximate cosines to the remembered centers, computed once for all restarts. Unless centers move far they
// prove that most clusters are too far from a row: 4 times as fast for 300 clusters of 384 features.
class PriorCosines {
 public:
  template <class T>
  PriorCosines(const SphereRows<T>& points, const PriorView& prior) : n_old_(prior.n) {
    if (prior.n < kMinClusters || points.n > kMaxCosines / prior.n) return;
    CenterProducts products;
    products.pack(prior.n, points.d, [&](int k) { return prior.centers + std::size_t(k) * points.d; });
    rounding_ = products.rounding() + points.rounding();
    cosines_.resize(std::size_t(points.n) * prior.n);
    Poll poll;
    for (Row i = 0; i < points.n; i += CenterProducts::kRows) {
      const int count = int(std::min<Row>(CenterProducts::kRows, points.n - i));
      poll(std::int64_t(count) * points.d * prior.n);
      products.compare(count, [&](int b) { return points.row(i + b); });
      for (int b = 0; b < count; ++b)
        std::copy_n(products.cosines(b), prior.n, &cosines_[std::size_t(i + b) * prior.n]);
    }
  }

  // (K,) of a row, or null if they are not known.
  const float* of(Row i) const { return cosines_.empty() ? nullptr : &cosines_[std::size_t(i) * n_old_]; }
  // Bound on the difference to the dot products of the rows.
  double rounding() const { return rounding_; }

 private:
  static constexpr int kMinClusters = 8;       // with fewer clusters, comparing one by one is faster
  static constexpr Row kMaxCosines = 1 << 24;  // numbers: 64 MB

  int n_old_;
  double rounding_ = 0;
  RawVector<float> cosines_;  // (n, K) or empty
};

}  // namespace dynmeans
