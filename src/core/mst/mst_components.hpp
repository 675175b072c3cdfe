// Components of a spanning tree without its long edges (union-find), and the tree of long edges between
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "support/disjoint_sets.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct CutTree {
  std::vector<std::int64_t> component;  // (n,)  of each row
  std::vector<std::int64_t> parent;     // (m,)  component towards component 0, of a smaller number; -1 at 0
  std::vector<double> length;           // (m,)  of the long edge to the parent
};

class MstCutter {
  using Index = std::int32_t;

 public:
  // in: ends (n - 1, 2), lengths (n - 1,) of a spanning tree; edges longer than the scale are cut
  MstCutter(const Index* ends, const double* lengths, Index n, double scale)
      : ends_(ends), lengths_(lengths), n_(n), scale_(scale) {}

  CutTree run() {
    join_short_edges();
    list_neighbors();
    number_outwards();
    result_.component.resize(n_);
    for (Index i = 0; i < n_; ++i) result_.component[i] = number_[piece_[i]];
    return std::move(result_);
  }

 private:
  bool is_long(Index e) const { return lengths_[e] > scale_; }

  // At the end, piece_ has the component of every row, numbered by their first rows.
  void join_short_edges() {
    DisjointSets sets(n_);
    for (Index e = 0; e < n_ - 1; ++e)
      if (!is_long(e)) sets.unite(ends_[2 * e], ends_[2 * e + 1]);
    piece_ = sets.numbers();
    n_pieces_ = 1 + *std::max_element(piece_.begin(), piece_.end());
  }

  // Long edges of every component: those of p are at start_[p] .. start_[p + 1].
  void list_neighbors() {
    start_.assign(n_pieces_ + 1, 0);
    for (Index e = 0; e < n_ - 1; ++e)
      for (int side = 0; side < 2 && is_long(e); ++side) ++start_[piece_[ends_[2 * e + side]] + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    long_edges_.resize(start_.back());
    std::vector<Index> next(start_.begin(), start_.end() - 1);
    for (Index e = 0; e < n_ - 1; ++e)
      for (int side = 0; side < 2 && is_long(e); ++side) long_edges_[next[piece_[ends_[2 * e + side]]]++] = e;
  }

  // Breadth first from the component of row 0, so that a parent is numbered before its children.
  void number_outwards() {
    number_.assign(n_pieces_, -1);
    number_[0] = 0;
    result_.parent = {-1};
    result_.length = {0.0};
    std::vector<Index> order{0};
    for (std::size_t v = 0; v < order.size(); ++v)
      for (Index s = start_[order[v]]; s < start_[order[v] + 1]; ++s) {
        const Index e = long_edges_[s], a = piece_[ends_[2 * e]], b = piece_[ends_[2 * e + 1]];
        const Index other = a == order[v] ? b : a;
        if (number_[other] >= 0) continue;
        number_[other] = Index(order.size());
        order.push_back(other);
        result_.parent.push_back(std::int64_t(v));
        result_.length.push_back(lengths_[e]);
      }
  }

  const Index* ends_;
  const double* lengths_;
  Index n_;
  double scale_;
  Index n_pieces_ = 0;
  std::vector<Index> piece_;       // (n,)
  std::vector<Index> start_;       // (pieces + 1,)
  std::vector<Index> long_edges_;  // (2 * long edges,)
  std::vector<Index> number_;      // (pieces,)  in the result
  CutTree result_;
};

// in: parent (m,), each before its children, length (m,) of the edges to them; out: distance (m, m)
inline void tree_distances(const std::int64_t* parent, const double* length, std::size_t m,
                           double* distance) {
  Poll poll;
  for (std::size_t v = 0; v < m; ++v) {
    poll(4 * std::int64_t(v));  // a column is not in the cache
    distance[v * m + v] = 0;
    for (std::size_t u = 0; u < v; ++u)
      distance[v * m + u] = distance[u * m + v] = distance[std::size_t(parent[v]) * m + u] + length[v];
  }
}

}  // namespace dynmeans
