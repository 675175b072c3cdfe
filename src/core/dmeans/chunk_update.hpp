// Changes of the cluster sums by one chunk of rows in a pass, and the buffers of that chunk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dmeans/batch_view.hpp"
#include "dmeans/product_comparison.hpp"
#include "simd/feature_loops.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
struct ChunkUpdate {
  RawVector<double> sum;         // (slots, d) of those that are met
  std::vector<double> weight;    // (slots,)
  std::vector<long> rows;        // (slots,)
  std::vector<char> is_touched;  // (slots,) a row has come or gone
  std::vector<Row> restless;
  bool any = false;
  std::vector<T> tile;      // (d, kTile)
  RawVector<T> centers;     // (awake, d) as the tile wants them, computed on first use
  std::vector<double> row;  // (d,)
  ProductComparison::Tile products;

  void clear(int d) {
    restless.clear();
    any = false;
    tile.resize(std::size_t(d) * kTile);
    centers.clear();
    row.resize(d);
    products.resize(d);
  }

  // Before the first move.
  void open(std::size_t n_slots) {
    sum.resize(n_slots * row.size());
    weight.assign(n_slots, 0.0);
    rows.assign(n_slots, 0);
    is_touched.assign(n_slots, false);
    any = true;
  }

  // A row of weight m comes, or goes if both are negative.
  void add(std::int32_t k, const double* y, double m, int count) {
    const int d = int(row.size());
    double* to = &sum[std::size_t(k) * d];
    std::exchange(is_touched[k], true) ? add_row(to, y, m, d) : set_row(to, y, m, d);
    weight[k] += m;
    rows[k] += count;
  }
};

}  // namespace dynmeans
