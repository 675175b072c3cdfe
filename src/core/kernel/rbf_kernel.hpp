// Gaussian (RBF) kernel matrix between points.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "simd/dispatch.hpp"
#include "simd/exp.hpp"
#include "support/signals.hpp"

namespace dynmeans {

constexpr std::int64_t kSide = 32;          // edge of the blocks of the matrix
constexpr std::int64_t kBand = 16 * kSide;  // lines between two checks for signals

// Points side by side, one line per coordinate, divided by the bandwidth and padded to whole blocks.
inline std::vector<double> side_by_side(const double* points, std::int64_t n, int d, double bandwidth) {
  const std::int64_t stride = (n + kSide - 1) / kSide * kSide;
  std::vector<double> columns(d * stride);
  for (std::int64_t i = 0; i < n; ++i)
    for (int c = 0; c < d; ++c) columns[c * stride + i] = points[i * d + c] / bandwidth;
  return columns;
}

struct GaussianKernel {
  const double* a;  // in  (d, stride of n) side by side
  const double* b;  // in  (d, stride of m); the same as a for a square
  std::int64_t n, m;
  int d;
  double* out;              // out (n, m)
  std::int64_t begin, end;  // in  lines to compute

  [[gnu::always_inline]] void run() const {
    alignas(32) double square[kSide * kSide];
    for (std::int64_t i = begin; i < end; i += kSide)
      for (std::int64_t j = a == b ? i : 0; j < m; j += kSide) {
        fill(i, j, square);
        copy(i, j, square);
        if (a == b && j > i) mirror(i, j, square);
      }
  }

 private:
  static std::int64_t stride(std::int64_t count) { return (count + kSide - 1) / kSide * kSide; }

  // Whole columns of squared distances first, then the exponentials: short loops without dependences.
  [[gnu::always_inline]] void fill(std::int64_t i, std::int64_t j, double* square) const {
    for (std::int64_t r = 0; r < kSide; ++r) {
      Four line[kSide / kFour] = {};
      for (int c = 0; c < d; ++c)
        for (std::int64_t s = 0; s < kSide / kFour; ++s) {
          const Four difference = load_four(b + c * stride(m) + j + s * kFour) - a[c * stride(n) + i + r];
          line[s] += difference * difference;
        }
      for (std::int64_t s = 0; s < kSide / kFour; ++s)
        store_four(square + r * kSide + s * kFour, exp_minus(0.5 * line[s]));
    }
  }

  [[gnu::always_inline]] void copy(std::int64_t i, std::int64_t j, const double* square) const {
    const std::int64_t rows = std::min(kSide, n - i), columns = std::min(kSide, m - j);
    for (std::int64_t r = 0; r < rows; ++r) {
      double* line = out + (i + r) * m + j;
      if (columns == kSide)
        std::memcpy(line, square + r * kSide, kSide * sizeof(double));  // of constant size: inlined
      else
        std::copy_n(square + r * kSide, columns, line);
    }
  }

  [[gnu::always_inline]] void mirror(std::int64_t i, std::int64_t j, const double* square) const {
    const std::int64_t columns = std::min(kSide, m - j);
    for (std::int64_t s = 0; s < columns; ++s) {
      double* line = out + (j + s) * m + i;
      for (std::int64_t r = 0; r < kSide; r += kFour) {
        const double* from = square + r * kSide + s;
        store_four(line + r, Four{from[0], from[kSide], from[2 * kSide], from[3 * kSide]});
      }
    }
  }
};

// exp(-|a_i - b_j|^2 / (2 bandwidth^2)). in: a (n, d), b (m, d), the same array for a symmetric matrix; out:
// (n, m)
inline void gaussian(const double* a, std::int64_t n, const double* b, std::int64_t m, int d,
                     double bandwidth, double* out) {
  const std::vector<double> left = side_by_side(a, n, d, bandwidth);
  const bool is_square = a == b && n == m;
  const std::vector<double> right = is_square ? std::vector<double>() : side_by_side(b, m, d, bandwidth);
  const double* other = is_square ? left.data() : right.data();
  Poll poll;
  for (std::int64_t i = 0; i < n; i += kBand) {
    poll(kBand * m * (d + 8));
    run_wide(GaussianKernel{left.data(), other, n, m, d, out, i, std::min(n, i + kBand)});
  }
}

}  // namespace dynmeans
