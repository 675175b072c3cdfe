// Slots that were born or revived during one epoch of the first pass, in the order of their waking.
#pragma once

#include <limits>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/cost_table.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

class WokenSlots {
 public:
  explicit WokenSlots(int d) : d_(d), costs_(d) {}

  void clear() { woken_.clear(); }
  void add(int slot, Row at) { woken_.push_back({slot, at}); }

  int slot(Row w) const { return woken_[w].slot; }
  Row visit(Row w) const { return woken_[w].at; }
  Row size() const { return Row(woken_.size()); }
  bool any_before(Row at) const { return !woken_.empty() && woken_.front().at < at; }

  // Copies the centers of all slots, for may_be_cheaper.
  void freeze(const Clusters& slots) {
    costs_.clear();
    costs_.grow(int(woken_.size()));
    for (int w = 0; w < int(woken_.size()); ++w) {
      costs_.set_center(w, slots.center(woken_[w].slot));
      costs_.set_cost(w, 1, 0);
    }
  }

  // False if none of them, at any time of the epoch, takes a row of weight m at a cost of at most `cost`.
  bool may_be_cheaper(const double* y, double m, double cost) const {
    const Cheapest found = costs_.cheapest(y);
    const double rounding_factor = 1 + 4 * (d_ + 4) * std::numeric_limits<double>::epsilon();
    return !(m * found.cost > cost * rounding_factor);
  }

  // The cheapest of `best` and the slots that woke before a row; of equals, the lowest slot.
  Cheapest cheapest_before(Row at, const double* y, double m, Cheapest best, const Clusters& slots) const {
    for (const Woken& woken : woken_) {
      if (woken.at >= at) break;
      const double cost = m * squared_distance(Plain{y}, slots.center(woken.slot), d_);
      if (cost < best.cost || (cost == best.cost && woken.slot < best.slot)) best = {cost, woken.slot};
    }
    return best;
  }

 private:
  struct Woken {
    int slot;
    Row at;  // row of the epoch that woke it
  };

  int d_;
  std::vector<Woken> woken_;
  CostTable costs_;  // of their centers
};

}  // namespace dynmeans
