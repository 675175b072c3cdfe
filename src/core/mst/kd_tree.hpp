// Balanced kd-tree (Bentley 1975): rows in an order that keeps neighbors together, and the bounding box of
// every node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support/signals.hpp"

namespace dynmeans {

// D is the dimension if it is known when this is compiled, or 0.
template <int D>
struct KdTree {
  using Index = std::int32_t;
  static constexpr Index kLeafSize = 8;  // rows that a search compares one by one
  static constexpr int kMaxDepth = 40;   // halving 2^31 rows down to a leaf takes fewer steps

  struct Node {
    Index begin, end;  // rows of the node, in tree order
    Index child;       // the first of its two children, which are neighbors; 0 for a leaf
    bool is_leaf() const { return child == 0; }
  };

  int d;
  std::vector<Index> order;    // (n,)  the original row at each index of the tree order
  std::vector<double> points;  // (n, d)  in tree order
  std::vector<Node> nodes;     // a parent comes before its children
  std::vector<double> boxes;   // (nodes, 2, d)  lower corner, then upper corner

  KdTree(const double* data, Index n, int d, double unit) : d(d), order(n), points(std::size_t(n) * d) {
    std::iota(order.begin(), order.end(), 0);
    build(data);
    for (Index i = 0; i < n; ++i)
      for (int j = 0; j < d; ++j) points[std::size_t(i) * d + j] = data[std::size_t(order[i]) * d + j] * unit;
    for (double& corner : boxes) corner *= unit;
  }

  Index n() const { return Index(order.size()); }

  int dimension() const { return D ? D : d; }

  const double* point(Index i) const { return &points[std::size_t(i) * dimension()]; }

  double squared_distance(const double* x, const double* y) const {
    double sum = 0;
    for (int j = 0; j < dimension(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
  }

  // Squared distance from x to the box of a node; 0 inside.
  double squared_distance(const double* x, Index node) const {
    const double* low = &boxes[std::size_t(node) * 2 * dimension()];
    const double* high = low + dimension();
    double sum = 0;
    for (int j = 0; j < dimension(); ++j) {
      const double outside = std::max(std::max(low[j] - x[j], x[j] - high[j]), 0.0);
      sum += outside * outside;
    }
    return sum;
  }

  // Squared distance from x, inside the box of a node, to the nearest face; no row of another node is closer.
  double squared_depth(const double* x, Index node) const {
    const double* low = &boxes[std::size_t(node) * 2 * dimension()];
    const double* high = low + dimension();
    double nearest = std::numeric_limits<double>::infinity();
    for (int j = 0; j < dimension(); ++j) nearest = std::min({nearest, x[j] - low[j], high[j] - x[j]});
    return nearest * nearest;
  }

 private:
  using Keyed = std::pair<double, Index>;

  // Halving by rank, not by position, keeps the tree balanced for all data: sorted, equal, far apart.
  // Depth first, because a small part of the rows soon fits into the cache.
  void build(const double* data) {
    std::vector<Keyed> keyed(order.size());
    std::vector<Index> waiting{0};
    nodes.push_back({0, n(), 0});
    Poll poll;
    while (!waiting.empty()) {
      const Index v = waiting.back();
      waiting.pop_back();
      poll(std::int64_t(nodes[v].end - nodes[v].begin) * (16 + 2 * d));
      const int widest = find_box(v, data);
      if (nodes[v].end - nodes[v].begin <= kLeafSize) continue;
      halve(v, data + widest, keyed);
      waiting.insert(waiting.end(), {nodes[v].child + 1, nodes[v].child});
    }
  }

  void halve(Index v, const double* coordinate, std::vector<Keyed>& keyed) {
    const auto [begin, end, _] = nodes[v];
    const Index middle = begin + (end - begin) / 2;
    for (Index i = begin; i < end; ++i)
      keyed[i] = {coordinate[std::size_t(order[i]) * dimension()], order[i]};
    std::nth_element(keyed.begin() + begin, keyed.begin() + middle, keyed.begin() + end);
    for (Index i = begin; i < end; ++i) order[i] = keyed[i].second;
    nodes[v].child = Index(nodes.size());
    nodes.push_back({begin, middle, 0});
    nodes.push_back({middle, end, 0});
  }

  // Returns the coordinate in which the box is widest.
  int find_box(Index v, const double* data) {
    const std::size_t low = std::size_t(v) * 2 * dimension(), high = low + dimension();
    boxes.resize(std::max(boxes.size(), nodes.size() * 2 * dimension()));
    std::fill_n(&boxes[low], dimension(), std::numeric_limits<double>::infinity());
    std::fill_n(&boxes[high], dimension(), -std::numeric_limits<double>::infinity());
    for (Index i = nodes[v].begin; i < nodes[v].end; ++i) {
      const double* x = data + std::size_t(order[i]) * dimension();
      for (int j = 0; j < dimension(); ++j) {
        boxes[low + j] = std::min(boxes[low + j], x[j]);
        boxes[high + j] = std::max(boxes[high + j], x[j]);
      }
    }
    int widest = 0;
    for (int j = 1; j < dimension(); ++j)
      if (width(low, j) > width(low, widest)) widest = j;
    return widest;
  }

  // Halved, because the difference of two large numbers may not be a number.
  double width(std::size_t box, int j) const { return boxes[box + dimension() + j] / 2 - boxes[box + j] / 2; }
};

}  // namespace dynmeans
