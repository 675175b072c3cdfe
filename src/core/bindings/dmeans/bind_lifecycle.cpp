// Python bindings: lifecycle/lifecycle.hpp. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <stdexcept>
#include <string>

#include "bindings/dmeans/named_tuple.hpp"
#include "bindings/dmeans/step_parts.hpp"
#include "lifecycle/lifecycle.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

// ClusterState, Prior, Fit and Motion of dynmeans._model, as far as these functions use them.
struct ClusterStateFields {
  Matrix<double> centers;       // (K, d)
  Vector weights;               // (K,)
  Matrix<double> velocities;    // (K, d), or (K, 0) without velocities
  Matrix<double> velocity_cov;  // (K, 2)
  Vector last_seen;             // (K,)
  Column<std::int64_t> ids;     // (K,)
  Column<std::int64_t> hits;    // (K,) steps in which each had rows
  std::int64_t next_id;         // smallest unused id
  double clock;                 // event time of the last step
  std::int64_t n_steps;         // so far

  explicit ClusterStateFields(const nb::tuple& state)
      : centers(field<Matrix<double>>(state, 0)),
        weights(field<Vector>(state, 1)),
        velocities(field<Matrix<double>>(state, 2)),
        velocity_cov(field<Matrix<double>>(state, 3)),
        last_seen(field<Vector>(state, 4)),
        ids(field<Column<std::int64_t>>(state, 5)),
        hits(field<Column<std::int64_t>>(state, 6)),
        next_id(field<std::int64_t>(state, 7)),
        clock(field<double>(state, 8)),
        n_steps(field<std::int64_t>(state, 9)) {}
};

struct PriorFields {
  Matrix<double> centers;  // (K, d) predicted positions
  Vector gammas;           // gamma (K,)
  Vector revival;          // Q dt (K,)

  explicit PriorFields(const nb::tuple& prior)
      : centers(field<Matrix<double>>(prior, 0)),
        gammas(field<Vector>(prior, 1)),
        revival(field<Vector>(prior, 2)) {}
};

struct FitFields {
  nb::object slots;        // (n,) cluster of every row
  Matrix<double> centers;  // theta (L, d)
  Vector slot_weights;     // n (L,) weight of the rows of each cluster
  nb::object cost, n_iter, restart_costs;

  explicit FitFields(const nb::tuple& fit)
      : slots(field<nb::object>(fit, 0)),
        centers(field<Matrix<double>>(fit, 1)),
        slot_weights(field<Vector>(fit, 2)),
        cost(field<nb::object>(fit, 3)),
        n_iter(field<nb::object>(fit, 4)),
        restart_costs(field<nb::object>(fit, 5)) {}
};

struct CostFields {
  double birth, lifetime;  // lambda, T_Q

  explicit CostFields(const nb::tuple& costs)
      : birth(field<double>(costs, 0)), lifetime(field<double>(costs, 1)) {}
};

Motion motion_of(const nb::tuple& motion) {
  return {.position = field<double>(motion, 0),
          .velocity = field<double>(motion, 1),
          .newborn = field<double>(motion, 2),
          .limit = field<double>(motion, 3)};
}

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

// The same for slots of any type: those of a large batch have two bytes.
std::vector<std::int64_t> label_rows(const nb::object& slots,
                                     const std::optional<Column<std::int64_t>>& which,
                                     const LifecycleInput& before) {
  Column<std::int32_t> wide;
  if (nb::try_cast(slots, wide, false)) return label_rows(wide, which, before);
  Column<std::uint16_t> narrow;
  if (nb::try_cast(slots, narrow, false)) return label_rows(narrow, which, before);
  return label_rows(nb::cast<Column<std::int32_t>>(slots), which, before);
}

Memory memory_of(const ClusterStateFields& state, const Motion& motion) {
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

}  // namespace

nb::tuple predict_clusters(const nb::tuple& state, const nb::tuple& motion_fields, double now, double aging) {
  const ClusterStateFields before(state);
  const Motion motion = motion_of(motion_fields);
  const Memory memory = memory_of(before, motion);
  PredictedClusters out = predict_prior(memory, now, aging, motion);
  const std::size_t k = before.weights.shape(0), d = memory.d;
  const nb::object forecasts =
      memory.velocities ? to_numpy(std::move(out.centers), {k, d}) : nb::object(state[0]);
  return nb::make_tuple(forecasts, to_numpy(std::move(out.gammas), {k}),
                        to_numpy(std::move(out.revival), {k}), to_numpy(std::move(out.elapsed), {k}),
                        to_numpy(std::move(out.variances), {k}));
}

namespace {

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::birth:
      return "birth";
    case EventKind::revival:
      return "revival";
    case EventKind::sleep:
      return "sleep";
    default:
      return "death";
  }
}

nb::list events_to_python(const std::vector<LifecycleEvent>& events, std::int64_t step) {
  nb::list out;
  for (const LifecycleEvent& event : events)
    out.append(nb::make_tuple(name_of(event.kind), event.id, step, event.time, event.cost));
  return out;
}

// The state, the report and the events as Python unpacks them; see the docstring of update_clusters.
nb::tuple to_python(LifecycleResult after, std::vector<std::int64_t> labels, const LifecycleInput& before,
                    const FitFields& fit, std::int64_t step) {
  const std::size_t k = after.ids.size(), n = labels.size(), n_active = after.active.size(),
                    d = std::size_t(before.memory.d), n_velocities = before.motion.has_velocity() ? d : 0;
  const auto list = [](std::vector<std::int64_t>& ids) { return to_numpy(std::move(ids), {ids.size()}); };
  const auto next_id = before.next_id + std::int64_t(after.born.size());
  const nb::tuple state = nb::make_tuple(
      to_numpy(std::move(after.centers), {k, d}), to_numpy(std::move(after.weights), {k}),
      to_numpy(std::move(after.velocities), {k, n_velocities}),
      to_numpy(std::move(after.velocity_cov), {k, 2}), to_numpy(std::move(after.last_seen), {k}),
      list(after.ids), list(after.hits), next_id, before.now, step);
  const nb::tuple report = nb::make_tuple(
      step, before.now, to_numpy(std::move(labels), {n}), fit.cost, fit.n_iter, fit.restart_costs,
      list(after.active), to_numpy(std::move(after.sizes), {n_active}), list(after.born), list(after.revived),
      list(after.asleep), list(after.died), before.birth);
  return nb::make_tuple(state, report, events_to_python(after.events, step));
}

}  // namespace

nb::tuple update_clusters(
    const nb::tuple& state, const nb::tuple& prior, const nb::tuple& fit,  // before, predicted, clustered
    const nb::tuple& cost_fields,                                          // of the step
    const nb::tuple& motion_fields,                                        // scaled by the drift
    double now,                                                            // event time of the step
    const std::optional<Column<std::int64_t>>& which  // (m,) rows that get a label; all by default
) {
  const Motion motion = motion_of(motion_fields);
  const CostFields costs(cost_fields);
  const ClusterStateFields old(state);
  const PriorFields predicted(prior);
  const FitFields fitted(fit);
  const std::size_t n_old = old.ids.shape(0), n_slots = fitted.slot_weights.shape(0),
                    d = old.centers.shape(1);
  for (const std::size_t lines : {old.weights.shape(0), old.hits.shape(0), predicted.centers.shape(0),
                                  predicted.gammas.shape(0), predicted.revival.shape(0)})
    if (lines != n_old) throw std::invalid_argument("a remembered cluster must have a line in every table");
  if (n_slots < n_old || fitted.centers.shape(0) != n_slots || fitted.centers.shape(1) != d ||
      predicted.centers.shape(1) != d)
    throw std::invalid_argument("every slot must have a position, as long as a center");
  const LifecycleInput before{.memory = memory_of(old, motion),
                              .ids = old.ids.data(),
                              .hits = old.hits.data(),
                              .forecasts = predicted.centers.data(),
                              .gammas = predicted.gammas.data(),
                              .revival = predicted.revival.data(),
                              .positions = fitted.centers.data(),
                              .slot_weights = fitted.slot_weights.data(),
                              .n_slots = std::int64_t(n_slots),
                              .next_id = old.next_id,
                              .clock = old.clock,
                              .now = now,
                              .birth = costs.birth,
                              .lifetime = costs.lifetime,
                              .motion = motion};
  std::vector<std::int64_t> labels = label_rows(fitted.slots, which, before);
  return to_python(Lifecycle(before).run(), std::move(labels), before, fitted, old.n_steps + 1);
}

void bind_lifecycle(nb::module_& m) {
  m.def("predict_clusters", &predict_clusters, "state"_a, "motion"_a, "now"_a, "aging"_a,
        "Predict the clusters to the time of a batch: (forecasts, gammas, revival, elapsed, variances).");
  m.def("update_clusters", &update_clusters, "state"_a, "prior"_a, "fit"_a, "costs"_a, "motion"_a, "now"_a,
        "which"_a = nb::none(),
        "Update the clusters after a step: (fields of the next ClusterState, fields of the StepReport up to "
        "birth_cost, fields of the Events up to cost).");
}

}  // namespace dynmeans
