// Slots that were born or revived during one epoch of the first pass, in the order of their waking.
#pragma once

#include <limits>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "simd/simd_kernels.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

class WokenSlots {
 public:
  explicit WokenSlots(int d) : d_(d) {}

  void clear() { woken_.clear(); }
  void add(int slot, Row at) { woken_.push_back({slot, at}); }

  int slot(Row w) const { return woken_[w].slot; }
  Row visit(Row w) const { return woken_[w].at; }
  Row size() const { return Row(woken_.size()); }
  bool any_before(Row at) const { return !woken_.empty() && woken_.front().at < at; }

  // Copies the centers of all slots, for may_be_cheaper.
  void freeze(const Clusters& slots) {
    const int n = int(woken_.size());
    stride_ = (n + kSlotBlock - 1) / kSlotBlock * kSlotBlock;
    columns_.assign(std::size_t(d_) * stride_, 0.0);
    scale_.assign(stride_, 1.0);
    offset_.assign(stride_, std::numeric_limits<double>::infinity());
    for (int w = 0; w < n; ++w) {
      offset_[w] = 0;
      for (int j = 0; j < d_; ++j) columns_[std::size_t(j) * stride_ + w] = slots.center(woken_[w].slot)[j];
    }
  }

  // False if none of them, at any time of the epoch, takes a row of weight m at a cost of at most `cost`.
  bool may_be_cheaper(const double* y, double m, double cost) const {
    const Cheapest found =
        lanes().slots.cheapest(y, d_, columns_.data(), stride_, scale_.data(), offset_.data(), stride_);
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

  int d_, stride_ = 0;
  std::vector<Woken> woken_;
  std::vector<double> columns_, scale_, offset_;  // (d, stride), (stride,), (stride,)
};

}  // namespace dynmeans
