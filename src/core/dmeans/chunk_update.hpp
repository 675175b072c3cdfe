// Changes of the cluster sums by one chunk of rows in a pass, and the buffers of that chunk.
#pragma once

#include <vector>

#include "dmeans/batch_view.hpp"
#include "dmeans/cluster_sums.hpp"
#include "dmeans/product_comparison.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
struct ChunkUpdate {
  explicit ChunkUpdate(const BatchScale<T>& scale) : sums(scale.terms, scale.weights) {}

  ClusterSums sums;
  std::vector<Row> restless;
  std::vector<Row> doubtful;  // whose nearest center the products leave in doubt
  bool any = false;
  std::vector<T> tile;      // (d, kTile)
  RawVector<T> centers;     // (awake, d) as the tile wants them, computed on first use
  std::vector<double> row;  // (d,)
  ProductComparison::Tile products;

  void clear(int d) {
    restless.clear();
    doubtful.clear();
    any = false;
    tile.resize(std::size_t(d) * kTile);
    centers.clear();
    row.resize(d);
    products.resize(d);
  }

  // Before the first move.
  void open(int n_slots) {
    sums.grow(n_slots);
    for (int k = 0; k < n_slots; ++k) sums.forget(k);
    any = true;
  }
};

}  // namespace dynmeans
