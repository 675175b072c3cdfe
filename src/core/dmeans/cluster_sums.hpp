// Weighted sum, weight and number of the rows of every cluster.
#pragma once

#include <utility>
#include <vector>

#include "simd/feature_loops.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

class ClusterSums {
 public:
  explicit ClusterSums(int d) : d_(d) {}

  void grow(int n) {
    sum_.resize(static_cast<std::size_t>(n) * d_);
    weight_.resize(n, 0.0);
    rows_.resize(n, 0);
    is_blank_.resize(n, true);
    is_stale_.resize(n, true);
  }

  const double* sum(int k) const { return sum_.data() + at(k); }
  double weight(int k) const { return weight_[k]; }
  long rows(int k) const { return rows_[k]; }
  // Whether rows were added or removed since the last call.
  bool clear_stale(int k) { return std::exchange(is_stale_[k], false); }

  // A row of weight m comes, or goes if rows and m are negative.
  void add(int k, const double* y, double m, long rows) { add_scaled(k, y, m, m, rows); }

  // Many rows come or go at once.
  void add_total(int k, const double* sum, double weight, long rows) {
    add_scaled(k, sum, 1.0, weight, rows);
  }

  // What rounding left behind must not outlive the rows.
  void forget(int k) {
    weight_[k] = 0;
    rows_[k] = 0;
    is_blank_[k] = is_stale_[k] = true;
  }

 private:
  std::size_t at(int k) const { return static_cast<std::size_t>(k) * d_; }

  void add_scaled(int k, const double* y, double scale, double weight, long rows) {
    double* sum = &sum_[at(k)];
    std::exchange(is_blank_[k], false) ? set_row(sum, y, scale, d_) : add_row(sum, y, scale, d_);
    weight_[k] += weight;
    rows_[k] += rows;
    is_stale_[k] = true;
  }

  int d_;
  RawVector<double> sum_;       // (slots, d)
  std::vector<double> weight_;  // n (slots,)
  std::vector<long> rows_;      // (slots,)
  std::vector<char> is_blank_;  // (slots,) the sum is zero, but not yet written
  std::vector<char> is_stale_;  // (slots,)
};

}  // namespace dynmeans
