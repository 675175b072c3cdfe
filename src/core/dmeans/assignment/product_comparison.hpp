// Nearest center of each of a tile of rows, by float32 products with a bound on their rounding errors.
//
// With u = 2^-24, the value of |c|^2 / 2 - y'c is off by at most (d + 8) u (|c|^2 / 2 + |y| |c|): d products
// and sums, and the conversions to float32. The bound (d + 8) u (|y| + |c|)^2 / 2 that is used here also
// covers distances that are computed in float32 from differences: where the two smallest values differ by
// more than twice this bound, both methods find the same center, which is the nearest one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "simd/product_kernels.hpp"
#include "simd/squared_distance.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

class ProductComparison {
 public:
  // A tile of rows and the results of its comparison; each thread has its own.
  struct Tile {
    RawVector<float> rows;                    // (d, kTile)
    std::vector<double> origin;               // (d,) zeros
    std::array<double, kTile> squared_norms;  // of the rows
    std::array<float, kTile> best, second;
    std::array<std::int32_t, kTile> which;

    void resize(int d) {
      rows.resize(std::size_t(d) * kTile);
      origin.resize(d);
    }

    void set(int b, const double* y, int d) {
      float* const to = &rows[b];
      for (int j = 0; j < d; ++j) to[std::size_t(j) * kTile] = static_cast<float>(y[j]);
      squared_norms[b] = squared_distance(Plain{y}, origin.data(), d);
    }

    // Fills the remaining columns with the last row.
    void fill(int count, int d) {
      for (int j = 0; j < d; ++j)
        std::fill_n(&rows[std::size_t(j) * kTile + count], kTile - count,
                    rows[std::size_t(j) * kTile + count - 1]);
    }
  };

  // in: center_of(a), (d,), for a = 0 .. n - 1
  template <class CenterOf>
  void pack(int n, int d, const CenterOf& center_of) {
    d_ = d;
    n_blocks_ = (n + kProductBlock - 1) / kProductBlock;
    packed_.assign(std::size_t(n_blocks_) * d * kProductBlock, 0.0f);
    half_.assign(std::size_t(n_blocks_) * kProductBlock, std::numeric_limits<float>::infinity());
    double largest = 0;
    for (int a = 0; a < n; ++a) {
      const double* c = center_of(a);
      float* to = &packed_[std::size_t(a / kProductBlock) * d * kProductBlock + a % kProductBlock];
      double norm = 0;
      for (int j = 0; j < d; ++j) {
        to[std::size_t(j) * kProductBlock] = static_cast<float>(-c[j]);
        norm += c[j] * c[j];
      }
      half_[a] = static_cast<float>(norm / 2);
      largest = std::max(largest, norm);
    }
    largest_squared_norm_ = largest;
  }

  void compare(Tile& tile) const {
    static const NearestByProducts nearest = widest_product_kernels().nearest_by_products;
    nearest(tile.rows.data(), d_, packed_.data(), half_.data(), n_blocks_, tile.best.data(),
            tile.second.data(), tile.which.data());
  }

  // True if the first center of row b is the nearest for certain.
  bool is_certain(const Tile& tile, int b) const {
    return double(tile.second[b]) - double(tile.best[b]) > 2 * error(tile.squared_norms[b]);
  }

  // Lower bound on the squared distance between row b and every center but the first.
  double second_squared_distance(const Tile& tile, int b) const {
    const double squared_norm = tile.squared_norms[b];
    return std::max(
        0.0, squared_norm * (1 - (d_ + 4) * kDouble) + 2 * (double(tile.second[b]) - error(squared_norm)));
  }

 private:
  double error(double squared_norm) const {
    const double sum = std::sqrt(squared_norm) + std::sqrt(largest_squared_norm_);
    const double size = sum * sum / 2;
    if (!(size < kLargest)) return std::numeric_limits<double>::infinity();
    return (d_ + 8) * (0x1p-24 * 1.01) * size + d_ * kSmallest;
  }

  static constexpr double kLargest = 1e36;    // float32 holds it, and sums of it
  static constexpr double kSmallest = 1e-36;  // covers what float32 loses to underflow
  static constexpr double kDouble = 0x1p-52;  // rounding in double precision

  int d_ = 0, n_blocks_ = 0;
  std::vector<float> packed_, half_;  // (blocks, d, kProductBlock), (blocks, kProductBlock)
  double largest_squared_norm_ = 0;   // of the centers
};

}  // namespace dynmeans
