// Weighted sum, weight and number of the rows of every cluster, exact in any order of the rows.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "simd/reproducible_sum.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

class ClusterSums {
 public:
  // The grids must outlive the sums.
  ClusterSums(const SumGrid& terms, const SumGrid& weights) : terms_(&terms), weights_(&weights) {}

  void grow(int n) {
    sum_.resize(n * terms_->size());
    weight_.resize(n * weights_->size(), 0.0);
    rows_.resize(n, 0);
    is_blank_.resize(n, true);
    is_stale_.resize(n, true);
  }

  // Reads the sum (d,) of a cluster with rows.
  void read_sum(int k, double* out) const { terms_->total(&sum_[k * terms_->size()], out); }
  double weight(int k) const {
    double total;
    weights_->total(&weight_[k * weights_->size()], &total);
    return total;
  }
  long rows(int k) const { return rows_[k]; }
  // Whether rows were added or removed since the last call.
  bool clear_stale(int k) { return std::exchange(is_stale_[k], false); }

  // Adds a row of weight m; removes it if rows and m are negative.
  void add(int k, const double* y, double m, long rows) {
    terms_->add(y, m, touched(k));
    weights_->add_number(m, &weight_[k * weights_->size()]);
    rows_[k] += rows;
  }

  // Adds the sums of cluster `from` of `other`.
  void merge(int k, const ClusterSums& other, int from) {
    if (other.is_blank_[from]) return;
    merge_numbers(k, other.numbers(from), other.weight_numbers(from), other.rows_[from]);
  }

  // The numbers of a sum, for a merge elsewhere: (folds, d) and (folds,).
  bool is_blank(int k) const { return is_blank_[k]; }
  const double* numbers(int k) const { return &sum_[k * terms_->size()]; }
  const double* weight_numbers(int k) const { return &weight_[k * weights_->size()]; }
  std::size_t n_numbers() const { return terms_->size(); }
  std::size_t n_weight_numbers() const { return weights_->size(); }
  void merge_numbers(int k, const double* numbers, const double* weight_numbers, long rows) {
    terms_->merge(numbers, touched(k));
    weights_->merge(weight_numbers, &weight_[k * weights_->size()]);
    rows_[k] += rows;
  }

  void clear(int k) {
    std::fill_n(&weight_[k * weights_->size()], weights_->size(), 0.0);
    rows_[k] = 0;
    is_blank_[k] = is_stale_[k] = true;
  }

 private:
  double* touched(int k) {
    double* const sum = &sum_[k * terms_->size()];
    if (std::exchange(is_blank_[k], false)) std::fill_n(sum, terms_->size(), 0.0);
    is_stale_[k] = true;
    return sum;
  }

  const SumGrid *terms_, *weights_;
  RawVector<double> sum_;       // (slots, folds, d)
  std::vector<double> weight_;  // n (slots, folds)
  std::vector<long> rows_;      // (slots,)
  std::vector<char> is_blank_;  // (slots,) the sum is zero, but not yet written
  std::vector<char> is_stale_;  // (slots,)
};

}  // namespace dynmeans
