// The end of a step as Python sees it: what becomes of the clusters, and which of them may be kin.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "kin.hpp"
#include "lives.hpp"
#include "nearest.hpp"

namespace dynmeans {
namespace {

// out: labels, the id of the slot of every row; with which (n,), of rows each of which is one of those
std::vector<std::int64_t> label_rows(const Column<std::int32_t>& slots,
                                     const std::optional<Column<std::int64_t>>& which,
                                     const LivesBefore& before) {
  std::vector<std::int64_t> labels(slots.shape(0));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t k = slots.data()[i];
    if (k < 0 || k >= before.n_slots)
      throw std::invalid_argument("slots must lie in 0 .. " + std::to_string(before.n_slots - 1) + ", got " +
                                  std::to_string(k));
    labels[i] = k < before.n_old ? before.ids[k] : before.next_id + (k - before.n_old);
  }
  if (!which) return labels;
  std::vector<std::int64_t> every(which->shape(0));
  for (std::size_t i = 0; i < every.size(); ++i) {
    const auto row = std::size_t(which->data()[i]);
    if (row >= labels.size())
      throw std::invalid_argument("which must hold rows below " + std::to_string(labels.size()) + ", got " +
                                  std::to_string(which->data()[i]));
    every[i] = labels[row];
  }
  return every;
}

nb::tuple roll_lives(const Matrix<double>& centers, const Vector& weights, const Matrix<double>& velocities,
                     const Matrix<double>& velocity_cov, const Vector& last_seen,
                     const Column<std::int64_t>& ids, const Vector& gammas, const Column<std::int32_t>& slots,
                     const Matrix<double>& places, const Vector& taken, std::int64_t next_id, double clock,
                     double now, double lifetime, double newborn_velocity_variance,
                     const std::optional<Column<std::int64_t>>& which) {
  const std::size_t n_old = ids.shape(0), n_slots = taken.shape(0), d = centers.shape(1);
  for (const std::size_t lines : {centers.shape(0), weights.shape(0), velocities.shape(0),
                                  velocity_cov.shape(0), last_seen.shape(0), gammas.shape(0)})
    if (lines != n_old) throw std::invalid_argument("a remembered cluster must have a line in every table");
  if (n_slots < n_old || places.shape(0) != n_slots || places.shape(1) != d || velocities.shape(1) != d ||
      velocity_cov.shape(1) != 2)
    throw std::invalid_argument("every slot must have a place, as long as a centre");
  const LivesBefore before{centers.data(),
                           weights.data(),
                           velocities.data(),
                           velocity_cov.data(),
                           last_seen.data(),
                           ids.data(),
                           gammas.data(),
                           places.data(),
                           taken.data(),
                           std::int64_t(n_old),
                           std::int64_t(n_slots),
                           next_id,
                           int(d),
                           clock,
                           now,
                           lifetime,
                           newborn_velocity_variance};
  std::vector<std::int64_t> labels = label_rows(slots, which, before);
  LivesAfter after = Lives(before).run();
  const std::size_t k = after.ids.size(), n = labels.size(), n_active = after.active.size();
  const auto list = [](std::vector<std::int64_t>& who) { return to_numpy(std::move(who), {who.size()}); };
  const nb::tuple memory = nb::make_tuple(
      to_numpy(std::move(after.centers), {k, d}), to_numpy(std::move(after.weights), {k}),
      to_numpy(std::move(after.velocities), {k, d}), to_numpy(std::move(after.velocity_cov), {k, 2}),
      to_numpy(std::move(after.last_seen), {k}), list(after.ids));
  return nb::make_tuple(memory, to_numpy(std::move(labels), {n}), list(after.active),
                        to_numpy(std::move(after.sizes), {n_active}), list(after.born), list(after.revived),
                        list(after.asleep), list(after.died));
}

void check_awake(const Column<std::int64_t>& awake, std::size_t n_old, std::size_t n_slots) {
  for (std::size_t h = 0; h < awake.shape(0); ++h)
    if (std::size_t(awake.data()[h]) >= n_old || n_old > n_slots)
      throw std::invalid_argument("awake must hold remembered slots, got " + std::to_string(awake.data()[h]));
}

HomeRows home_rows(const std::int32_t* homes, const Column<std::int32_t>& slots,
                   const std::optional<Vector>& weights, const Column<std::int64_t>& awake,
                   const Vector& taken, std::int64_t n_old, double part) {
  const std::size_t n = slots.shape(0), n_awake = awake.shape(0), n_slots = taken.shape(0);
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

template <class Space>
nb::tuple kin(const HomeRows& rows, const Space& space) {
  const Families found = KinFinder<Space>(rows, space).run();
  return nb::make_tuple(found.splits, found.mergers);
}

nb::tuple possible_kin(const Column<std::int32_t>& homes, const Column<std::int32_t>& slots,
                       const std::optional<Vector>& weights, const Column<std::int64_t>& awake,
                       const Vector& taken, std::int64_t n_old, double part) {
  if (homes.shape(0) != slots.shape(0)) throw std::invalid_argument("a row must have a home and a slot");
  check_awake(awake, std::size_t(n_old), taken.shape(0));
  return kin(home_rows(homes.data(), slots, weights, awake, taken, n_old, part), Anywhere{});
}

template <class T>
nb::tuple kin_of_rows(const Matrix<T>& X, const Matrix<double>& forecasts, const Column<std::int32_t>& slots,
                      const std::optional<Vector>& weights, const Column<std::int64_t>& awake,
                      const Vector& taken, double part, double around) {
  const std::size_t n = X.shape(0), n_old = forecasts.shape(0), n_awake = awake.shape(0);
  const int d = int(X.shape(1));
  if (slots.shape(0) != n || forecasts.shape(1) != X.shape(1) || n_awake < 1)
    throw std::invalid_argument("a row must have a slot, and a forecast must be as long as a row");
  check_awake(awake, n_old, taken.shape(0));
  std::vector<std::int32_t> homes(n), home_of(taken.shape(0));
  std::vector<double> places;
  for (std::size_t h = 0; h < n_awake; ++h) {
    const double* place = forecasts.data() + awake.data()[h] * d;
    places.insert(places.end(), place, place + d);
    home_of[awake.data()[h]] = std::int32_t(h);
  }
  for (std::size_t i = 0; i < n; ++i)  // most rows are at home in their own cluster
    if (std::size_t(slots.data()[i]) < home_of.size()) homes[i] = home_of[slots.data()[i]];
  nearest_centers(X.data(), Row(n), d, places.data(), int(n_awake), 1, homes.data());
  const HomeRows rows = home_rows(homes.data(), slots, weights, awake, taken, std::int64_t(n_old), part);
  return kin(rows, RowSpace<T>(X.data(), forecasts.data(), d, around, rows));
}

template <class T>
void bind_kin(nb::module_& m) {
  m.def("kin_of_rows", &kin_of_rows<T>, "X"_a.noconvert(), "forecasts"_a, "slots"_a, "weights"_a.none(),
        "awake"_a, "taken"_a, "part"_a, "around"_a, "The same, by distances between rows and forecasts too.");
}

}  // namespace

void bind_lives(nb::module_& m) {
  m.def(
      "roll_lives", &roll_lives, "centers"_a, "weights"_a, "velocities"_a, "velocity_cov"_a, "last_seen"_a,
      "ids"_a, "gammas"_a, "slots"_a, "places"_a, "taken"_a, "next_id"_a, "clock"_a, "now"_a, "lifetime"_a,
      "newborn_velocity_variance"_a, "which"_a = nb::none(),
      "Clusters after a step: ((centers, weights, velocities, velocity_cov, last_seen, ids), labels, active, "
      "sizes, born, revived, asleep, died).");
  m.def(
      "possible_kin", &possible_kin, "homes"_a, "slots"_a, "weights"_a.none(), "awake"_a, "taken"_a,
      "n_old"_a, "part"_a,
      "Splits as [parent slot, newborn slots ...], and mergers as [slot, homes ...], by shared rows alone.");
  bind_kin<float>(m);
  bind_kin<double>(m);
}

}  // namespace dynmeans
