// Python bindings: lifecycle/lifecycle.hpp. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <stdexcept>
#include <string>

#include "lifecycle/lifecycle.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

// out: labels, the id of the slot of every row; with which (n,), of rows each of which is one of those
template <class Slot>
std::vector<std::int64_t> label_rows(const Column<Slot>& slots,
                                     const std::optional<Column<std::int64_t>>& which,
                                     const LifecycleInput& before) {
  std::vector<std::int64_t> labels(slots.shape(0));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t k = slots.data()[i];
    if (k < 0 || k >= before.n_slots)
      throw std::invalid_argument("slots must lie in 0 .. " + std::to_string(before.n_slots - 1) + ", got " +
                                  std::to_string(k));
    labels[i] = k < before.memory.n_old ? before.ids[k] : before.next_id + (k - before.memory.n_old);
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

// The columns of ClusterState as NumPy arrays, one line per remembered cluster.
struct StateArrays {
  const Matrix<double>& centers;       // (K, d)
  const Vector& weights;               // (K,)
  const Matrix<double>& velocities;    // (K, d), or (K, 0) without velocities
  const Matrix<double>& velocity_cov;  // (K, 2)
  const Vector& last_seen;             // (K,)
};

Memory memory_of(const StateArrays& state, const Motion& motion) {
  const std::size_t k = state.weights.shape(0), d = state.centers.shape(1);
  for (const std::size_t lines : {state.centers.shape(0), state.velocities.shape(0),
                                  state.velocity_cov.shape(0), state.last_seen.shape(0)})
    if (lines != k) throw std::invalid_argument("a remembered cluster must have a line in every table");
  const std::size_t n_velocities = state.velocities.shape(1);
  if ((n_velocities != 0 && n_velocities != d) || state.velocity_cov.shape(1) != 2)
    throw std::invalid_argument("a velocity must be as long as a center");
  const bool moves = motion.has_velocity();
  return {.centers = state.centers.data(),
          .weights = state.weights.data(),
          .velocities = moves && n_velocities > 0 ? state.velocities.data() : nullptr,
          .velocity_cov = moves ? state.velocity_cov.data() : nullptr,
          .last_seen = state.last_seen.data(),
          .n_old = std::int64_t(k),
          .d = int(d)};
}

nb::tuple predict_clusters(const nb::object& centers,                           // phi (K, d)
                           const Vector& weights,                               // w (K,)
                           const Matrix<double>& velocities,                    // (K, d) or (K, 0)
                           const Matrix<double>& velocity_cov,                  // (K, 2)
                           const Vector& last_seen,                             // (K,) event times
                           double now,                                          // event time of the batch
                           double aging,                                        // Q
                           double position_noise,                               // tau
                           double velocity_noise, double newborn, double limit  // as in Motion
) {
  const Motion motion{
      .position = position_noise, .velocity = velocity_noise, .newborn = newborn, .limit = limit};
  const auto center_rows = nb::cast<Matrix<double>>(centers);
  const Memory memory = memory_of({center_rows, weights, velocities, velocity_cov, last_seen}, motion);
  PredictedClusters out = predict_prior(memory, now, aging, motion);
  const std::size_t k = weights.shape(0), d = memory.d;
  const nb::object forecasts = memory.velocities ? to_numpy(std::move(out.centers), {k, d}) : centers;
  return nb::make_tuple(forecasts, to_numpy(std::move(out.gammas), {k}),
                        to_numpy(std::move(out.revival), {k}), to_numpy(std::move(out.elapsed), {k}),
                        to_numpy(std::move(out.variances), {k}));
}

// The result as Python unpacks it; see the docstring of update_clusters.
nb::tuple to_python(LifecycleResult after, std::vector<std::int64_t> labels, int d, const Motion& motion) {
  const std::size_t k = after.ids.size(), n = labels.size(), n_active = after.active.size();
  const auto list = [](std::vector<std::int64_t>& ids) { return to_numpy(std::move(ids), {ids.size()}); };
  const nb::tuple state = nb::make_tuple(
      to_numpy(std::move(after.centers), {k, std::size_t(d)}), to_numpy(std::move(after.weights), {k}),
      to_numpy(std::move(after.velocities), {k, motion.has_velocity() ? std::size_t(d) : 0}),
      to_numpy(std::move(after.velocity_cov), {k, 2}), to_numpy(std::move(after.last_seen), {k}),
      list(after.ids), list(after.hits));
  return nb::make_tuple(state, to_numpy(std::move(labels), {n}), list(after.active),
                        to_numpy(std::move(after.sizes), {n_active}), list(after.born), list(after.revived),
                        list(after.asleep), list(after.died));
}

// Slot: the type of the slots, which is that of the result of a descent
template <class Slot>
nb::tuple update_clusters(
    const Matrix<double>& centers, const Vector& weights, const Matrix<double>& velocities,
    const Matrix<double>& velocity_cov, const Vector& last_seen,  // as in StateArrays
    const Column<std::int64_t>& ids,                              // (K,)
    const Column<std::int64_t>& hits,                             // (K,) steps in which each had rows
    const Matrix<double>& forecasts,                              // (K, d) predicted positions
    const Vector& gammas,                                         // gamma (K,)
    const Column<Slot>& slots,                                    // (n,) cluster of every row
    const Matrix<double>& positions,                              // theta (L, d)
    const Vector& slot_weights,                                   // n (L,) weight of the rows of each cluster
    std::int64_t next_id,                                         // smallest unused id
    double clock, double now,  // event times of the last step and of this one
    double lifetime,           // T_Q
    double position_noise, double velocity_noise, double newborn, double limit,  // as in Motion
    const std::optional<Column<std::int64_t>>& which  // (m,) rows that get a label; all by default
) {
  const Motion motion{
      .position = position_noise, .velocity = velocity_noise, .newborn = newborn, .limit = limit};
  const std::size_t n_old = ids.shape(0), n_slots = slot_weights.shape(0), d = centers.shape(1);
  for (const std::size_t lines : {weights.shape(0), hits.shape(0), forecasts.shape(0), gammas.shape(0)})
    if (lines != n_old) throw std::invalid_argument("a remembered cluster must have a line in every table");
  if (n_slots < n_old || positions.shape(0) != n_slots || positions.shape(1) != d || forecasts.shape(1) != d)
    throw std::invalid_argument("every slot must have a position, as long as a center");
  const LifecycleInput before{
      .memory = memory_of({centers, weights, velocities, velocity_cov, last_seen}, motion),
      .ids = ids.data(),
      .hits = hits.data(),
      .forecasts = forecasts.data(),
      .gammas = gammas.data(),
      .positions = positions.data(),
      .slot_weights = slot_weights.data(),
      .n_slots = std::int64_t(n_slots),
      .next_id = next_id,
      .clock = clock,
      .now = now,
      .lifetime = lifetime,
      .motion = motion};
  std::vector<std::int64_t> labels = label_rows(slots, which, before);
  return to_python(Lifecycle(before).run(), std::move(labels), int(d), motion);
}

template <class Slot>
void bind_update(nb::module_& m) {
  m.def("update_clusters", &update_clusters<Slot>, "centers"_a, "weights"_a, "velocities"_a, "velocity_cov"_a,
        "last_seen"_a, "ids"_a, "hits"_a, "forecasts"_a, "gammas"_a, "slots"_a, "positions"_a,
        "slot_weights"_a, "next_id"_a, "clock"_a, "now"_a, "lifetime"_a, "position_noise"_a,
        "velocity_noise"_a, "newborn"_a, "limit"_a, "which"_a = nb::none(),
        "Update the clusters after a step: ((centers, weights, velocities, velocity_cov, last_seen, ids, "
        "hits), "
        "labels, active, "
        "sizes, born, revived, asleep, died).");
}

}  // namespace

void bind_lifecycle(nb::module_& m) {
  m.def("predict_clusters", &predict_clusters, "centers"_a, "weights"_a, "velocities"_a, "velocity_cov"_a,
        "last_seen"_a, "now"_a, "aging"_a, "position_noise"_a, "velocity_noise"_a, "newborn"_a, "limit"_a,
        "Predict the clusters to the time of a batch: (forecasts, gammas, revival, elapsed).");
  bind_update<std::int32_t>(m);
  bind_update<std::uint16_t>(m);
}

}  // namespace dynmeans
