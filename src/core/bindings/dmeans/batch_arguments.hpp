// Arguments that the descents share: bind_dmeans.cpp, bind_sphere.cpp.
#pragma once

#include <optional>
#include <stdexcept>

#include "support/numpy_arrays.hpp"

namespace dynmeans {

// Inconsistent sizes would lead to reads beyond the end of an array.
template <class T>
void check_tables(const Matrix<T>& X, const std::optional<Vector>& weights, const Matrix<double>& centers,
                  const Vector& gammas, const Vector& revival) {
  const std::size_t n_old = gammas.shape(0);
  if (centers.shape(1) != X.shape(1) || centers.shape(0) != n_old || revival.shape(0) != n_old)
    throw std::invalid_argument("an old cluster must have a center as long as a row, a gamma and a revival");
  if (weights && weights->shape(0) != X.shape(0)) throw std::invalid_argument("a row must have a weight");
}

}  // namespace dynmeans
