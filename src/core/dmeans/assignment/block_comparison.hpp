// Cheapest of fixed slots for many rows. The result equals that of LabelUpdate::cheapest bit for bit.
//
// Products find the nearest active slot. If their rounding bound proves it, only its exact distance is
// computed; otherwise the distances to all slots are computed. The few sleeping slots are compared exactly.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "dmeans/assignment/prior_distances.hpp"
#include "dmeans/assignment/product_comparison.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/label_update.hpp"
#include "support/signals.hpp"

namespace dynmeans {

template <class T>
class BlockComparison {
 public:
  BlockComparison(const BatchView<T>& points, const PriorDistances& prior_distances, double birth,
                  const Clusters& slots)
      : points_(points), prior_distances_(prior_distances), birth_(birth), slots_(slots) {}

  // Reads the slots, for a comparison with `count` rows.
  void pack(Row count) {
    active_.clear();
    asleep_.clear();
    min_revival_ = std::numeric_limits<double>::infinity();
    is_worth_it_ = false;
    if (count < kMinRows) return;
    for (int k = 0; k < slots_.count(); ++k) {
      if (slots_.is_active(k)) {
        active_.push_back(k);
      } else if (slots_.is_old(k)) {
        asleep_.push_back(k);
        min_revival_ = std::min(min_revival_, slots_.revival(k));
      }
    }
    is_worth_it_ = active_.size() >= kMinSlots && kActivePerAsleep * asleep_.size() <= active_.size();
    if (is_worth_it_)
      products_.pack(int(active_.size()), points_.d, [&](int a) { return slots_.center(active_[a]); });
  }

  bool is_worth_it() const { return is_worth_it_; }

  // in: row_of(b), the row of each b = begin .. end - 1; poll: handles signals
  // out: found (at b); others (at b, or null), if products are used: a lower bound on the squared distances
  // to all active slots except the found one
  template <class RowOf>
  void compare(Row begin, Row end, const RowOf& row_of, Cheapest* found, double* others, Poll& poll) const {
    if (is_worth_it_) return compare_by_products(begin, end, row_of, found, others, poll);
    std::vector<double> y(points_.d);
    LabelUpdate update(slots_, birth_);
    for (Row b = begin; b < end; ++b) {
      const Row i = row_of(b);
      poll(Row(points_.d) * (slots_.count() + 1));
      found[b] = update.cheapest({points_.shifted(i, y.data()), points_.weight(i), prior_distances_.of(i)});
    }
  }

 private:
  // Arguments as in compare.
  template <class RowOf>
  void compare_by_products(Row begin, Row end, const RowOf& row_of, Cheapest* found, double* others,
                           Poll& poll) const {
    ProductComparison::Tile tile;
    tile.resize(points_.d);
    std::vector<double> y(points_.d);
    LabelUpdate update(slots_, birth_);
    std::array<Row, kTile> rows, next;
    const auto fetch = [&](Row b) {
      for (int r = 0; r < kTile && b + r < end; ++r) __builtin_prefetch(points_.row(next[r] = row_of(b + r)));
    };
    fetch(begin);
    for (Row b = begin; b < end; b += kTile) {
      const int count = int(std::min<Row>(kTile, end - b));
      poll(Row(kTile) * points_.d * (active_.size() + 1));
      rows = next;
      fetch(b + kTile);
      for (int r = 0; r < count; ++r) tile.set(r, points_.shifted(rows[r], y.data()), points_.d);
      tile.fill(count, points_.d);
      products_.compare(tile);
      for (int r = 0; r < count; ++r) {
        found[b + r] = decide(rows[r], tile, r, y.data(), update);
        if (others != nullptr)
          others[b + r] = products_.is_certain(tile, r) ? products_.second_squared_distance(tile, r) : 0;
      }
    }
  }

  // The cheapest slot of row i. tile, r: products of the row, and its column; y (d,): scratch for the shifted
  // row; update: exact comparison with all slots
  Cheapest decide(Row i, const ProductComparison::Tile& tile, int r, double* y, LabelUpdate& update) const {
    const double m = std::min(points_.weight(i), 1.0);
    if (!products_.is_certain(tile, r))
      return update.cheapest({points_.shifted(i, y), points_.weight(i), prior_distances_.of(i)});
    const int nearest = active_[tile.which[r]];
    Cheapest best{m * points_.squared_distance(i, slots_.center(nearest)), nearest};
    if (best.cost < min_revival_) return best;
    for (const int k : asleep_) {
      if (slots_.revival(k) > best.cost) continue;
      const double squared = points_.squared_distance(i, slots_.old_center(k));
      const double cost = slots_.sleeping_cost(k, m, squared);
      if (cost < best.cost || (cost == best.cost && k < best.slot)) best = {cost, k};
    }
    return best;
  }

  // With fewer rows or slots, packing the centers takes longer than the products save.
  static constexpr Row kMinRows = 4 * kTile;
  static constexpr std::size_t kMinSlots = 16;
  // With more sleeping slots, their exact comparison takes longer than the products save.
  static constexpr std::size_t kActivePerAsleep = 8;

  const BatchView<T>& points_;
  const PriorDistances& prior_distances_;
  double birth_;
  const Clusters& slots_;
  bool is_worth_it_ = false;
  ProductComparison products_;
  std::vector<std::int32_t> active_, asleep_;
  double min_revival_ = 0;
};

}  // namespace dynmeans
