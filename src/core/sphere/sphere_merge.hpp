// Merge clusters of directions while this lowers the cost, the pair with the largest saving first.
//
// Cluster i with resultant A_i = gamma_i phi_i + S_i absorbs the rows of j, with sum S_j. The cost changes by
//   |A_i| + |A_j| - |A_i + S_j| - link_j - gamma_j                                     Eq. (sphere-merge)
// where link_j is the birth or revival cost that is saved. Each cluster keeps its best partner, so a merge
// costs a few products with all clusters.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dmeans/batch/batch_scale.hpp"
#include "simd/simd_kernels.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct SphereGroupTable {
  int d = 0;
  std::vector<double> sums;        // (G, d) S
  std::vector<double> resultants;  // (G, d) A
  std::vector<double> released;    // (G,)   link + gamma, which a cluster releases when it ends

  int count() const { return int(released.size()); }
  const double* sum(int g) const { return &sums[std::size_t(g) * d]; }
  const double* resultant(int g) const { return &resultants[std::size_t(g) * d]; }
};

class SphereMerge {
 public:
  explicit SphereMerge(SphereGroupTable table)
      : table_(std::move(table)),
        into_(table_.count()),
        with_(table_.count(), kNone),
        change_(table_.count()),
        dots_(table_.count()) {
    for (int g = 0; g < table_.count(); ++g) {
      into_[g] = g;
      sum_squares_.push_back(dot(table_.sum(g), table_.sum(g)));
      lengths_.push_back(std::sqrt(dot(table_.resultant(g), table_.resultant(g))));
    }
  }

  // out: (G,) the cluster that has the rows of each at the end
  std::vector<int> run() {
    for (int g = 0; g < table_.count(); ++g) find_partner(g);
    for (int i = best(); i != kNone; i = best()) absorb(i, with_[i]);
    for (int& owner : into_)
      while (owner != into_[owner]) owner = into_[owner];
    return into_;
  }

 private:
  static constexpr double kTolerance = 1e-12;  // relative; smaller gains may be rounding errors

  double dot(const double* a, const double* b) const { return dot_product(a, b, table_.d); }
  bool is_alive(int g) const { return into_[g] == g; }

  // Eq. (sphere-merge) if i absorbs j, where `product` is A_i . S_j.
  double change(int i, int j, double product) const {
    const double squared = lengths_[i] * lengths_[i] + 2 * product + sum_squares_[j];
    return lengths_[i] + lengths_[j] - std::sqrt(std::max(squared, 0.0)) - table_.released[j];
  }

  void find_partner(int i) {
    poll_(std::int64_t(table_.d) * table_.count());
    dot_lanes<double>().dots(table_.resultant(i), table_.d, table_.sums.data(), table_.count(), dots_.data());
    with_[i] = kNone;
    change_[i] = 0;
    for (int j = 0; j < table_.count(); ++j)
      if (j != i && is_alive(j)) consider(i, j, dots_[j]);
  }

  void consider(int i, int j, double product) {
    const double found = change(i, j, product);
    if (found < change_[i] - kTolerance * (lengths_[i] + lengths_[j])) change_[i] = found, with_[i] = j;
  }

  // The cluster whose best merge has the largest saving.
  int best() const {
    int found = kNone;
    for (int g = 0; g < table_.count(); ++g)
      if (is_alive(g) && with_[g] != kNone && (found == kNone || change_[g] < change_[found])) found = g;
    return found;
  }

  void absorb(int i, int j) {
    const std::size_t at = std::size_t(i) * table_.d;
    for (int f = 0; f < table_.d; ++f) {
      table_.sums[at + f] += table_.sum(j)[f];
      table_.resultants[at + f] += table_.sum(j)[f];
    }
    into_[j] = i;
    sum_squares_[i] = dot(table_.sum(i), table_.sum(i));
    lengths_[i] = std::sqrt(dot(table_.resultant(i), table_.resultant(i)));
    for (int k = 0; k < table_.count(); ++k) {
      if (!is_alive(k)) continue;
      if (k == i || with_[k] == i || with_[k] == j)
        find_partner(k);
      else
        consider(k, i, dot(table_.resultant(k), table_.sum(i)));
    }
  }

  SphereGroupTable table_;
  std::vector<int> into_;            // (G,) its own number, or that of the cluster that absorbed it
  std::vector<int> with_;            // (G,) the cluster that it should absorb
  std::vector<double> change_;       // (G,) of the cost, if it does
  std::vector<double> sum_squares_;  // (G,) |S|^2
  std::vector<double> lengths_;      // (G,) |A|
  std::vector<double> dots_;
  Poll poll_;
};

}  // namespace dynmeans
