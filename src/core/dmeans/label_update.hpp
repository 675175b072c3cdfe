// Eq. (labelupdate): the slot that takes one row at the least cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dmeans/assignment/prior_distance_row.hpp"
#include "dmeans/clusters.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

// One row, for the label update.
struct RowView {
  const double* y;         // (d,) less the shift
  double m;                // weight
  PriorDistanceRow prior;  // distances to the old centers, if they are known

  // A weight above 1 stands for copies with the same label.
  double decision_weight() const { return std::min(m, 1.0); }
};

// At equal cost, a row joins an existing cluster.
inline bool is_birth(const Cheapest& found, double birth) {
  return !(found.cost <= birth);
}

class LabelUpdate {
 public:
  LabelUpdate(const Clusters& slots, double birth) : slots_(slots), birth_(birth) {}

  // The cheapest slot. Of wide rows, slots that cost more than a birth may be skipped.
  Cheapest cheapest(const RowView& row) {
    const double m = row.decision_weight(), *scales = m < 1 ? scales_of_fraction(m) : slots_.costs().scales();
    return slots_.is_wide() ? cheapest_of_wide(row, m, scales) : slots_.costs().cheapest(row.y, scales);
  }

  double birth() const { return birth_; }

 private:
  const double* scales_of_fraction(double m) {
    scales_.assign(slots_.costs().capacity(), 0.0);
    for (int k = 0; k < slots_.count(); ++k)
      scales_[k] = slots_.is_active(k) ? m : slots_.sleeping_scale(k, m);
    return scales_.data();
  }

  // Compares one slot after another. The distance to the old center proves that most slots are too far.
  Cheapest cheapest_of_wide(const RowView& row, double m, const double* scales) const {
    const int d = slots_.d();
    const PriorDistanceRow& prior = row.prior;
    const double rounding_factor = 1 + 4 * (d + 4) * std::numeric_limits<double>::epsilon();
    Cheapest best{std::numeric_limits<double>::infinity(), slots_.costs().capacity()};
    double max_distance = std::sqrt(birth_ / m);  // active clusters beyond this distance are skipped
    const auto is_beyond = [&](double squared, double displacement) {
      const double beyond = (max_distance + displacement) * rounding_factor;
      return squared > beyond * beyond;
    };
    const auto consider = [&](int k) {
      double squared;
      if (slots_.is_active(k)) {
        if (prior.is_known() && slots_.is_old(k) && is_beyond(prior.squared[k], slots_.displacement(k)))
          return;
        squared = squared_distance(Plain{row.y}, slots_.center(k), d,
                                   max_distance * max_distance * rounding_factor);
      } else {
        if (!slots_.is_old(k)) return;
        squared =
            prior.is_known() ? prior.squared[k] : squared_distance(Plain{row.y}, slots_.old_center(k), d);
      }
      const double cost = scales[k] * squared + slots_.costs().offset(k);
      if (!(cost < best.cost)) return;
      best = {cost, k};
      max_distance = std::min(max_distance, std::sqrt(cost / m));
    };
    const bool only_near = prior.is_known() && is_beyond(prior.rest, slots_.max_displacement());
    if (only_near)
      for (const int k : prior.near) consider(k);
    for (int k = only_near ? slots_.n_old() : 0; k < slots_.count(); ++k) consider(k);
    return best;
  }

  const Clusters& slots_;
  double birth_;                // lambda
  std::vector<double> scales_;  // (capacity,) of a fraction of a point
};

// Moves one row from slot `own`, or kNone, to its cheapest slot, which is returned.
inline std::int32_t assign_row(const RowView& row, std::int32_t own, LabelUpdate& update, Clusters& slots) {
  const Cheapest found = update.cheapest(row);
  if (!is_birth(found, update.birth()) && found.slot == own) return own;
  const int slot = is_birth(found, update.birth()) ? slots.newborn() : found.slot;
  if (own != kNone) slots.remove(own, row.y, row.m);
  slots.add(slot, row.y, row.m);
  return slot;
}

}  // namespace dynmeans
