// Python bindings: unique rows, cluster means and center expansions. The arguments are documented in
// _core.pyi.
#include <nanobind/stl/optional.h>

#include <stdexcept>
#include <string>

#include "kernel/center_expansion.hpp"
#include "kernel/cluster_means.hpp"
#include "kernel/unique_rows.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

nb::tuple distinct_rows(const Matrix<double>& X, const std::optional<Vector>& weights) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  UniqueRows result;
  {
    nb::gil_scoped_release unlocked;
    result = UniqueRowSorter(X.data(), weights ? weights->data() : nullptr, std::int64_t(n), int(d)).run();
  }
  const std::size_t m = result.weights.size();
  return nb::make_tuple(to_numpy(std::move(result.rows), {m, d}), to_numpy(std::move(result.weights), {m}),
                        to_numpy(std::move(result.which), {n}));
}

nb::tuple slot_means(const Column<std::int64_t>& slots, const Vector& weights, const Matrix<double>& X,
                     const Matrix<double>& centers, const Vector& gammas) {
  const std::size_t n = X.shape(0), d = X.shape(1), n_old = gammas.shape(0);
  if (slots.shape(0) != n || weights.shape(0) != n)
    throw std::invalid_argument("slots and weights must have one entry per row");
  if (centers.shape(0) != n_old || centers.shape(1) != d)
    throw std::invalid_argument("centers must have one line per old cluster, as long as a row");
  for (std::size_t i = 0; i < n; ++i)
    if (slots.data()[i] < 0 || slots.data()[i] >= std::int64_t(n + n_old))
      throw std::invalid_argument("slots must lie in 0 .. " + std::to_string(n + n_old - 1) + ", got " +
                                  std::to_string(slots.data()[i]));
  SlotMeans found = ClusterMeans({slots.data(), weights.data(), X.data(), centers.data(), gammas.data(),
                                  std::int64_t(n), std::int64_t(n_old), int(d)})
                        .run();
  const std::size_t n_slots = found.slot_weights.size();
  return nb::make_tuple(to_numpy(std::move(found.slots), {n}),
                        to_numpy(std::move(found.centers), {n_slots, d}),
                        to_numpy(std::move(found.slot_weights), {n_slots}));
}

nb::tuple expand_centers(const Matrix<double>& kept, const Matrix<double>& rows, const Matrix<double>& asleep,
                         const Column<std::int64_t>& ids, const Column<std::int64_t>& owner,
                         const Vector& coefficients, const Column<std::int32_t>& slots, const Vector& weights,
                         const Vector& gammas, const Vector& slot_weights,
                         const std::optional<Column<std::int64_t>>& positions, std::int64_t n_positions,
                         std::int64_t budget) {
  const std::size_t n_kept = owner.shape(0), n_rows = slots.shape(0), d = rows.shape(1);
  if (coefficients.shape(0) != n_kept || weights.shape(0) != n_rows || ids.shape(0) != slot_weights.shape(0))
    throw std::invalid_argument("a support point must have a coefficient, a row a weight, and a slot an id");
  if (kept.shape(0) != n_kept || asleep.shape(0) != n_kept || rows.shape(0) != n_rows || kept.shape(1) != d ||
      asleep.shape(1) != d)
    throw std::invalid_argument("support points and rows must have one line each, all of the same length");
  if (positions && positions->shape(0) != n_kept + n_rows)
    throw std::invalid_argument("positions must have one entry per point");
  const ExpansionInput input{owner.data(),
                             coefficients.data(),
                             slots.data(),
                             weights.data(),
                             gammas.data(),
                             slot_weights.data(),
                             positions ? positions->data() : nullptr,
                             kept.data(),
                             rows.data(),
                             asleep.data(),
                             ids.data(),
                             std::int64_t(n_kept),
                             std::int64_t(n_rows),
                             std::int64_t(gammas.shape(0)),
                             std::int64_t(slot_weights.shape(0)),
                             n_positions,
                             int(d),
                             budget};
  Expansion found;
  {
    nb::gil_scoped_release unlocked;
    found = CenterExpander(input).run();
  }
  const std::size_t count = found.points.size(), n_over_budget = found.over_budget.size();
  return nb::make_tuple(
      to_numpy(std::move(found.points), {count}), to_numpy(std::move(found.rows), {count, d}),
      to_numpy(std::move(found.coefficients), {count}), to_numpy(std::move(found.ids), {count}),
      to_numpy(std::move(found.begin), {slot_weights.shape(0) + 1}),
      to_numpy(std::move(found.over_budget), {n_over_budget}));
}

}  // namespace

void bind_rows(nb::module_& m) {
  m.def("unique_rows", &distinct_rows, "X"_a, "weights"_a.none(),
        "Distinct rows in lexical order: (rows (m, d), weights (m,), which of them each row is (n,)).");
  m.def("cluster_means", &slot_means, "slots"_a, "weights"_a, "X"_a, "centers"_a, "gammas"_a,
        "Clusters with the newborn in order, their centers, and the weight of their rows.");
  m.def("expand_centers", &expand_centers, "kept"_a, "rows"_a, "asleep"_a, "ids"_a, "owner"_a,
        "coefficients"_a, "slots"_a, "weights"_a, "gammas"_a, "slot_weights"_a, "positions"_a.none(),
        "n_positions"_a, "budget"_a,
        "Points of all slots, sorted by slot, and merged by position in slots over the budget: "
        "(points, rows, coefficients, ids, begin, over_budget).");
}

}  // namespace dynmeans
