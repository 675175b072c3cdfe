// Slots that were born or revived during one epoch of the first pass, in the order of their visits.
#pragma once

#include <limits>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/cost_table.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

class ActivatedSlots {
 public:
  explicit ActivatedSlots(int d) : d_(d), costs_(d) {}

  void clear() { activated_.clear(); }
  void add(int slot, Row at) { activated_.push_back({slot, at}); }

  int slot(Row w) const { return activated_[w].slot; }
  Row visit(Row w) const { return activated_[w].at; }
  Row size() const { return Row(activated_.size()); }
  bool any_before(Row at) const { return !activated_.empty() && activated_.front().at < at; }

  // Copies the centers of all slots, for may_be_cheaper.
  void freeze(const Clusters& slots) {
    costs_.clear();
    costs_.grow(int(activated_.size()));
    for (int w = 0; w < int(activated_.size()); ++w) {
      costs_.set_center(w, slots.center(activated_[w].slot));
      costs_.set_cost(w, 1, 0);
    }
  }

  // False if none of them, at any time of the epoch, takes a row of weight m at a cost of at most `cost`.
  bool may_be_cheaper(const double* y, double m, double cost) const {
    const Cheapest found = costs_.cheapest(y);
    const double rounding_factor = 1 + 4 * (d_ + 4) * std::numeric_limits<double>::epsilon();
    return !(m * found.cost > cost * rounding_factor);
  }

  // The cheapest of `best` and the slots activated before the visit `at` of a row y (d,) of weight m; of
  // equals, the lowest slot.
  Cheapest cheapest_before(Row at, const double* y, double m, Cheapest best, const Clusters& slots) const {
    for (const Activated& activated : activated_) {
      if (activated.at >= at) break;
      const double cost = m * squared_distance(Plain{y}, slots.center(activated.slot), d_);
      if (cost < best.cost || (cost == best.cost && activated.slot < best.slot))
        best = {cost, activated.slot};
    }
    return best;
  }

 private:
  struct Activated {
    int slot;
    Row at;  // visit that activated it
  };

  int d_;
  std::vector<Activated> activated_;
  CostTable costs_;  // of their centers
};

}  // namespace dynmeans
