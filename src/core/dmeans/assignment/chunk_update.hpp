// Changes of the cluster sums by one chunk of rows in a pass, and the buffers of that chunk.
#pragma once

#include <vector>

#include "dmeans/assignment/product_comparison.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/cluster_sums.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
struct ChunkUpdate {
  explicit ChunkUpdate(const BatchScale<T>& scale) : sums(scale.terms, scale.weights) {}

  ClusterSums sums;
  std::vector<Row> proposals;  // rows for which a birth or a revival is cheaper than their slot
  std::vector<Row> uncertain;  // rows whose nearest center the products do not determine
  bool any = false;
  std::vector<T> tile;      // (d, kTile)
  RawVector<T> centers;     // (awake, d) in the precision of the tile, computed on first use
  std::vector<double> row;  // (d,)
  ProductComparison::Tile products;

  void clear(int d) {
    proposals.clear();
    uncertain.clear();
    any = false;
    tile.resize(std::size_t(d) * kTile);
    centers.clear();
    row.resize(d);
    products.resize(d);
  }

  // Before the first move.
  void open(int n_slots) {
    sums.grow(n_slots);
    for (int k = 0; k < n_slots; ++k) sums.clear(k);
    any = true;
  }
};

}  // namespace dynmeans
