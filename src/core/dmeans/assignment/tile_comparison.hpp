// The two nearest active centers of each of a tile of rows.
//
// If many rows share the centers, products find the nearest one (product_comparison.hpp). Rows for which the
// products are not certain are collected until they fill a tile, which is compared by distances: tiles with
// few such rows would take 1.5 times as long for 1,000,000 rows of 3 features.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "dmeans/assignment/product_comparison.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "simd/simd_kernels.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

// Squared distances of a tile of rows to the nearest center and to the next, which may be a lower bound.
struct NearestTwo {
  std::array<double, kTile> best, second;
  std::array<std::int32_t, kTile> which;  // slots
};

template <class T>
class TileComparison {
 public:
  // Buffers of one thread.
  struct Buffers {
    std::vector<Row> uncertain;  // rows whose nearest center the products do not determine
    std::vector<T> tile;         // (d, kTile)
    RawVector<T> centers;        // (active, d) in the precision of the tile, computed on first use
    std::vector<double> row;     // (d,)
    ProductComparison::Tile products;

    void clear(int d) {
      uncertain.clear();
      tile.resize(std::size_t(d) * kTile);
      centers.clear();
      row.resize(d);
    }
  };

  explicit TileComparison(const BatchView<T>& points) : points_(points) {}

  // Before a pass. active: the slots to compare with
  void pack(const Clusters& slots, const std::vector<std::int32_t>& active) {
    slots_ = &slots;
    active_ = &active;
    const Row n_active = Row(active.size());
    use_products_ = n_active >= kMinPacked && points_.n >= kRowsPerPacked * n_active;
    if (use_products_)
      products_.pack(int(n_active), points_.d, [&](int a) { return slots.center(active[a]); });
  }

  // Calls decide(rows, count, nearest) for these rows, at most kTile, or later if they are uncertain.
  template <class Decide>
  void compare(const Row* rows, int count, Buffers& buffers, const Decide& decide) const {
    if (!use_products_) return compare_by_distances(rows, count, buffers, decide);
    compare_by_products(rows, count, buffers, decide);
    if (buffers.uncertain.size() >= kTile) finish(buffers, decide);
  }

  // The same for the uncertain rows.
  template <class Decide>
  void finish(Buffers& buffers, const Decide& decide) const {
    const std::size_t n = buffers.uncertain.size();
    for (std::size_t first = 0; first < n; first += kTile)
      compare_by_distances(&buffers.uncertain[first], int(std::min<std::size_t>(kTile, n - first)), buffers,
                           decide);
    buffers.uncertain.clear();
  }

 private:
  // Products are faster if there are many centers and many rows per center.
  static constexpr Row kMinPacked = 16, kRowsPerPacked = 16;

  const double* center(std::int32_t a) const { return slots_->center((*active_)[a]); }

  template <class Decide>
  void compare_by_distances(const Row* rows, int count, Buffers& buffers, const Decide& decide) const {
    const int d = points_.d, n_active = int(active_->size());
    if (buffers.centers.empty()) {
      buffers.centers.resize(std::size_t(n_active) * d);
      for (int a = 0; a < n_active; ++a) copy_row(center(a), &buffers.centers[std::size_t(a) * d], d);
    }
    std::array<T, kTile> best, second;
    NearestTwo nearest;
    points_.gather(rows, count, buffers.tile.data());
    tile_lanes<T>().nearest_two(buffers.tile.data(), d, buffers.centers.data(), n_active, best.data(),
                                second.data(), nearest.which.data());
    for (int b = 0; b < count; ++b) {
      nearest.best[b] = best[b];
      nearest.second[b] = second[b];
      nearest.which[b] = (*active_)[nearest.which[b]];
    }
    decide(rows, count, nearest);
  }

  template <class Decide>
  void compare_by_products(const Row* rows, int count, Buffers& buffers, const Decide& decide) const {
    ProductComparison::Tile& tile = buffers.products;
    tile.resize(points_.d);
    for (int b = 0; b < count; ++b) tile.set(b, points_.shifted(rows[b], buffers.row.data()), points_.d);
    tile.fill(count, points_.d);
    products_.compare(tile);
    std::array<Row, kTile> certain;
    NearestTwo nearest;
    int n_certain = 0;
    for (int b = 0; b < count; ++b) {
      if (!products_.is_certain(tile, b)) {
        buffers.uncertain.push_back(rows[b]);
        continue;
      }
      certain[n_certain] = rows[b];
      nearest.which[n_certain] = (*active_)[tile.which[b]];
      nearest.best[n_certain] = points_.squared_distance(rows[b], center(tile.which[b]));
      nearest.second[n_certain++] = products_.second_squared_distance(tile, b);
    }
    decide(certain.data(), n_certain, nearest);
  }

  const BatchView<T>& points_;
  const Clusters* slots_ = nullptr;                    // of this pass
  const std::vector<std::int32_t>* active_ = nullptr;  // those that are active
  bool use_products_ = false;
  ProductComparison products_;
};

}  // namespace dynmeans
