// Parts of a step of D-Means, which Python calls one by one and dmeans_step calls in order. The arguments are
// documented in _core.pyi.
#pragma once

#include <optional>

#include "support/numpy_arrays.hpp"

namespace dynmeans {

nb::tuple predict_clusters(const nb::tuple& state, const nb::tuple& motion, double now, double aging);

template <class T>
nb::tuple descend(const Matrix<T>& X, const std::optional<Vector>& weights, const Matrix<double>& centers,
                  const Vector& gammas, const Vector& revival, double birth, std::uint64_t seed,
                  std::uint64_t step, int n_restarts, int max_iter, int n_threads, bool refine, int epoch);

template <class T>
nb::tuple assign_exclusive(const Matrix<T>& X, const std::optional<Vector>& weights,
                           const Matrix<double>& centers, const Vector& gammas, const Vector& revival,
                           double birth);

nb::tuple update_clusters(const nb::tuple& state, const nb::tuple& prior, const nb::tuple& fit,
                          const nb::tuple& costs, const nb::tuple& motion, double now,
                          const std::optional<Column<std::int64_t>>& which);

}  // namespace dynmeans
