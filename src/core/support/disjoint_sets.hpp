// Disjoint sets of 0 .. n-1 (Tarjan 1975), with path halving.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

namespace dynmeans {

class DisjointSets {
 public:
  explicit DisjointSets(int n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  // The smallest member of the set of i.
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void unite(int i, int j) {
    i = find(i), j = find(j);
    if (i > j) std::swap(i, j);
    parent_[j] = i;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace dynmeans
