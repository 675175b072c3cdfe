// Kernel between the rows of a batch as Python passes it: full matrix, sparse matrix or features.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "kernel/feature_centers.hpp"
#include "kernel/kernel_centers.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {

template <class Array>
using Maybe = std::optional<Array>;

struct KernelForm {
  const Maybe<Matrix<double>>&matrix, &features, &phi_features;  // (R, R); (R, f), (K, f)
  const Maybe<Column<std::int64_t>>& begin;                      // compressed sparse rows
  const Maybe<Column<std::int32_t>>& neighbors;
  const Maybe<Vector>& values;
};

// weights, diagonal (R,), y_phi (R, K), phi_phi, gammas, revival (K,): see KernelView
inline KernelView kernel_view(const Vector& weights, const Vector& diagonal, const Matrix<double>& y_phi,
                              const Vector& phi_phi, const Vector& gammas, const Vector& revival) {
  const std::size_t n = weights.shape(0), n_old = gammas.shape(0);
  if (diagonal.shape(0) != n || y_phi.shape(0) != n || y_phi.shape(1) != n_old || phi_phi.shape(0) != n_old ||
      revival.shape(0) != n_old)
    throw std::invalid_argument(
        "weights, diagonal and y_phi must have one line per row, and y_phi, phi_phi, "
        "gammas and revival one entry per old cluster");
  return {weights.data(), diagonal.data(), y_phi.data(), phi_phi.data(),
          gammas.data(),  revival.data(),  Row(n),       int(n_old)};
}

// Calls `use` with the centers of this form, without the GIL.
template <class Use>
auto with_centers(const KernelView& view, const KernelForm& form, Use use) {
  nb::gil_scoped_release unlocked;
  if (form.matrix) return use(DenseCenters(view, form.matrix->data()));
  if (form.features && form.phi_features) {
    const int d = int(form.features->shape(1));
    return use(FeatureCenters(view, form.features->data(), form.phi_features->data(), d));
  }
  if (form.begin && form.neighbors && form.values)
    return use(SparseCenters(view, form.begin->data(), form.neighbors->data(), form.values->data()));
  throw std::invalid_argument("give matrix, or features and phi_features, or begin, neighbors and values");
}

}  // namespace dynmeans
