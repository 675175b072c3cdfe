// Python bindings: code_length/. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <optional>

#include "code_length/code_length.hpp"
#include "code_length/forest_code.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

using Cube = ArrayView<double, 3>;

nb::ndarray<nb::numpy, double> code_length(const Matrix<double>& rows, const std::optional<Vector>& weights,
                                           const Column<std::int64_t>& ids, int n_ids,
                                           const Column<std::int64_t>& starts, const Vector& times,
                                           const Matrix<double>& means, const Cube& covs,
                                           const Vector& background, const Vector& floor) {
  std::vector<CodeLength> found;
  {
    nb::gil_scoped_release unlocked;
    const ResultView result{rows.data(),        weights ? weights->data() : nullptr,
                            ids.data(),         starts.data(),
                            times.data(),       int(times.shape(0)),
                            int(rows.shape(1)), n_ids};
    found = StreamCoder(result, {means.data(), covs.data(), background.data(), floor.data()}).run();
  }
  std::vector<double> nats;
  for (const CodeLength& code : found)
    nats.insert(nats.end(), {code.means, code.scatters, code.labels, code.events});
  return to_numpy(std::move(nats), {found.size(), 4});
}

nb::ndarray<nb::numpy, double> forest_code(const Matrix<double>& rows, const Column<std::int64_t>& ids,
                                           int n_ids, const Column<std::int64_t>& starts, const Vector& times,
                                           const Vector& edge_nats, double first_log, double log_step,
                                           const Vector& background, const Matrix<double>& spread,
                                           double min_variance, const Matrix<double>& motions) {
  std::vector<ForestCode> found;
  const std::size_t n_motions = motions.shape(0);
  std::vector<Motion> filters;
  for (const double* motion = motions.data(); filters.size() < n_motions; motion += 4)
    filters.push_back({motion[0], motion[1], motion[2], motion[3]});
  {
    nb::gil_scoped_release unlocked;
    const ResultView result{rows.data(),        nullptr,      ids.data(),
                            starts.data(),      times.data(), int(times.shape(0)),
                            int(rows.shape(1)), n_ids};
    const EdgeTable edge{edge_nats.data(), int(edge_nats.shape(0)), first_log, log_step};
    found = ForestCoder(result, {edge, background.data(), spread.data(), min_variance, filters}).run();
  }
  std::vector<double> nats;
  for (const ForestCode& code : found) {
    nats.insert(nats.end(), {code.edges, code.roots, code.labels, code.events, code.noise});
    nats.insert(nats.end(), code.credit.begin(), code.credit.end());
  }
  return to_numpy(std::move(nats), {found.size(), 5 + n_motions});
}

}  // namespace

void bind_code_length(nb::module_& m) {
  m.def("code_length", &code_length, "rows"_a, "weights"_a.none(), "ids"_a, "n_ids"_a, "starts"_a, "times"_a,
        "means"_a, "covs"_a, "background"_a, "floor"_a,
        "Nats that means, scatters, labels and events take up to each step: (n_steps, 4).");
  m.def("forest_code", &forest_code, "rows"_a, "ids"_a, "n_ids"_a, "starts"_a, "times"_a, "edge_nats"_a,
        "first_log"_a, "log_step"_a, "background"_a, "spread"_a, "min_variance"_a, "motions"_a,
        "Nats that edges, roots, labels, events and noise take up to each step, and log likelihoods of the "
        "roots of known ids under each motion: (n_steps, 5 + n_motions).");
}

}  // namespace dynmeans
