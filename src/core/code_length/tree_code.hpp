// Code length of the rows of one id in one step, given one of them: edges of their minimum spanning tree.
//
// Each other row lies next to a row of the same id, in any direction, at a length drawn from one density for
// all ids of the stream. The code does not encode which row is the neighbor.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mst/prim_mst.hpp"

namespace dynmeans {

// Nats of an edge by the logarithm of its length, linear between the points of an even grid.
struct EdgeTable {
  const double* nats;  // (n,)
  int n;
  double first, step;  // logarithm of the shortest length, and distance of two points of the grid

  double operator()(double length) const {
    const double bin = length > 0.0 ? (std::log(length) - first) / step : 0.0;
    const double at = std::clamp(bin, 0.0, double(n - 1));
    const int below = std::min(int(at), n - 2);
    return nats[below] + (at - below) * (nats[below + 1] - nats[below]);
  }
};

// Nats of the edges. rows: (n, d)
inline double encode_tree(const std::vector<double>& rows, int d, const EdgeTable& table) {
  const int n = int(rows.size()) / d;
  if (n < 2) return 0.0;
  double nats = 0.0;
  for (const double length : PrimMst(rows.data(), n, d, 1.0).run().lengths) nats += table(length);
  return nats;
}

}  // namespace dynmeans
