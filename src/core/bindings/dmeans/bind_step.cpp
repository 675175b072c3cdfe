// Python bindings: a step of D-Means in one call. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include "bindings/dmeans/named_tuple.hpp"
#include "bindings/dmeans/step_parts.hpp"

namespace dynmeans {
namespace {

// prior, costs, search: Prior, Costs and SearchOptions of dynmeans
template <class T>
nb::tuple cluster(const Matrix<T>& X, const std::optional<Vector>& weights, const nb::tuple& prior,
                  const nb::tuple& costs, const nb::tuple& search, std::uint64_t n_steps) {
  const auto centers = field<Matrix<double>>(prior, 0);
  const auto gammas = field<Vector>(prior, 1), revival = field<Vector>(prior, 2);
  const auto birth = field<double>(costs, 0);
  if (field<bool>(search, 5)) return assign_exclusive(X, weights, centers, gammas, revival, birth);
  return descend(X, weights, centers, gammas, revival, birth, field<std::uint64_t>(search, 0), n_steps,
                 field<int>(search, 1), field<int>(search, 2), field<int>(search, 3), field<bool>(search, 4),
                 0);
}

template <class T>
nb::tuple step(const Matrix<T>& X, const std::optional<Vector>& weights, double now, const nb::tuple& state,
               const nb::tuple& costs, const nb::tuple& motion, double aging, const nb::tuple& search) {
  const nb::tuple prior = predict_clusters(state, motion, now, aging);
  const nb::tuple fit = cluster(X, weights, prior, costs, search, field<std::uint64_t>(state, 9));
  return nb::make_tuple(prior, fit, update_clusters(state, prior, fit, costs, motion, now, std::nullopt));
}

template <class T>
void bind_dmeans_step(nb::module_& m) {
  m.def("dmeans_step", &step<T>, "X"_a.noconvert(), "weights"_a.none(), "now"_a, "state"_a, "costs"_a,
        "motion"_a, "aging"_a, "search"_a,
        "A step of D-Means: the results of predict_clusters, of descend or assign_exclusive, and of "
        "update_clusters.");
}

}  // namespace

void bind_step(nb::module_& m) {
  bind_dmeans_step<double>(m);
  bind_dmeans_step<float>(m);
}

}  // namespace dynmeans
