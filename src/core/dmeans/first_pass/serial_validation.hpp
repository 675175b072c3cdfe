// Serial validation of optimistic concurrency control, once per epoch of the first pass (first_pass.hpp):
// rows that propose a birth or a revival are assigned one by one, in the visiting order.
#pragma once

#include <vector>

#include "dmeans/assignment/prior_distance_row.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/first_pass/woken_slots.hpp"

namespace dynmeans {

inline bool is_birth(const Cheapest& found, double birth) {
  return !(found.cost <= birth);
}  // at equal cost, a row joins a cluster

class SerialValidation {
 public:
  SerialValidation(Clusters& slots, double birth) : slots_(slots), birth_(birth), woken_(slots.d()) {}

  void begin_epoch() {
    woken_.clear();
    n_compared_ = 0;
  }

  const WokenSlots& woken() const { return woken_; }
  WokenSlots& woken() { return woken_; }
  double n_compared() const { return n_compared_; }

  // Assigns a row to its final slot.
  // visit: number of the row in the visiting order; y (d,), m: the row and its weight, at most 1; prior: its
  // distances to the old centers; found: its cheapest slot at the start of the epoch
  Cheapest validate(Row visit, const double* y, double m, const PriorDistanceRow& prior, Cheapest found) {
    const bool is_outdated = !is_birth(found, birth_) && slots_.is_awake(found.slot);
    n_compared_ += double(is_outdated ? slots_.count() : woken_.size());
    found = is_outdated ? slots_.cheapest(y, m, prior, birth_, scratch_)
                        : woken_.cheapest_before(visit, y, m, found, slots_);
    if (is_birth(found, birth_)) found.slot = slots_.newborn();
    if (slots_.is_awake(found.slot)) return found;
    slots_.wake(found.slot, y, m);
    woken_.add(found.slot, visit);
    return found;
  }

 private:
  Clusters& slots_;
  double birth_;
  WokenSlots woken_;
  double n_compared_ = 0;
  std::vector<double> scratch_;
};

}  // namespace dynmeans
