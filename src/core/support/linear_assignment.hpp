// Linear assignment by shortest augmenting paths (Jonker and Volgenant 1987).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/signals.hpp"

namespace dynmeans {

// Match clusters to old ones at minimum cost, where a cluster may stay new at no cost. Clusters are added one
// by one, each along a shortest augmenting path to a free column.
class LinearAssignment {
  static constexpr int kNone = -1;

 public:
  // in: change (L, K)  of the cost, by each link
  LinearAssignment(const double* change, int n_found, int n_old)
      : change_(change),
        n_found_(n_found),
        n_old_(n_old),
        row_dual_(n_found),
        column_dual_(n_old + n_found),
        owner_(n_old + n_found, kNone),
        shortest_(n_old + n_found),
        previous_(n_old + n_found),
        reached_(n_old + n_found) {}

  // Slots (L,) of the clusters: 0 .. K-1 for those that are linked to an old one; K, K+1, ... for the others,
  // in their order. A link that saves nothing is not made.
  std::vector<std::int64_t> run() {
    for (int found = 0; found < n_found_; ++found) augment(found);
    std::vector<std::int64_t> slots(n_found_, kNone);
    for (int k = 0; k < n_old_; ++k)
      if (owner_[k] != kNone && cost(owner_[k], k) < 0) slots[owner_[k]] = k;
    std::int64_t next = n_old_;
    for (std::int64_t& slot : slots)
      if (slot == kNone) slot = next++;
    return slots;
  }

 private:
  // Columns 0 .. K-1 are the old clusters, the next L columns stand for new clusters.
  double cost(int found, int column) const {
    return column < n_old_ ? change_[std::size_t(found) * n_old_ + column] : 0.0;
  }

  // Of two paths of equal length, the one that ends at a free column goes first.
  bool is_sooner(int a, int b) const {
    if (shortest_[a] != shortest_[b]) return shortest_[a] < shortest_[b];
    return owner_[a] == kNone && owner_[b] != kNone;
  }

  void augment(int newest) {
    const int n_columns = int(owner_.size());
    std::fill(shortest_.begin(), shortest_.end(), std::numeric_limits<double>::infinity());
    std::fill(previous_.begin(), previous_.end(), kNone);
    std::fill(reached_.begin(), reached_.end(), false);
    int column = kNone;
    for (int row = newest; row != kNone; row = owner_[column]) {
      int nearest = kNone;
      poll_(4 * n_columns);
      for (int p = 0; p < n_columns; ++p) {
        if (reached_[p]) continue;
        const double length = cost(row, p) - row_dual_[row] - column_dual_[p];
        if (length < shortest_[p]) shortest_[p] = length, previous_[p] = column;
        if (nearest == kNone || is_sooner(p, nearest)) nearest = p;
      }
      const double step = shortest_[nearest];
      row_dual_[newest] += step;
      for (int p = 0; p < n_columns; ++p) {
        if (!reached_[p]) {
          shortest_[p] -= step;
        } else {
          row_dual_[owner_[p]] += step;
          column_dual_[p] -= step;
        }
      }
      reached_[column = nearest] = true;
    }
    for (; column != kNone; column = previous_[column])
      owner_[column] = previous_[column] == kNone ? newest : owner_[previous_[column]];
  }

  const double* change_;
  int n_found_, n_old_;
  std::vector<double> row_dual_, column_dual_;  // (L,), (columns,)  dual variables
  std::vector<int> owner_;                      // (columns,)

  std::vector<double> shortest_;  // (columns,)  path lengths from the newest row
  std::vector<int> previous_;     // (columns,)  previous column on that path
  std::vector<char> reached_;     // (columns,)
  Poll poll_;
};

}  // namespace dynmeans
