// Serial validation of optimistic concurrency control, once per epoch of the first pass (first_pass.hpp):
// rows that propose a birth or a revival are assigned one by one, in the visiting order.
#pragma once

#include "dmeans/clusters.hpp"
#include "dmeans/first_pass/activated_slots.hpp"
#include "dmeans/label_update.hpp"

namespace dynmeans {

class SerialValidation {
 public:
  SerialValidation(Clusters& slots, double birth)
      : slots_(slots), birth_(birth), update_(slots, birth), activated_(slots.d()) {}

  void begin_epoch() {
    activated_.clear();
    n_compared_ = 0;
  }

  const ActivatedSlots& activated() const { return activated_; }
  ActivatedSlots& activated() { return activated_; }
  double n_compared() const { return n_compared_; }

  // Assigns a row, visited as number `visit`, to its final slot; `found` is its cheapest slot at the start of
  // the epoch.
  Cheapest validate(Row visit, const RowView& row, Cheapest found) {
    const bool is_outdated = !is_birth(found, birth_) && slots_.is_active(found.slot);
    n_compared_ += double(is_outdated ? slots_.count() : activated_.size());
    found = is_outdated ? update_.cheapest(row)
                        : activated_.cheapest_before(visit, row.y, row.decision_weight(), found, slots_);
    if (is_birth(found, birth_)) found.slot = slots_.newborn();
    if (slots_.is_active(found.slot)) return found;
    slots_.activate(found.slot, row.y, row.decision_weight());
    activated_.add(found.slot, visit);
    return found;
  }

 private:
  Clusters& slots_;
  double birth_;
  LabelUpdate update_;
  ActivatedSlots activated_;
  double n_compared_ = 0;
};

}  // namespace dynmeans
