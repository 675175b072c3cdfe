// Python bindings: lifecycle/split_merge_events.hpp. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "dmeans/nearest_centers.hpp"
#include "lifecycle/split_merge_events.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

HomeRows home_rows(const std::int32_t* homes, const Column<std::int32_t>& slots,
                   const std::optional<Vector>& weights, const std::vector<std::int64_t>& awake,
                   const Vector& taken, std::int64_t n_old, double part) {
  const std::size_t n = slots.shape(0), n_awake = awake.size(), n_slots = taken.shape(0);
  if (weights && weights->shape(0) != n) throw std::invalid_argument("a row must have a weight");
  for (std::size_t i = 0; i < n; ++i)
    if (std::size_t(homes[i]) >= n_awake || std::size_t(slots.data()[i]) >= n_slots)
      throw std::invalid_argument("home or slot of row " + std::to_string(i) + " is out of range");
  return {homes,
          slots.data(),
          weights ? weights->data() : nullptr,
          awake.data(),
          taken.data(),
          std::int64_t(n),
          std::int64_t(n_awake),
          n_old,
          std::int64_t(n_slots),
          part};
}

nb::tuple possible_kin(const Column<std::int32_t>& homes, const Column<std::int32_t>& slots,
                       const std::optional<Vector>& weights, const Column<std::int64_t>& awake,
                       const Vector& taken, std::int64_t n_old, double part) {
  if (homes.shape(0) != slots.shape(0)) throw std::invalid_argument("a row must have a home and a slot");
  const std::vector<std::int64_t> parents(awake.data(), awake.data() + awake.shape(0));
  for (const std::int64_t k : parents)
    if (k < 0 || k >= n_old || n_old > std::int64_t(taken.shape(0)))
      throw std::invalid_argument("awake must hold remembered slots, got " + std::to_string(k));
  const HomeRows rows = home_rows(homes.data(), slots, weights, parents, taken, n_old, part);
  const SplitMergeGroups found = SplitMergeFinder<Anywhere>(rows, Anywhere{}).run();
  return nb::make_tuple(found.splits, found.mergers);
}

// Homes of the rows: the nearest of the clusters that were awake.
template <class T>
std::vector<std::int32_t> find_homes(const Matrix<T>& X, const Matrix<double>& forecasts,
                                     const Column<std::int32_t>& slots, std::size_t n_slots,
                                     const std::vector<std::int64_t>& awake) {
  const int d = int(X.shape(1));
  std::vector<std::int32_t> homes(X.shape(0)), home_of(n_slots);
  std::vector<double> places;
  places.reserve(awake.size() * d);
  for (std::size_t h = 0; h < awake.size(); ++h) {
    const double* place = forecasts.data() + awake[h] * d;
    places.insert(places.end(), place, place + d);
    home_of[awake[h]] = std::int32_t(h);
  }
  for (std::size_t i = 0; i < homes.size(); ++i)  // most rows are at home in their own cluster
    if (std::size_t(slots.data()[i]) < n_slots) homes[i] = home_of[slots.data()[i]];
  nearest_centers(X.data(), Row(homes.size()), d, places.data(), int(awake.size()), 1, homes.data());
  return homes;
}

template <class T>
nb::tuple kin_of_rows(const Matrix<T>& X, const Matrix<double>& forecasts, const Column<std::int32_t>& slots,
                      const std::optional<Vector>& weights, const Vector& last_seen, double clock,
                      const Vector& taken, double part, double around) {
  const std::size_t n_old = forecasts.shape(0);
  if (slots.shape(0) != X.shape(0) || forecasts.shape(1) != X.shape(1) || last_seen.shape(0) != n_old ||
      taken.shape(0) < n_old)
    throw std::invalid_argument("a row must have a slot, and a forecast must be as long as a row");
  std::vector<std::int64_t> awake;
  for (std::size_t k = 0; k < n_old; ++k)
    if (last_seen.data()[k] == clock) awake.push_back(std::int64_t(k));
  SplitMergeGroups found;
  if (!awake.empty()) {
    const auto homes = find_homes(X, forecasts, slots, taken.shape(0), awake);
    const auto rows = home_rows(homes.data(), slots, weights, awake, taken, std::int64_t(n_old), part);
    const RowSpace<T> space(X.data(), forecasts.data(), int(X.shape(1)), around, rows);
    found = SplitMergeFinder<RowSpace<T>>(rows, space).run();
  }
  for (Family& merger : found.mergers) {  // the slots of its homes, without its own
    for (std::size_t h = 1; h < merger.size(); ++h) merger[h] = awake[merger[h]];
    merger.erase(std::remove(merger.begin() + 1, merger.end(), merger[0]), merger.end());
  }
  return nb::make_tuple(found.splits, found.mergers);
}

template <class T>
void bind_kin_of_rows(nb::module_& m) {
  m.def("find_split_merge", &kin_of_rows<T>, "X"_a.noconvert(), "forecasts"_a, "slots"_a, "weights"_a.none(),
        "last_seen"_a, "clock"_a, "taken"_a, "part"_a, "around"_a,
        "Splits as [parent slot, newborn slots ...], and mergers as [slot, slots that ended in it ...].");
}

}  // namespace

void bind_kin(nb::module_& m) {
  m.def(
      "split_merge_candidates", &possible_kin, "homes"_a, "slots"_a, "weights"_a.none(), "awake"_a, "taken"_a,
      "n_old"_a, "part"_a,
      "Splits as [parent slot, newborn slots ...], and mergers as [slot, homes ...], by shared rows alone.");
  bind_kin_of_rows<float>(m);
  bind_kin_of_rows<double>(m);
}

}  // namespace dynmeans
