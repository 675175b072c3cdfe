// Exact Euclidean minimum spanning tree: Boruvka (1926) with a kd-tree.
//
// In each round every component takes its shortest edge to another one. Two facts make a round fast. The
// nearest point in another component stays the nearest while the components differ; afterwards its distance
// is still a lower bound, because components only grow. A point whose bound is not below the shortest edge
// of its component is skipped. Ties may be broken freely: an edge whose ends were connected earlier in the
// round closes a cycle of equal edges and is dropped.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "mst/kd_tree.hpp"
#include "mst/prim_mst.hpp"
#include "support/disjoint_sets.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

template <int D>
class BoruvkaMst {
  using Index = std::int32_t;
  static constexpr Index kNone = -1;
  static constexpr double kFar = std::numeric_limits<double>::infinity();

 public:
  // data (n, d); unit: factor of all rows that keeps squared distances finite; n_threads: 0 for all cores
  BoruvkaMst(const double* data, Index n, int d, double unit, int n_threads)
      : tree_(data, n, d, unit), unit_(unit), pool_(n_threads), component_(n), near_(n, kNone), bound_(n) {
    std::iota(component_.begin(), component_.end(), 0);
    node_component_.resize(tree_.nodes.size());
    n_components_ = n;
    find_parents();
  }

  TreeEdges run() {
    for (Poll poll; n_components_ > 1; poll(8 * std::int64_t(tree_.n()))) {
      mark_nodes();
      choose();
      search();
      choose();
      join();
    }
    return std::move(edges_);
  }

 private:
  void find_parents() {
    leaf_.resize(tree_.n());
    above_.resize(tree_.nodes.size(), kNone);
    for (std::size_t v = 0; v < tree_.nodes.size(); ++v) {
      const auto& node = tree_.nodes[v];
      if (node.is_leaf()) {
        std::fill(leaf_.begin() + node.begin, leaf_.begin() + node.end, Index(v));
      } else {
        above_[node.child] = above_[node.child + 1] = Index(v);
      }
    }
  }

  // The component that all rows of a node belong to, or none.
  void mark_nodes() {
    for (std::size_t v = tree_.nodes.size(); v-- > 0;) {
      const auto& node = tree_.nodes[v];
      if (node.is_leaf()) {
        const auto* first = &component_[node.begin];
        const bool equal =
            std::all_of(first, first + (node.end - node.begin), [&](Index c) { return c == *first; });
        node_component_[v] = equal ? *first : kNone;
      } else {
        const Index left = node_component_[node.child], right = node_component_[node.child + 1];
        node_component_[v] = left == right ? left : kNone;
      }
    }
  }

  bool leads_out(Index i) const { return near_[i] != kNone && component_[near_[i]] != component_[i]; }

  // The shortest edge out of each component among those that are known.
  void choose() {
    shortest_.assign(n_components_, kFar);
    from_.assign(n_components_, kNone);
    for (Index i = 0; i < tree_.n(); ++i) {
      const Index c = component_[i];
      if (!leads_out(i) || !(bound_[i] < shortest_[c])) continue;
      shortest_[c] = bound_[i];
      from_[c] = i;
    }
  }

  // Chunks are fixed and independent of each other, so the number of threads changes no result.
  void search() {
    constexpr Index kChunk = 4096;  // rows
    pool_.run(int((tree_.n() + kChunk - 1) / kChunk), [&](int chunk) {
      const Index begin = Index(chunk) * kChunk;
      search_rows(begin, begin + std::min(kChunk, tree_.n() - begin));
    });
  }

  void search_rows(Index begin, Index end) {
    // Cache of the edges that this chunk has found, for some components at a time; a miss only costs time.
    struct Found {
      Index component = kNone;
      double length = kFar;
    };
    std::array<Found, 64> recent{};
    Poll poll;
    for (Index i = begin; i < end; ++i) {
      poll(1);
      const Index c = component_[i];
      Found& found = recent[std::size_t(c) % recent.size()];
      const double limit = found.component == c ? std::min(found.length, shortest_[c]) : shortest_[c];
      if (leads_out(i) || bound_[i] >= limit) continue;
      search_row(i, limit, poll);
      if (near_[i] != kNone) found = {c, bound_[i]};
    }
  }

  // The nearest row of another component closer than the limit; without one, the limit is the new bound.
  // Searches from the leaf of the row upwards, until the ball of the limit lies inside the box of a node.
  void search_row(Index i, double limit, Poll& poll) {
    const double* x = tree_.point(i);
    near_[i] = kNone;
    Index v = leaf_[i];
    search_below(v, i, limit, poll);
    for (Index up = above_[v]; up != kNone && tree_.squared_depth(x, v) < limit; v = up, up = above_[v])
      search_below(2 * tree_.nodes[up].child + 1 - v, i, limit, poll);
    bound_[i] = limit;
  }

  void search_below(Index top, Index i, double& limit, Poll& poll) {
    struct Visit {
      Index node;
      double distance;
    };
    std::array<Visit, KdTree<D>::kMaxDepth> stack;
    const double* x = tree_.point(i);
    const Index own = component_[i];
    int depth = 0;
    stack[depth++] = {top, tree_.squared_distance(x, top)};
    while (depth > 0) {
      const Visit visit = stack[--depth];
      poll(4 * tree_.dimension());
      if (visit.distance >= limit || node_component_[visit.node] == own) continue;
      const auto& node = tree_.nodes[visit.node];
      if (node.is_leaf()) {
        search_leaf(node, i, x, limit);
        continue;
      }
      Visit nearer{node.child, tree_.squared_distance(x, node.child)};
      Visit farther{node.child + 1, tree_.squared_distance(x, node.child + 1)};
      if (farther.distance < nearer.distance) std::swap(nearer, farther);
      stack[depth++] = farther;
      stack[depth++] = nearer;
    }
  }

  void search_leaf(const typename KdTree<D>::Node& leaf, Index i, const double* x, double& limit) {
    for (Index j = leaf.begin; j < leaf.end; ++j) {
      if (component_[j] == component_[i]) continue;
      const double distance = tree_.squared_distance(x, tree_.point(j));
      if (!(distance < limit)) continue;
      limit = distance;
      near_[i] = j;
    }
  }

  void join() {
    DisjointSets sets(n_components_);
    for (Index c = 0; c < n_components_; ++c) {
      const Index i = from_[c], j = near_[i];
      if (!sets.unite(c, component_[j])) continue;
      edges_.ends.insert(edges_.ends.end(), {tree_.order[i], tree_.order[j]});
      edges_.lengths.push_back(std::sqrt(bound_[i]) / unit_);
    }
    const std::vector<int> number = sets.numbers();
    for (Index& c : component_) c = number[c];
    n_components_ = 1 + *std::max_element(number.begin(), number.end());
  }

  KdTree<D> tree_;
  double unit_;
  ThreadPool pool_;
  Index n_components_;
  std::vector<Index> component_;       // (n,)  of each row, in tree order
  std::vector<Index> near_;            // (n,)  nearest row of another component, when it was last searched
  std::vector<double> bound_;          // (n,)  no row of another component is closer, squared
  std::vector<Index> node_component_;  // (nodes,)
  std::vector<Index> leaf_;            // (n,)  where each row is
  std::vector<Index> above_;           // (nodes,)  the node that each is a child of, none for the root
  std::vector<double> shortest_;       // (components,)  squared length of the shortest edge out
  std::vector<Index> from_;            // (components,)  the row where it begins
  TreeEdges edges_;
};

// A power of two that brings all coordinates to about 1, or 0 if one of them is not finite.
inline double safe_unit(const double* data, std::size_t count) {
  double largest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (!std::isfinite(data[k])) return 0;
    largest = std::max(largest, std::abs(data[k]));
  }
  return std::ldexp(1.0, -std::clamp(std::ilogb(std::max(largest, 1e-300)), -1000, 1000));
}

// Up to this number of rows, comparing all pairs is faster than a search tree.
inline int max_prim_rows(int d) {
  return d <= 3 ? 1500 : std::min(500 * d, 20000);
}

// in: data (n, d), n > 0, all finite; unit and n_threads as in BoruvkaMst
inline TreeEdges spanning_tree(const double* data, std::int32_t n, int d, double unit, int n_threads) {
  if (n <= max_prim_rows(d)) return PrimMst(data, n, d, unit).run();
  if (d == 1) return BoruvkaMst<1>(data, n, d, unit, n_threads).run();
  if (d == 2) return BoruvkaMst<2>(data, n, d, unit, n_threads).run();
  if (d == 3) return BoruvkaMst<3>(data, n, d, unit, n_threads).run();
  return BoruvkaMst<0>(data, n, d, unit, n_threads).run();
}

}  // namespace dynmeans
