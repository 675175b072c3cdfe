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
  CodeLength found;
  {
    nb::gil_scoped_release unlocked;
    const ResultView result{rows.data(),        weights ? weights->data() : nullptr,
                            ids.data(),         starts.data(),
                            times.data(),       int(times.shape(0)),
                            int(rows.shape(1)), n_ids};
    found = StreamCoder(result, {means.data(), covs.data(), background.data(), floor.data()}).run();
  }
  return to_numpy(std::vector<double>{found.means, found.scatters, found.labels, found.events}, {4});
}

nb::ndarray<nb::numpy, double> forest_code(const Matrix<double>& rows, const Column<std::int64_t>& ids,
                                           int n_ids, const Column<std::int64_t>& starts, const Vector& times,
                                           const Vector& edge_nats, double first_log, double log_step,
                                           const Vector& background, const Matrix<double>& spread,
                                           double min_variance) {
  ForestCode found;
  {
    nb::gil_scoped_release unlocked;
    const ResultView result{rows.data(),        nullptr,      ids.data(),
                            starts.data(),      times.data(), int(times.shape(0)),
                            int(rows.shape(1)), n_ids};
    const EdgeTable edge{edge_nats.data(), int(edge_nats.shape(0)), first_log, log_step};
    found = ForestCoder(result, {edge, background.data(), spread.data(), min_variance}).run();
  }
  return to_numpy(std::vector<double>{found.edges, found.roots, found.labels, found.events, found.noise,
                                      found.lead_of_velocity},
                  {6});
}

}  // namespace

void bind_code_length(nb::module_& m) {
  m.def("code_length", &code_length, "rows"_a, "weights"_a.none(), "ids"_a, "n_ids"_a, "starts"_a, "times"_a,
        "means"_a, "covs"_a, "background"_a, "floor"_a,
        "Nats that means, scatters, labels and events of a clustered stream take: (4,).");
  m.def("forest_code", &forest_code, "rows"_a, "ids"_a, "n_ids"_a, "starts"_a, "times"_a, "edge_nats"_a,
        "first_log"_a, "log_step"_a, "background"_a, "spread"_a, "min_variance"_a,
        "Nats that edges, roots, labels, events and noise take, and lead of forecasts with displacement: "
        "(6,).");
}

}  // namespace dynmeans
