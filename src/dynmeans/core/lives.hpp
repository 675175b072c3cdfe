// What becomes of every cluster when a step is over: who moves, who waits, who is forgotten, and who turned.
#pragma once

#include <cstdint>
#include <vector>

namespace dynmeans {

// K remembered clusters, and L >= K slots of which the last L - K are newborn.
struct LivesBefore {
  const double *centers, *weights;          // phi (K, d), w (K,)
  const double *velocities, *velocity_cov;  // (K, d), (K, 2)  corrected by what was seen
  const double* last_seen;                  // (K,)
  const std::int64_t* ids;                  // (K,)
  const double* gammas;                     // gamma (K,)
  const double *places, *taken;             // theta (L, d), n (L,)
  std::int64_t n_old, n_slots, next_id;
  int d;
  double clock, now, lifetime;  // event time of the last step and of this one; T_Q
  double newborn_velocity_variance;
};

struct LivesAfter {
  std::vector<double> centers, weights, velocities, velocity_cov, last_seen;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> active;  // ids with rows
  std::vector<double> sizes;         // weight of the rows of each
  std::vector<std::int64_t> born, revived, asleep, died;
};

class Lives {
 public:
  explicit Lives(const LivesBefore& in) : in_(in) {
    for (auto* values : {&out_.weights, &out_.last_seen, &out_.sizes}) values->reserve(in.n_slots);
    for (auto* values : {&out_.centers, &out_.velocities}) values->reserve(in.n_slots * in.d);
    for (auto* values : {&out_.ids, &out_.active}) values->reserve(in.n_slots);
    out_.velocity_cov.reserve(2 * in.n_slots);
  }

  LivesAfter run() {
    for (std::int64_t k = 0; k < in_.n_slots; ++k) {
      turn(k);
      if (in_.now - seen_at(k) > in_.lifetime) {
        out_.died.push_back(id(k));
      } else {
        carry(k);
      }
    }
    return std::move(out_);
  }

 private:
  bool is_old(std::int64_t k) const { return k < in_.n_old; }
  bool is_seen(std::int64_t k) const { return !is_old(k) || in_.taken[k] > 0; }
  std::int64_t id(std::int64_t k) const { return is_old(k) ? in_.ids[k] : in_.next_id + (k - in_.n_old); }
  double seen_at(std::int64_t k) const { return is_seen(k) ? in_.now : in_.last_seen[k]; }

  void turn(std::int64_t k) {
    if (is_seen(k)) {
      out_.active.push_back(id(k));
      out_.sizes.push_back(in_.taken[k]);
    }
    if (!is_old(k)) return out_.born.push_back(id(k));
    const bool was_awake = in_.last_seen[k] == in_.clock;
    if (was_awake == is_seen(k)) return;
    (was_awake ? out_.asleep : out_.revived).push_back(id(k));
  }

  // Eq. (wupdate): a seen cluster moves to theta with weight gamma + n; others stay.
  void carry(std::int64_t k) {
    const double gamma = is_old(k) ? in_.gammas[k] : 0.0;
    append(out_.centers, is_seen(k) ? in_.places : in_.centers, k, in_.d);
    out_.weights.push_back(is_seen(k) ? gamma + in_.taken[k] : in_.weights[k]);
    out_.last_seen.push_back(seen_at(k));
    out_.ids.push_back(id(k));
    if (is_old(k)) {
      append(out_.velocities, in_.velocities, k, in_.d);
      append(out_.velocity_cov, in_.velocity_cov, k, 2);
    } else {
      out_.velocities.resize(out_.velocities.size() + in_.d);
      out_.velocity_cov.insert(out_.velocity_cov.end(), {0.0, in_.newborn_velocity_variance});
    }
  }

  static void append(std::vector<double>& to, const double* table, std::int64_t line, int width) {
    to.insert(to.end(), table + line * width, table + (line + 1) * width);
  }

  LivesBefore in_;
  LivesAfter out_;
};

}  // namespace dynmeans
