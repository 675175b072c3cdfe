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

  // False if i and j are in one set already.
  bool unite(int i, int j) {
    i = find(i), j = find(j);
    if (i == j) return false;
    if (i > j) std::swap(i, j);
    parent_[j] = i;
    return true;
  }

  // Number of the set of each element: sets are numbered in the order of their smallest members.
  std::vector<int> numbers() {
    std::vector<int> number(parent_.size());
    int count = 0;
    for (int i = 0; i < int(number.size()); ++i) number[i] = find(i) == i ? count++ : number[find(i)];
    return number;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace dynmeans
