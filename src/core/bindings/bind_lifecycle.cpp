// Clusters between two steps as Python sees them.
#include <nanobind/stl/optional.h>

#include <stdexcept>
#include <string>

#include "lifecycle/lifecycle.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

// out: labels, the id of the slot of every row; with which (n,), of rows each of which is one of those
std::vector<std::int64_t> label_rows(const Column<std::int32_t>& slots,
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

// Velocities may have no columns, under a motion that knows none.
Memory memory_of(const Matrix<double>& centers, const Vector& weights, const Matrix<double>& velocities,
                 const Matrix<double>& velocity_cov, const Vector& last_seen, const Motion& motion) {
  const std::size_t k = weights.shape(0), d = centers.shape(1);
  for (const std::size_t lines :
       {centers.shape(0), velocities.shape(0), velocity_cov.shape(0), last_seen.shape(0)})
    if (lines != k) throw std::invalid_argument("a remembered cluster must have a line in every table");
  if ((velocities.shape(1) != 0 && velocities.shape(1) != d) || velocity_cov.shape(1) != 2)
    throw std::invalid_argument("a velocity must be as long as a centre");
  return {centers.data(),
          weights.data(),
          motion.has_velocity() && velocities.shape(1) > 0 ? velocities.data() : nullptr,
          motion.has_velocity() ? velocity_cov.data() : nullptr,
          last_seen.data(),
          std::int64_t(k),
          int(d)};
}

nb::tuple carry_lives(const nb::object& centers, const Vector& weights, const Matrix<double>& velocities,
                      const Matrix<double>& velocity_cov, const Vector& last_seen, double now, double aging,
                      double place_noise, double velocity_noise, double newborn) {
  const Motion motion{place_noise, velocity_noise, newborn};
  const auto places = nb::cast<Matrix<double>>(centers);
  const Memory memory = memory_of(places, weights, velocities, velocity_cov, last_seen, motion);
  Forecast out = predict_prior(memory, now, aging, motion);
  const std::size_t k = weights.shape(0), d = memory.d;
  const nb::object forecasts = memory.velocities ? to_numpy(std::move(out.centers), {k, d}) : centers;
  return nb::make_tuple(forecasts, to_numpy(std::move(out.gammas), {k}),
                        to_numpy(std::move(out.revival), {k}), to_numpy(std::move(out.elapsed), {k}));
}

nb::tuple roll_lives(const Matrix<double>& centers, const Vector& weights, const Matrix<double>& velocities,
                     const Matrix<double>& velocity_cov, const Vector& last_seen,
                     const Column<std::int64_t>& ids, const Matrix<double>& forecasts, const Vector& gammas,
                     const Column<std::int32_t>& slots, const Matrix<double>& places, const Vector& taken,
                     std::int64_t next_id, double clock, double now, double lifetime, double place_noise,
                     double velocity_noise, double newborn,
                     const std::optional<Column<std::int64_t>>& which) {
  const Motion motion{place_noise, velocity_noise, newborn};
  const std::size_t n_old = ids.shape(0), n_slots = taken.shape(0), d = centers.shape(1);
  for (const std::size_t lines : {weights.shape(0), forecasts.shape(0), gammas.shape(0)})
    if (lines != n_old) throw std::invalid_argument("a remembered cluster must have a line in every table");
  if (n_slots < n_old || places.shape(0) != n_slots || places.shape(1) != d || forecasts.shape(1) != d)
    throw std::invalid_argument("every slot must have a place, as long as a centre");
  const LifecycleInput before{memory_of(centers, weights, velocities, velocity_cov, last_seen, motion),
                              ids.data(),
                              forecasts.data(),
                              gammas.data(),
                              places.data(),
                              taken.data(),
                              std::int64_t(n_slots),
                              next_id,
                              clock,
                              now,
                              lifetime,
                              motion};
  std::vector<std::int64_t> labels = label_rows(slots, which, before);
  LifecycleResult after = Lifecycle(before).run();
  const std::size_t k = after.ids.size(), n = labels.size(), n_active = after.active.size();
  const auto list = [](std::vector<std::int64_t>& who) { return to_numpy(std::move(who), {who.size()}); };
  const nb::tuple memory =
      nb::make_tuple(to_numpy(std::move(after.centers), {k, d}), to_numpy(std::move(after.weights), {k}),
                     to_numpy(std::move(after.velocities), {k, motion.has_velocity() ? d : 0}),
                     to_numpy(std::move(after.velocity_cov), {k, 2}),
                     to_numpy(std::move(after.last_seen), {k}), list(after.ids));
  return nb::make_tuple(memory, to_numpy(std::move(labels), {n}), list(after.active),
                        to_numpy(std::move(after.sizes), {n_active}), list(after.born), list(after.revived),
                        list(after.asleep), list(after.died));
}

}  // namespace

void bind_lives(nb::module_& m) {
  m.def("predict_clusters", &carry_lives, "centers"_a, "weights"_a, "velocities"_a, "velocity_cov"_a,
        "last_seen"_a, "now"_a, "aging"_a, "place_noise"_a, "velocity_noise"_a, "newborn"_a,
        "Clusters as a batch meets them: (forecasts, gammas, revival, elapsed).");
  m.def(
      "update_clusters", &roll_lives, "centers"_a, "weights"_a, "velocities"_a, "velocity_cov"_a,
      "last_seen"_a, "ids"_a, "forecasts"_a, "gammas"_a, "slots"_a, "places"_a, "taken"_a, "next_id"_a,
      "clock"_a, "now"_a, "lifetime"_a, "place_noise"_a, "velocity_noise"_a, "newborn"_a,
      "which"_a = nb::none(),
      "Clusters after a step: ((centers, weights, velocities, velocity_cov, last_seen, ids), labels, active, "
      "sizes, born, revived, asleep, died).");
}

}  // namespace dynmeans
