// Spectral relaxation of SD-Means as a full matrix of points and old clusters, with a lower bound on the
// cost (Campbell, Kulis and How 2019).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/kernel_centers.hpp"
#include "kernel/spectral/symmetric_eigenpairs.hpp"

namespace dynmeans {

// Only the diagonal of K_PhiPhi is used: gamma K_PhiPhi + Q dt.
inline double old_diagonal(const KernelView& view, int k) {
  return view.gammas[k] * view.phi_phi[k] + view.revival[k];
}

// Eq. (ZGdefine): G (R + K, R + K), one triangle of it. A point of weight m has sqrt(m) times the row of a
// single one. in: matrix (R, R)
inline std::vector<double> joint_matrix(const KernelView& view, const double* matrix) {
  const std::size_t n = view.n, n_old = view.n_old, size = n + n_old;
  std::vector<double> joint(size * size), root(size);
  for (std::size_t i = 0; i < n; ++i) root[i] = std::sqrt(view.weights[i]);
  for (std::size_t k = 0; k < n_old; ++k) root[n + k] = std::sqrt(view.gammas[k]);
  // LAPACK is column-major, so the entries right of the diagonal are its lower triangle.
  for (std::size_t i = 0; i < n; ++i) {
    double* line = &joint[i * size];
    for (std::size_t j = i; j < n; ++j) line[j] = root[i] * root[j] * matrix[i * n + j];
    for (std::size_t k = 0; k < n_old; ++k) line[n + k] = root[i] * root[n + k] * view.y_phi[i * n_old + k];
  }
  for (std::size_t k = 0; k < n_old; ++k) joint[(n + k) * (size + 1)] = old_diagonal(view, int(k));
  return joint;
}

// The terms of Eq. (spectralmin) that do not depend on Z, traces over all remembered clusters, minus the
// maximum over Z: a lower bound on the cost of any clustering. in: values (c,)
inline double relaxed_bound(const KernelView& view, double birth, const double* values, std::size_t c) {
  double bound = 0;
  for (Row i = 0; i < view.n; ++i) bound += view.weights[i] * view.diagonal[i];
  for (int k = 0; k < view.n_old; ++k) bound += old_diagonal(view, k) - birth;
  for (std::size_t s = 0; s < c; ++s) bound -= values[s] - birth;
  return bound;
}

struct Relaxed {
  Eigenpairs pairs;  // of values above lambda; the largest one if none is
  double bound;      // no clustering costs less
};

// in: matrix (R, R)
inline Relaxed relax(const KernelView& view, const double* matrix, double birth, const Lapack& lapack) {
  const int size = int(view.n) + view.n_old;
  SymmetricMatrix joint(joint_matrix(view, matrix), size, lapack);
  Relaxed out{joint.above(birth, std::max(1, view.n_old)), 0};
  out.bound = relaxed_bound(view, birth, out.pairs.values.data(), out.pairs.values.size());
  const auto below = std::find_if(out.pairs.values.begin() + 1, out.pairs.values.end(),
                                  [&](double value) { return !(value > birth); });
  out.pairs.keep(int(below - out.pairs.values.begin()));
  return out;
}

}  // namespace dynmeans
