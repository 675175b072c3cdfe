// Embedding of the points by the eigenvectors of the relaxed SD-Means problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/spectral/symmetric_eigenpairs.hpp"

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
// An old cluster that no point joins has a separate eigenvalue, which may exceed the birth cost. In the
// span of the vectors, let a direction have mass p on the points and v_k on old cluster k. A cluster of
// weight n linked to k has p = n / (gamma + n) and v_k^2 = gamma / (gamma + n), so p / sum(v_k^2 / gamma_k)
// is n. A direction with less than half the weight of the lightest point belongs to no point. Directions are
// taken along the axes of the point part, since equal eigenvalues mix clusters with and without points
// arbitrarily.
inline Embedding point_span(const Vectors& in, const Lapack& lapack) {
  const std::size_t c = in.c;
  Embedding out{std::vector<double>(in.data, in.data + in.n * c), {}, in.c};
  if (in.n_old == 0) return out;
  const Eigenpairs axes = SymmetricMatrix(gram(lapack, in.data, in.n, in.c), in.c, lapack).above(-1.0, in.c);
  std::vector<double> rotated(std::size_t(in.n_old) * c), rotation = axes.vectors;
  multiply(lapack, const_cast<double*>(in.data + in.n * c), rotation.data(), in.n_old, in.c, in.c,
           rotated.data());
  const double lightest = *std::min_element(in.weights, in.weights + in.n);
  std::vector<std::size_t> kept{0};  // the largest one always belongs to points
  for (std::size_t a = 1; a < c; ++a) {
    double spread = 0;
    for (int k = 0; k < in.n_old; ++k) spread += rotated[k * c + a] * rotated[k * c + a] / in.gammas[k];
    if (axes.values[a] >= 0.5 * lightest * spread) kept.push_back(a);
  }
  if (kept.size() == c) return out;
  out.c = int(kept.size());
  rotation.resize(c * kept.size());
  for (std::size_t i = 0; i < c; ++i)
    for (std::size_t a = 0; a < kept.size(); ++a)
      rotation[i * kept.size() + a] = axes.vectors[i * c + kept[a]];
  out.rows.resize(in.n * kept.size());
  multiply(lapack, const_cast<double*>(in.data), rotation.data(), in.n, in.c, out.c, out.rows.data());
  return out;
}

// A representative of weight m stands for m equal points, whose rows are its row divided by sqrt(m).
inline Embedding embed(const Vectors& in, const Lapack& lapack) {
  Embedding out = point_span(in, lapack);
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
