// Embedding of the points by the eigenvectors of the relaxed SD-Means problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/symmetric_eigenpairs.hpp"

namespace dynmeans {

struct Embedding {
  std::vector<double> rows;     // V-bar (R, c)  of unit length, or 0 for a point that no eigenvector touches
  std::vector<double> lengths;  // (R,)  before the scaling, of a single point of weight 1
  int c;
};

struct Vectors {
  const double* data;     // V* (R + K, c)  points, then old clusters
  const double* weights;  // m (R,)
  const double* gammas;   // (K,)
  int n, n_old, c;        // R, K
};

// Point part of the span of the vectors, without the directions that belong to no point.
//
// An old cluster that no point joins has an eigenvalue of its own, and it may exceed the birth cost. In the
// span of the vectors, let a direction have mass p on the points and v_k on old cluster k. A cluster of
// weight n linked to k has p = n / (gamma + n) and v_k^2 = gamma / (gamma + n), so p / sum(v_k^2 / gamma_k)
// is n. A direction with less than half the weight of the lightest point belongs to no point. Directions are
// taken along the axes of the point part, since equal eigenvalues mix seen and unseen clusters arbitrarily.
inline Embedding seen(const Vectors& in, const Lapack& lapack) {
  const std::size_t c = in.c;
  Embedding out{std::vector<double>(in.data, in.data + in.n * c), {}, in.c};
  if (in.n_old == 0) return out;
  const Eigenpairs axes = SymmetricMatrix(gram(lapack, in.data, in.n, in.c), in.c, lapack).above(-1.0, in.c);
  std::vector<double> turned(std::size_t(in.n_old) * c), turn = axes.vectors;
  multiply(lapack, const_cast<double*>(in.data + in.n * c), turn.data(), in.n_old, in.c, in.c, turned.data());
  const double lightest = *std::min_element(in.weights, in.weights + in.n);
  std::vector<std::size_t> carries{0};  // the largest one always belongs to points
  for (std::size_t a = 1; a < c; ++a) {
    double spread = 0;
    for (int k = 0; k < in.n_old; ++k) spread += turned[k * c + a] * turned[k * c + a] / in.gammas[k];
    if (axes.values[a] >= 0.5 * lightest * spread) carries.push_back(a);
  }
  if (carries.size() == c) return out;
  out.c = int(carries.size());
  turn.resize(c * carries.size());
  for (std::size_t i = 0; i < c; ++i)
    for (std::size_t a = 0; a < carries.size(); ++a)
      turn[i * carries.size() + a] = axes.vectors[i * c + carries[a]];
  out.rows.resize(in.n * carries.size());
  multiply(lapack, const_cast<double*>(in.data), turn.data(), in.n, in.c, out.c, out.rows.data());
  return out;
}

// A representative of weight m stands for m equal points, whose rows are 1/sqrt(m) of its own.
inline Embedding embed(const Vectors& in, const Lapack& lapack) {
  Embedding out = seen(in, lapack);
  out.lengths.resize(in.n);
  for (int i = 0; i < in.n; ++i) {
    double* row = &out.rows[std::size_t(i) * out.c];
    double square = 0;
    for (int a = 0; a < out.c; ++a) square += row[a] * row[a];
    const double length = std::sqrt(square);
    for (int a = 0; a < out.c; ++a) row[a] /= length > 0 ? length : 1.0;
    out.lengths[i] = length / std::sqrt(in.weights[i]);
  }
  return out;
}

}  // namespace dynmeans
