// Cheapest slot of many rows while the slots stay as they are, equal to Clusters::cheapest bit by bit.
//
// Products find the nearest awake slot. Its exact distance is computed where the products leave no doubt, and
// that of all slots where they do. Sleeping slots are few; they are compared exactly.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "dmeans/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/prior_distances.hpp"
#include "dmeans/product_comparison.hpp"
#include "support/signals.hpp"

namespace dynmeans {

template <class T>
class BlockComparison {
 public:
  BlockComparison(const BatchView<T>& points, const PriorDistances& past, double birth, const Clusters& slots)
      : points_(points), past_(past), birth_(birth), slots_(slots) {}

  // Reads the slots, for a comparison with `count` rows.
  void pack(Row count) {
    awake_.clear();
    asleep_.clear();
    least_revival_ = std::numeric_limits<double>::infinity();
    is_worth_it_ = false;
    if (count < kFewestRows) return;
    for (int k = 0; k < slots_.count(); ++k) {
      if (slots_.is_awake(k)) {
        awake_.push_back(k);
      } else if (slots_.is_old(k)) {
        asleep_.push_back(k);
        least_revival_ = std::min(least_revival_, slots_.revival(k));
      }
    }
    is_worth_it_ = awake_.size() >= kFewestSlots && kMuch * asleep_.size() <= awake_.size();
    if (is_worth_it_)
      products_.pack(int(awake_.size()), points_.d, [&](int a) { return slots_.center(awake_[a]); });
  }

  bool is_worth_it() const { return is_worth_it_; }

  // in: row_of(b), the row of each b = begin .. end - 1
  // out: found (at b); others (at b, or null), if products are worth it: a lower bound on the squared
  // distances to all awake slots but the one that is found
  template <class RowOf>
  void compare(Row begin, Row end, const RowOf& row_of, Cheapest* found, double* others, Poll& poll) const {
    if (is_worth_it_) return compare_by_products(begin, end, row_of, found, others, poll);
    std::vector<double> y(points_.d), scratch;
    for (Row b = begin; b < end; ++b) {
      const Row i = row_of(b);
      poll(Row(points_.d) * (slots_.count() + 1));
      found[b] = slots_.cheapest(points_.moved(i, y.data()), std::min(points_.weight(i), 1.0), past_.of(i),
                                 birth_, scratch);
    }
  }

 private:
  template <class RowOf>
  void compare_by_products(Row begin, Row end, const RowOf& row_of, Cheapest* found, double* others,
                           Poll& poll) const {
    ProductComparison::Tile tile;
    tile.resize(points_.d);
    std::vector<double> y(points_.d), scratch;
    for (Row b = begin; b < end; b += kTile) {
      const int count = int(std::min<Row>(kTile, end - b));
      poll(Row(kTile) * points_.d * (awake_.size() + 1));
      for (int r = 0; r < count; ++r) tile.set(r, points_.moved(row_of(b + r), y.data()), points_.d);
      tile.fill(count, points_.d);
      products_.compare(tile);
      for (int r = 0; r < count; ++r) {
        found[b + r] = decide(row_of(b + r), tile, r, y.data(), scratch);
        if (others != nullptr)
          others[b + r] = products_.is_certain(tile, r) ? products_.second_squared_distance(tile, r) : 0;
      }
    }
  }

  Cheapest decide(Row i, const ProductComparison::Tile& tile, int r, double* y,
                  std::vector<double>& scratch) const {
    const double m = std::min(points_.weight(i), 1.0);
    if (!products_.is_certain(tile, r))
      return slots_.cheapest(points_.moved(i, y), m, past_.of(i), birth_, scratch);
    const int nearest = awake_[tile.which[r]];
    Cheapest best{m * points_.squared_distance(i, slots_.center(nearest)), nearest};
    if (best.cost < least_revival_) return best;
    for (const int k : asleep_) {
      if (slots_.revival(k) > best.cost) continue;
      const double squared = points_.squared_distance(i, slots_.old_center(k));
      const double cost = slots_.sleeping_cost(k, m, squared);
      if (cost < best.cost || (cost == best.cost && k < best.slot)) best = {cost, k};
    }
    return best;
  }

  static constexpr Row kFewestRows = 4 * kTile;
  static constexpr std::size_t kFewestSlots = 16;
  static constexpr std::size_t kMuch = 8;  // awake slots for each sleeping one

  const BatchView<T>& points_;
  const PriorDistances& past_;
  double birth_;
  const Clusters& slots_;
  bool is_worth_it_ = false;
  ProductComparison products_;
  std::vector<std::int32_t> awake_, asleep_;
  double least_revival_ = 0;
};

}  // namespace dynmeans
