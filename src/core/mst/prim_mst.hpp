// Euclidean minimum spanning tree of few rows: Prim (1957), grown from row 0.
//
// All pairs are compared, two at a time: for few rows or in many dimensions no search tree is faster.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "simd/vector.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct TreeEdges {
  std::vector<std::int32_t> ends;  // (n - 1, 2)
  std::vector<double> lengths;     // (n - 1,)
};

class PrimMst {
  using Index = std::int32_t;
  static constexpr double kFar = std::numeric_limits<double>::infinity();

 public:
  // unit: rows are multiplied by it, so that no square of a distance overflows
  PrimMst(const double* data, Index n, int d, double unit)
      : d_(d), stride_(n + kTwo), unit_(unit), columns_(std::size_t(d) * stride_, kNowhere), newest_(d) {
    for (Index i = 0; i < n; ++i)
      for (int j = 0; j < d; ++j) column(j)[i] = data[std::size_t(i) * d + j] * unit;
    rows_.resize(n);
    std::iota(rows_.begin(), rows_.end(), 0);
    from_.resize(stride_);
    distances_.resize(stride_, kFar);
  }

  TreeEdges run() {
    Index left = Index(rows_.size());
    Index row = take_out(0, --left);
    Poll poll;
    for (; left > 0; --left) {
      poll(std::int64_t(left) * d_);
      const Index k = nearest(row, left);
      edges_.ends.insert(edges_.ends.end(), {Index(from_[k]), rows_[k]});
      edges_.lengths.push_back(std::sqrt(distances_[k]) / unit_);
      row = take_out(k, left - 1);
    }
    return std::move(edges_);
  }

 private:
  // Coordinate of an unused entry: comparisons with its distance are false.
  static constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

  double* column(int j) { return &columns_[std::size_t(j) * stride_]; }

  // Rows that are not yet in the tree stay together: the last of them takes the free entry.
  Index take_out(Index k, Index last) {
    for (int j = 0; j < d_; ++j) {
      newest_[j] = column(j)[k];
      column(j)[k] = column(j)[last];
      column(j)[last] = kNowhere;
    }
    const Index row = rows_[k];
    rows_[k] = rows_[last];
    from_[k] = from_[last];
    distances_[k] = distances_[last];
    distances_[last] = kFar;
    return row;
  }

  // The row outside that is nearest to the tree, now that the newest row is in it.
  Index nearest(Index newest, Index left) {
    Two shortest = Two{} + kFar, which = Two{}, here{0, 1};
    for (Index k = 0; k < left; k += kTwo, here += double(kTwo)) {
      Two& distance = *reinterpret_cast<Two*>(&distances_[k]);
      Two& from = *reinterpret_cast<Two*>(&from_[k]);
      const Two fresh = squared_distances(k);
      from = fresh < distance ? Two{} + double(newest) : from;
      distance = fresh < distance ? fresh : distance;
      which = distance < shortest ? here : which;
      shortest = distance < shortest ? distance : shortest;
    }
    int best = 0;
    for (int l = 1; l < kTwo; ++l)
      if (shortest[l] < shortest[best]) best = l;
    return Index(which[best]);
  }

  // Squared distances from the newest row in the tree to two rows outside.
  Two squared_distances(Index k) {
    Two sum{};
    for (int j = 0; j < d_; ++j) {
      const Two step = *reinterpret_cast<const Two*>(column(j) + k) - newest_[j];
      sum += step * step;
    }
    return sum;
  }

  int d_;
  Index stride_;
  double unit_;
  std::vector<double> columns_;    // (d, stride)  rows outside the tree
  std::vector<double> newest_;     // (d,)  newest row in the tree
  std::vector<Index> rows_;        // (n,)
  std::vector<double> from_;       // (stride,)  nearest row in the tree, as a number of the same width
  std::vector<double> distances_;  // (stride,)  squared distance to it
  TreeEdges edges_;
};

}  // namespace dynmeans
