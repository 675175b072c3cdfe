// Cluster lifecycle of D-Means (Campbell, Kulis and How 2019): predict the remembered clusters to the current
// time; after a step, update, retire and log them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lifecycle/kalman_motion.hpp"

namespace dynmeans {

// K remembered clusters.
struct Memory {
  const double *centers, *weights;          // phi (K, d), w (K,)
  const double *velocities, *velocity_cov;  // (K, d); (K, 2)  covariance with the position, variance; or null
  const double* last_seen;                  // (K,)
  std::int64_t n_old;
  int d;

  double velocity(std::int64_t k, int j) const { return velocities ? velocities[k * d + j] : 0.0; }
  Covariance covariance(std::int64_t k) const {
    if (!velocity_cov) return {1 / weights[k], 0, 0};
    return {1 / weights[k], velocity_cov[2 * k], velocity_cov[2 * k + 1]};
  }
};

struct PredictedClusters {
  std::vector<double> centers;                   // (K, d), or empty for those of the memory
  std::vector<double> gammas, revival, elapsed;  // (K,)
  std::vector<double> variances;                 // (K,)  of the predicted position
};

// Eq. (gammaupdate): gamma = 1 / (1/w + tau dt), the inverse variance of the forecast; revival costs Q dt.
// With velocities, the variance in gamma is at most that of the random walk, 1/w + limit dt; see
// docs/costs.md.
inline PredictedClusters predict_prior(const Memory& memory, double now, double aging, const Motion& motion) {
  PredictedClusters out;
  for (auto* values : {&out.gammas, &out.revival, &out.elapsed, &out.variances})
    values->reserve(memory.n_old);
  for (std::int64_t k = 0; k < memory.n_old; ++k) {
    const double dt = now - memory.last_seen[k];
    out.variances.push_back(memory.covariance(k).after(dt, motion).position);
    out.gammas.push_back(1 / std::min(out.variances.back(), 1 / memory.weights[k] + motion.limit * dt));
    out.revival.push_back(aging * dt);
    out.elapsed.push_back(dt);
  }
  if (!memory.velocities) return out;
  for (std::int64_t k = 0; k < memory.n_old; ++k)
    for (int j = 0; j < memory.d; ++j)
      out.centers.push_back(memory.centers[k * memory.d + j] + memory.velocity(k, j) * out.elapsed[k]);
  return out;
}

// A step over L >= K clusters, of which the last L - K are newborn.
struct LifecycleInput {
  Memory memory;
  const std::int64_t *ids, *hits;          // (K,)  steps in which each had rows
  const double *forecasts, *gammas;        // (K, d)  predicted positions; gamma (K,)
  const double* revival;                   // Q dt (K,)
  const double *positions, *slot_weights;  // theta (L, d); n (L,)  weight of the rows of each cluster
  std::int64_t n_slots, next_id;           // L; smallest unused id
  double clock, now;                       // event time of the last step and of this one
  double birth, lifetime;                  // lambda; T_Q
  Motion motion;
};

enum class EventKind { birth, revival, sleep, death };

struct LifecycleEvent {
  EventKind kind;
  std::int64_t id;
  double time, cost;
};

struct LifecycleResult {
  std::vector<double> centers, weights, velocities, velocity_cov, last_seen;
  std::vector<std::int64_t> ids, hits;
  std::vector<std::int64_t> active;  // ids with rows
  std::vector<double> sizes;         // weight of the rows of each
  std::vector<std::int64_t> born, revived, asleep, died;
  std::vector<LifecycleEvent> events;  // by time; of equals by kind and id
};

class Lifecycle {
 public:
  explicit Lifecycle(const LifecycleInput& in) : in_(in) {
    for (auto* values : {&out_.weights, &out_.last_seen, &out_.sizes}) values->reserve(in.n_slots);
    out_.centers.reserve(in.n_slots * in.memory.d);
    for (auto* values : {&out_.ids, &out_.hits, &out_.active}) values->reserve(in.n_slots);
    out_.velocity_cov.reserve(2 * in.n_slots);
  }

  LifecycleResult run() {
    for (std::int64_t k = 0; k < in_.n_slots; ++k) {
      log_change(k);
      if (in_.now - seen_at(k) > in_.lifetime) {
        log_event(k, EventKind::death, out_.died);
      } else {
        update(k);
      }
    }
    const auto order = [](const LifecycleEvent& event) { return std::pair(event.time, event.kind); };
    std::ranges::stable_sort(out_.events, {}, order);
    return std::move(out_);
  }

 private:
  bool is_old(std::int64_t k) const { return k < in_.memory.n_old; }
  bool is_seen(std::int64_t k) const { return !is_old(k) || in_.slot_weights[k] > 0; }
  std::int64_t id(std::int64_t k) const {
    return is_old(k) ? in_.ids[k] : in_.next_id + (k - in_.memory.n_old);
  }
  double seen_at(std::int64_t k) const { return is_seen(k) ? in_.now : in_.memory.last_seen[k]; }

  void log_change(std::int64_t k) {
    if (is_seen(k)) {
      out_.active.push_back(id(k));
      out_.sizes.push_back(in_.slot_weights[k]);
    }
    if (!is_old(k)) return log_event(k, EventKind::birth, out_.born);
    const bool was_active = in_.memory.last_seen[k] == in_.clock;
    if (was_active == is_seen(k)) return;
    was_active ? log_event(k, EventKind::sleep, out_.asleep) : log_event(k, EventKind::revival, out_.revived);
  }

  void log_event(std::int64_t k, EventKind kind, std::vector<std::int64_t>& ids) {
    ids.push_back(id(k));
    out_.events.push_back({kind, id(k), event_time(k, kind), event_cost(k, kind)});
  }

  // A cluster falls asleep in the first step without rows, at most one unit of time after its last row. The
  // bound makes a long step equal to many steps of one unit, and puts the sleep before the death. It dies at
  // the end of its lifetime; without rounding error, this lies between the last step and this one.
  double event_time(std::int64_t k, EventKind kind) const {
    if (kind == EventKind::sleep)
      return std::min(in_.memory.last_seen[k] + std::min(1.0, in_.lifetime), in_.now);
    if (kind == EventKind::death)
      return std::min(std::max(in_.memory.last_seen[k] + in_.lifetime, in_.clock), in_.now);
    return in_.now;
  }

  double event_cost(std::int64_t k, EventKind kind) const {
    if (kind == EventKind::revival) return in_.revival[k];
    return kind == EventKind::sleep ? 0.0 : in_.birth;
  }

  // Eq. (wupdate): a seen cluster moves to theta with weight gamma + n; others stay.
  void update(std::int64_t k) {
    const double gamma = is_old(k) ? in_.gammas[k] : 0.0;
    append(out_.centers, is_seen(k) ? in_.positions : in_.memory.centers, k, in_.memory.d);
    out_.weights.push_back(is_seen(k) ? gamma + in_.slot_weights[k] : in_.memory.weights[k]);
    out_.last_seen.push_back(seen_at(k));
    out_.ids.push_back(id(k));
    out_.hits.push_back((is_old(k) ? in_.hits[k] : 0) + is_seen(k));
    update_motion(k);
  }

  // Correct the velocity of a cluster with rows; others keep theirs. A newborn cluster starts at rest.
  void update_motion(std::int64_t k) {
    Covariance covariance = is_old(k) ? in_.memory.covariance(k) : Covariance{0, 0, in_.motion.newborn};
    double gain = 0;
    if (is_old(k) && is_seen(k)) {
      const Covariance before = covariance.after(in_.now - in_.memory.last_seen[k], in_.motion);
      const double weight = in_.gammas[k] + in_.slot_weights[k];
      gain = before.velocity_gain(in_.slot_weights[k], weight);
      covariance = before.given_rows(in_.slot_weights[k], weight);
    }
    out_.velocity_cov.insert(out_.velocity_cov.end(), {covariance.cov, covariance.velocity});
    if (!in_.motion.has_velocity()) return;
    for (int j = 0; j < in_.memory.d; ++j) {
      const std::int64_t at = k * in_.memory.d + j;
      const double known = is_old(k) ? in_.memory.velocity(k, j) : 0.0;
      out_.velocities.push_back(gain != 0 ? known + gain * (in_.positions[at] - in_.forecasts[at]) : known);
    }
  }

  static void append(std::vector<double>& to, const double* table, std::int64_t line, int width) {
    to.insert(to.end(), table + line * width, table + (line + 1) * width);
  }

  LifecycleInput in_;
  LifecycleResult out_;
};

}  // namespace dynmeans
