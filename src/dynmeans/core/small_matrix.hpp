// Symmetric positive definite matrices of a few rows, stored whole: Cholesky factor, determinant, density.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

namespace dynmeans {

using Square = std::vector<double>;  // (d, d) row by row

// Lower factor L of a = L L', into `factor`; a pivot that rounding made too small is raised to `least`.
inline void cholesky(const Square& a, int d, double least, Square& factor) {
  factor.assign(a.size(), 0.0);
  for (int j = 0; j < d; ++j) {
    double pivot = a[j * d + j];
    for (int k = 0; k < j; ++k) pivot -= factor[j * d + k] * factor[j * d + k];
    const double root = std::sqrt(pivot > least ? pivot : least);
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

inline double trace(const Square& a, int d) {
  double sum = 0.0;
  for (int j = 0; j < d; ++j) sum += a[j * d + j];
  return sum;
}

// log N(x; 0, L L')
inline double log_gaussian(const std::vector<double>& x, const Square& factor, int d) {
  double squared = 0.0;
  std::vector<double> z(x);
  for (int i = 0; i < d; ++i) {
    for (int k = 0; k < i; ++k) z[i] -= factor[i * d + k] * z[k];
    z[i] /= factor[i * d + i];
    squared += z[i] * z[i];
  }
  return -0.5 * (squared + log_det_of_factor(factor, d) + d * std::log(2.0 * std::numbers::pi));
}

}  // namespace dynmeans
