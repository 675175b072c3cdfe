// Python bindings: lifecycle/split_merge_events.hpp. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "dmeans/assignment/nearest_centers.hpp"
#include "lifecycle/split_merge_events.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

// Checks the arrays and returns a view of them; arguments as in find_split_merge, parents (n,).
ParentRows parent_rows(const std::int32_t* parents, const Column<std::int32_t>& slots,
                       const std::optional<Vector>& weights, const std::vector<std::int64_t>& active,
                       const Vector& slot_weights, std::int64_t n_old, double min_share) {
  const std::size_t n = slots.shape(0), n_active = active.size(), n_slots = slot_weights.shape(0);
  if (weights && weights->shape(0) != n) throw std::invalid_argument("a row must have a weight");
  for (std::size_t i = 0; i < n; ++i)
    if (std::size_t(parents[i]) >= n_active || std::size_t(slots.data()[i]) >= n_slots)
      throw std::invalid_argument("parent or slot of row " + std::to_string(i) + " is out of range");
  return {parents,
          slots.data(),
          weights ? weights->data() : nullptr,
          active.data(),
          slot_weights.data(),
          std::int64_t(n),
          std::int64_t(n_active),
          n_old,
          std::int64_t(n_slots),
          min_share};
}

nb::tuple split_merge_candidates(const Column<std::int32_t>& parents, const Column<std::int32_t>& slots,
                                 const std::optional<Vector>& weights, const Column<std::int64_t>& active,
                                 const Vector& slot_weights, std::int64_t n_old, double min_share) {
  if (parents.shape(0) != slots.shape(0)) throw std::invalid_argument("a row must have a parent and a slot");
  const std::vector<std::int64_t> active_slots(active.data(), active.data() + active.shape(0));
  for (const std::int64_t k : active_slots)
    if (k < 0 || k >= n_old || n_old > std::int64_t(slot_weights.shape(0)))
      throw std::invalid_argument("active must hold remembered slots, got " + std::to_string(k));
  const ParentRows rows =
      parent_rows(parents.data(), slots, weights, active_slots, slot_weights, n_old, min_share);
  const SplitMergeGroups found = SplitMergeFinder<AcceptAll>(rows, AcceptAll{}).run();
  return nb::make_tuple(found.splits, found.merges);
}

// Parents of the rows: the nearest of the clusters that were active.
template <class T>
std::vector<std::int32_t> find_parents(const Matrix<T>& X, const Matrix<double>& forecasts,
                                       const Column<std::int32_t>& slots, std::size_t n_slots,
                                       const std::vector<std::int64_t>& active) {
  const int d = int(X.shape(1));
  std::vector<std::int32_t> parents(X.shape(0)), index_of(n_slots);
  std::vector<double> positions;
  positions.reserve(active.size() * d);
  for (std::size_t h = 0; h < active.size(); ++h) {
    const double* position = forecasts.data() + active[h] * d;
    positions.insert(positions.end(), position, position + d);
    index_of[active[h]] = std::int32_t(h);
  }
  for (std::size_t i = 0; i < parents.size(); ++i)  // initial estimate: the slot of the row
    if (std::size_t(slots.data()[i]) < n_slots) parents[i] = index_of[slots.data()[i]];
  nearest_from_estimates(X.data(), Row(parents.size()), d, positions.data(), int(active.size()),
                         parents.data());
  return parents;
}

template <class T>
nb::tuple find_split_merge(const Matrix<T>& X, const Matrix<double>& forecasts,
                           const Column<std::int32_t>& slots, const std::optional<Vector>& weights,
                           const Vector& last_seen, double clock, const Vector& slot_weights,
                           double min_share, double max_ratio) {
  const std::size_t n_old = forecasts.shape(0);
  if (slots.shape(0) != X.shape(0) || forecasts.shape(1) != X.shape(1) || last_seen.shape(0) != n_old ||
      slot_weights.shape(0) < n_old)
    throw std::invalid_argument("a row must have a slot, and a forecast must be as long as a row");
  std::vector<std::int64_t> active;
  for (std::size_t k = 0; k < n_old; ++k)
    if (last_seen.data()[k] == clock) active.push_back(std::int64_t(k));
  SplitMergeGroups found;
  if (!active.empty()) {
    const auto parents = find_parents(X, forecasts, slots, slot_weights.shape(0), active);
    const auto rows =
        parent_rows(parents.data(), slots, weights, active, slot_weights, std::int64_t(n_old), min_share);
    const RowSpace<T> space(X.data(), forecasts.data(), int(X.shape(1)), max_ratio, rows);
    found = SplitMergeFinder<RowSpace<T>>(rows, space).run();
  }
  for (SlotGroup& merge : found.merges) {  // the slots of its parents, without its own
    for (std::size_t h = 1; h < merge.size(); ++h) merge[h] = active[merge[h]];
    merge.erase(std::remove(merge.begin() + 1, merge.end(), merge[0]), merge.end());
  }
  return nb::make_tuple(found.splits, found.merges);
}

template <class T>
void bind_find_split_merge(nb::module_& m) {
  m.def("find_split_merge", &find_split_merge<T>, "X"_a.noconvert(), "forecasts"_a, "slots"_a,
        "weights"_a.none(), "last_seen"_a, "clock"_a, "slot_weights"_a, "min_share"_a, "max_ratio"_a,
        "Splits as [parent slot, newborn slots ...], and merges as [slot, slots that ended in it ...].");
}

}  // namespace

void bind_split_merge_events(nb::module_& m) {
  m.def(
      "split_merge_candidates", &split_merge_candidates, "parents"_a, "slots"_a, "weights"_a.none(),
      "active"_a, "slot_weights"_a, "n_old"_a, "min_share"_a,
      "Splits as [parent slot, newborn slots ...], and merges as [slot, parents ...], by shared rows alone.");
  bind_find_split_merge<float>(m);
  bind_find_split_merge<double>(m);
}

}  // namespace dynmeans
