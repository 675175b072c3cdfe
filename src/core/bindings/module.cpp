// The compiled module dynmeans._core: one binding file per group of algorithms.
//
//   dmeans/       steps of D-Means in the plane and on the sphere, lifecycle of the clusters, warnings
//   chunks/       D-Means on a batch whose rows are on several machines
//   kernel/       KD-Means, SD-Means and their kernels
//   state_files/  arrays of state files: reading, writing and checks
//   here          validation of rows, code lengths, samplers of the baselines, colors of images
#include <nanobind/nanobind.h>

#include "simd/simd_kernels.hpp"

namespace dynmeans {

void bind_dmeans(nanobind::module_& m);
void bind_step(nanobind::module_& m);
void bind_kdmeans(nanobind::module_& m);
void bind_mst(nanobind::module_& m);
void bind_align(nanobind::module_& m);
void bind_colors(nanobind::module_& m);
void bind_samplers(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_row_checks(nanobind::module_& m);
void bind_code_length(nanobind::module_& m);
void bind_sdmeans(nanobind::module_& m);
void bind_lifecycle(nanobind::module_& m);
void bind_state_checks(nanobind::module_& m);
void bind_split_merge_events(nanobind::module_& m);
void bind_sphere(nanobind::module_& m);
void bind_batch_scale(nanobind::module_& m);
void bind_chunks(nanobind::module_& m);
void bind_descent_driver(nanobind::module_& m);
void bind_deduplicate(nanobind::module_& m);
void bind_sums(nanobind::module_& m);
void bind_records(nanobind::module_& m);
void bind_result_checks(nanobind::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "Compiled loops of dynmeans.";
  bind_dmeans(m);
  bind_step(m);
  bind_kdmeans(m);
  bind_mst(m);
  bind_align(m);
  bind_colors(m);
  bind_samplers(m);
  bind_kernels(m);
  bind_rows(m);
  bind_row_checks(m);
  bind_code_length(m);
  bind_sdmeans(m);
  bind_lifecycle(m);
  bind_state_checks(m);
  bind_split_merge_events(m);
  bind_sphere(m);
  bind_batch_scale(m);
  bind_chunks(m);
  bind_descent_driver(m);
  bind_deduplicate(m);
  bind_sums(m);
  bind_records(m);
  bind_result_checks(m);
  m.def("simd_level", [] { return lanes().name; }, "Name of the vector instructions in use.");
}

}  // namespace dynmeans
