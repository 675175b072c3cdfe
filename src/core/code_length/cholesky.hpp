// Cholesky factorization, determinant and Gaussian density of small symmetric positive definite matrices,
// stored in full.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

namespace dynmeans {

using Square = std::vector<double>;  // (d, d) row by row

// Lower factor L of a = L L', into `factor`; a pivot that rounding made too small is raised to
// `min_variance`.
inline void cholesky(const Square& a, int d, double min_variance, Square& factor) {
  factor.assign(a.size(), 0.0);
  for (int j = 0; j < d; ++j) {
    double pivot = a[j * d + j];
    for (int k = 0; k < j; ++k) pivot -= factor[j * d + k] * factor[j * d + k];
    const double root = std::sqrt(pivot > min_variance ? pivot : min_variance);
    factor[j * d + j] = root;
    for (int i = j + 1; i < d; ++i) {
      double sum = a[i * d + j];
      for (int k = 0; k < j; ++k) sum -= factor[i * d + k] * factor[j * d + k];
      factor[i * d + j] = sum / root;
    }
  }
}

inline double log_det_of_factor(const Square& factor, int d) {
  double sum = 0.0;
  for (int j = 0; j < d; ++j) sum += std::log(factor[j * d + j]);
  return 2.0 * sum;
}

// (L L')^-1
inline Square inverse(const Square& factor, int d) {
  Square found(factor.size());
  for (int c = 0; c < d; ++c) {
    for (int i = 0; i < d; ++i) {
      double sum = i == c;
      for (int k = 0; k < i; ++k) sum -= factor[i * d + k] * found[k * d + c];
      found[i * d + c] = sum / factor[i * d + i];
    }
    for (int i = d - 1; i >= 0; --i) {
      double sum = found[i * d + c];
      for (int k = i + 1; k < d; ++k) sum -= factor[k * d + i] * found[k * d + c];
      found[i * d + c] = sum / factor[i * d + i];
    }
  }
  return found;
}

inline double trace(const Square& a, int d) {
  double sum = 0.0;
  for (int j = 0; j < d; ++j) sum += a[j * d + j];
  return sum;
}

// |z|^2 where x = L z
inline double squared_length(const std::vector<double>& x, const Square& factor, int d) {
  double squared = 0.0;
  std::vector<double> z(x);
  for (int i = 0; i < d; ++i) {
    for (int k = 0; k < i; ++k) z[i] -= factor[i * d + k] * z[k];
    z[i] /= factor[i * d + i];
    squared += z[i] * z[i];
  }
  return squared;
}

// log N(x; 0, L L')
inline double log_gaussian(const std::vector<double>& x, const Square& factor, int d) {
  return -0.5 *
         (squared_length(x, factor, d) + log_det_of_factor(factor, d) + d * std::log(2.0 * std::numbers::pi));
}

// The same with the tails of a Cauchy distribution.
inline double log_cauchy(const std::vector<double>& x, const Square& factor, int d) {
  return std::lgamma(0.5 * (d + 1)) - 0.5 * (d + 1) * std::log(std::numbers::pi) -
         0.5 * (log_det_of_factor(factor, d) + (d + 1) * std::log1p(squared_length(x, factor, d)));
}

}  // namespace dynmeans
