// The rows of a batch, put in order and added up, as Python sees it.
#include <nanobind/stl/optional.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "expansion.hpp"
#include "sorted_rows.hpp"

namespace dynmeans {
namespace {

nb::tuple distinct_rows(const Matrix<double>& X, const std::optional<Vector>& weights) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  SortedRows result;
  {
    nb::gil_scoped_release unlocked;
    result = sort_rows(X.data(), weights ? weights->data() : nullptr, std::int64_t(n), int(d));
  }
  const std::size_t m = result.weights.size();
  return nb::make_tuple(to_numpy(std::move(result.rows), {m, d}), to_numpy(std::move(result.weights), {m}),
                        to_numpy(std::move(result.which), {n}));
}

nb::tuple slot_sums(const Column<std::int64_t>& slots, const Vector& weights, const Matrix<double>& X,
                    std::int64_t n_slots) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  if (slots.shape(0) != n || weights.shape(0) != n)
    throw std::invalid_argument("slots and weights must have one entry a row");
  std::vector<double> taken(n_slots), sums(n_slots * d);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t k = slots.data()[i];
    if (k < 0 || k >= n_slots)
      throw std::invalid_argument("slots must lie in 0 .. " + std::to_string(n_slots - 1) + ", got " +
                                  std::to_string(k));
    const double m = weights.data()[i];
    taken[k] += m;
    for (std::size_t c = 0; c < d; ++c) sums[k * d + c] += m * X.data()[i * d + c];
  }
  return nb::make_tuple(to_numpy(std::move(taken), {std::size_t(n_slots)}),
                        to_numpy(std::move(sums), {std::size_t(n_slots), d}));
}

nb::tuple expand_centers(const Column<std::int64_t>& slots, const Vector& shares, const Vector& weight,
                         const std::optional<Column<std::int64_t>>& places, std::int64_t n_places,
                         std::int64_t budget) {
  const std::size_t n = slots.shape(0);
  if (shares.shape(0) != n || (places && places->shape(0) != n))
    throw std::invalid_argument("shares and places must have one entry a point");
  const Taken taken{slots.data(),    shares.data(),
                    weight.data(),   places ? places->data() : nullptr,
                    std::int64_t(n), std::int64_t(weight.shape(0)),
                    n_places,        budget};
  Expansion found;
  {
    nb::gil_scoped_release unlocked;
    found = expand(taken);
  }
  const std::size_t count = found.points.size();
  return nb::make_tuple(to_numpy(std::move(found.points), {count}), to_numpy(std::move(found.slots), {count}),
                        to_numpy(std::move(found.coefficients), {count}));
}

}  // namespace

void bind_rows(nb::module_& m) {
  m.def("distinct_rows", &distinct_rows, "X"_a, "weights"_a.none(),
        "Distinct rows in lexical order: (rows (m, d), weights (m,), which of them each row is (n,)).");
  m.def("slot_sums", &slot_sums, "slots"_a, "weights"_a, "X"_a, "n_slots"_a,
        "Weight and weighted sum of the rows of every slot: ((n_slots,), (n_slots, d)).");
  m.def("expand_centers", &expand_centers, "slots"_a, "shares"_a, "weight"_a, "places"_a.none(), "n_places"_a,
        "budget"_a,
        "Points of all slots with weight, sorted by slot, and merged by place in slots over the budget: "
        "(points, slots, coefficients).");
}

}  // namespace dynmeans
