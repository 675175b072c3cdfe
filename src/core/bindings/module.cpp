// The compiled module dynmeans._core: one binding file per group of algorithms.
#include <nanobind/nanobind.h>

#include "simd/simd_kernels.hpp"

namespace dynmeans {

void bind_descent(nanobind::module_& m);
void bind_kernel_descent(nanobind::module_& m);
void bind_spanning_tree(nanobind::module_& m);
void bind_align(nanobind::module_& m);
void bind_colors(nanobind::module_& m);
void bind_chain(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_code_length(nanobind::module_& m);
void bind_spectral(nanobind::module_& m);
void bind_lives(nanobind::module_& m);
void bind_kin(nanobind::module_& m);
void bind_sphere(nanobind::module_& m);
void bind_batch_scale(nanobind::module_& m);
void bind_chunks(nanobind::module_& m);
void bind_sums(nanobind::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "The loops of dynmeans.";
  bind_descent(m);
  bind_kernel_descent(m);
  bind_spanning_tree(m);
  bind_align(m);
  bind_colors(m);
  bind_chain(m);
  bind_kernels(m);
  bind_rows(m);
  bind_code_length(m);
  bind_spectral(m);
  bind_lives(m);
  bind_kin(m);
  bind_sphere(m);
  bind_batch_scale(m);
  bind_chunks(m);
  bind_sums(m);
  m.def("simd_level", [] { return lanes().name; }, "Which set of vector instructions is in use.");
}

}  // namespace dynmeans
