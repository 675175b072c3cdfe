// Approximate cosines of blocks of unit rows to many centers, by float32 products with a rounding bound.
//
// With u = 2^-24, a product of unit vectors is off by at most (d + 8) u: d products and sums, the conversions
// to float32, and lengths that are not exactly 1. Three times as fast as exact dot products in a fixed order
// for 300 centers of 384 features.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dmeans/batch/batch_view.hpp"
#include "simd/product_kernels.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

class CenterProducts {
 public:
  static constexpr int kRows = 120;  // rows that are compared together

  // in: center_of(a), (d,), for a = 0 .. n - 1
  template <class CenterOf>
  void pack(int n, int d, const CenterOf& center_of) {
    n_ = n;
    d_ = d;
    n_panels_ = (n + kPanel - 1) / kPanel;
    panels_.resize(std::size_t(n_panels_) * d * kPanel);
    std::fill(panels_.begin(), panels_.end(), 0.0f);
    for (int a = 0; a < n; ++a) {
      const auto* center = center_of(a);
      float* const to = &panels_[std::size_t(a / kPanel) * d * kPanel + a % kPanel];
      for (int j = 0; j < d; ++j) to[std::size_t(j) * kPanel] = static_cast<float>(center[j]);
    }
    rows_.resize(std::size_t(kRows) * d);
    found_.resize(std::size_t(kRows) * n_panels_ * kPanel);
  }

  void clear() { n_ = 0; }
  int size() const { return n_; }
  // Bound on the error of a cosine.
  double rounding() const { return (d_ + 8) * (0x1p-24 * 1.01); }

  // in: row_of(b), (d,), for b = 0 .. count - 1; count <= kRows
  template <class RowOf>
  void compare(int count, const RowOf& row_of) {
    for (int b = 0; b < count; ++b) std::copy_n(row_of(b), d_, &rows_[std::size_t(b) * d_]);
    static const ProductsOfRows products = widest_product_kernels().products_of_rows;
    products(rows_.data(), count, d_, panels_.data(), n_panels_, found_.data());
  }

  // (n,) of one of the rows
  const float* cosines(int b) const { return &found_[std::size_t(b) * n_panels_ * kPanel]; }

 private:
  int n_ = 0, d_ = 0, n_panels_ = 0;
  RawVector<float> panels_;  // (panels, d, kPanel) centers side by side
  RawVector<float> rows_;    // (kRows, d)
  RawVector<float> found_;   // (kRows, panels * kPanel)
};

}  // namespace dynmeans
