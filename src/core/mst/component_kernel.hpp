// Kernel between rows and old clusters that depends only on their components, so sums are over components.
#pragma once

#include <cstdint>
#include <vector>

#include "mst/mst_components.hpp"
#include "simd/dispatch.hpp"
#include "simd/exp.hpp"

namespace dynmeans {

// Distances become similarities, exp(-d^2 / (2 scale^2)).
struct DistancesToSimilarities {
  double* values;  // in, out (n,)
  std::int64_t n;  // a multiple of kFour
  double scale;

  [[gnu::always_inline]] void run() const {
    for (std::int64_t e = 0; e < n; e += kFour) {
      const Four ratio = load_four(values + e) / scale;
      store_four(values + e, exp_minus(0.5 * ratio * ratio));
    }
  }
};

// The kernel (m, m) between the components of a tree: parent (m,), each before its children, and length (m,)
// of the edges to them.
inline std::vector<double> component_kernel(const std::int64_t* parent, const double* length, std::size_t m,
                                            double scale) {
  const std::size_t size = m * m, whole = (size + kFour - 1) / kFour * kFour;
  std::vector<double> matrix(whole);
  tree_distances(parent, length, m, matrix.data());
  run_wide(DistancesToSimilarities{matrix.data(), std::int64_t(whole), scale});
  matrix.resize(size);
  return matrix;
}

struct ComponentInput {
  const double* matrix;            // (m, m)  kernel between components
  const std::int64_t* components;  // (M + n,)  of support points, then of rows
  const double* weights;           // (n,)  of rows
  const double* coefficients;      // (M,)  of support points in their old clusters
  const std::int64_t* owner;       // (M,)
  std::size_t m, n_kept, n, n_old;
};

struct ComponentSums {
  std::vector<double> weights;      // (R,)  of the rows in each component that has some
  std::vector<double> y_phi;        // (R, K)
  std::vector<double> phi_phi;      // (K,)
  std::vector<double> matrix;       // (R, R)  empty if all components have rows
  std::vector<std::int64_t> group;  // (n,)
};

inline ComponentSums sum_components(const ComponentInput& in) {
  std::vector<double> mass(in.m), mix(in.m * in.n_old), past(in.m * in.n_old);
  const std::int64_t* of_row = in.components + in.n_kept;
  for (std::size_t i = 0; i < in.n; ++i) mass[of_row[i]] += in.weights[i];
  for (std::size_t j = 0; j < in.n_kept; ++j)
    mix[in.components[j] * in.n_old + in.owner[j]] += in.coefficients[j];
  Poll poll;
  for (std::size_t a = 0; a < in.m; ++a) {
    poll(std::int64_t(in.m) * in.n_old);
    for (std::size_t b = 0; b < in.m; ++b)
      for (std::size_t k = 0; k < in.n_old; ++k)
        past[a * in.n_old + k] += in.matrix[a * in.m + b] * mix[b * in.n_old + k];
  }
  ComponentSums out;
  out.phi_phi.resize(in.n_old);
  std::vector<std::int64_t> number(in.m), seen;
  for (std::size_t a = 0; a < in.m; ++a) {
    for (std::size_t k = 0; k < in.n_old; ++k)
      out.phi_phi[k] += mix[a * in.n_old + k] * past[a * in.n_old + k];
    if (!(mass[a] > 0)) continue;
    number[a] = std::int64_t(seen.size());
    seen.push_back(std::int64_t(a));
    out.weights.push_back(mass[a]);
    out.y_phi.insert(out.y_phi.end(), past.begin() + a * in.n_old, past.begin() + (a + 1) * in.n_old);
  }
  for (std::size_t i = 0; i < in.n; ++i) out.group.push_back(number[of_row[i]]);
  if (seen.size() == in.m) return out;
  for (const std::int64_t a : seen)
    for (const std::int64_t b : seen) out.matrix.push_back(in.matrix[a * in.m + b]);
  return out;
}

}  // namespace dynmeans
