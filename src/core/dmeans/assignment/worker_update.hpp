// Changes of the cluster sums by the rows of one worker in a pass, and the buffers of that worker.
#pragma once

#include <vector>

#include "dmeans/assignment/tile_comparison.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/cluster_sums.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
struct alignas(64) WorkerUpdate {  // no two workers write to one cache line
  explicit WorkerUpdate(const BatchScale<T>& scale) : sums(scale.terms, scale.weights) {}

  ClusterSums sums;
  std::vector<Row> proposals;  // rows for which a birth or a revival is cheaper than their slot
  bool any = false;            // true if a row moved
  typename TileComparison<T>::Buffers buffers;

  void clear(int d) {
    proposals.clear();
    any = false;
    buffers.clear(d);
  }

  // Before the first move.
  void open(int n_slots) {
    sums.grow(n_slots);
    for (int k = 0; k < n_slots; ++k) sums.clear(k);
    any = true;
  }
};

}  // namespace dynmeans
