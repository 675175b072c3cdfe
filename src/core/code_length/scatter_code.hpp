// Code length of the scatter of clusters: an inverse-Wishart marginal around the pooled covariance.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "code_length/cholesky.hpp"
#include "code_length/stream_summary.hpp"

namespace dynmeans {

inline double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log(std::exp(a - larger) + std::exp(b - larger));
}

class ScatterCode {
 public:
  ScatterCode(int d, const double* floor, double min_variance)
      : d_(d), floor_(floor), min_variance_(min_variance), pooled_(std::size_t(d) * d) {}

  // Before the first step, each of kScales sizes, from that of all data down, is equally likely.
  // Returns the nats for the scatters of all groups, and the likeliest size as the usual one.
  double first(const std::vector<Group>& groups, const Square& whole, Square& best) {
    double best_sum = 0.0, mixed = 0.0;
    for (int s = 0; s < kScales; ++s) {
      Square usual(whole);
      for (double& value : usual) value *= std::pow(0.25, s);
      for (int j = 0; j < d_; ++j) usual[j * d_ + j] += floor_[j];
      double sum = 0.0;
      for (const Group& group : groups) sum += likelihood(group, 0.0, usual);
      mixed = s == 0 ? sum : log_sum(mixed, sum);
      if (s == 0 || sum > best_sum) {
        best_sum = sum;
        best = usual;
      }
    }
    return std::log(double(kScales)) - mixed;
  }

  // Pooled covariance C, shrunk towards a round one by d + 1 points: with few points in many dimensions it
  // would be singular.
  Square usual() const {
    const double prior = d_ + 1.0, round = evidence_ > 0.0 ? variance() : 0.0;
    Square found(pooled_);
    for (double& value : found) value /= evidence_ + prior;
    for (int j = 0; j < d_; ++j) found[j * d_ + j] += round * prior / (evidence_ + prior) + floor_[j];
    return found;
  }

  // Marginal of the scatter of n points under an inverse Wishart with d + 2 + own degrees and mean
  // shape / (1 + own).
  double likelihood(const Group& group, double own, const Square& shape) {
    const double more = group.n - 1.0, degrees = d_ + 2.0 + own;
    if (more <= 0.0) return 0.0;
    Square after(shape);
    for (std::size_t i = 0; i < after.size(); ++i) after[i] += group.scatter[i];
    return log_gamma_ratio(degrees, more) -
           0.5 * d_ * (more * std::log(std::numbers::pi) + std::log(group.n)) +
           0.5 * (degrees * log_det(shape) - (degrees + more) * log_det(after));
  }

  void learn(const Group& group) {
    evidence_ += std::max(group.n - 1.0, 0.0);
    for (std::size_t i = 0; i < pooled_.size(); ++i) pooled_[i] += group.scatter[i];
  }

  bool has_evidence() const { return evidence_ > 0.0; }
  double variance() const { return trace(pooled_, d_) / d_ / evidence_; }  // s = tr C / d

 private:
  static constexpr int kScales = 9;  // sizes of clusters that are tried before the first step

  double log_gamma_ratio(double degrees, double more) const {
    double sum = 0.0;
    for (int j = 0; j < d_; ++j)
      sum += std::lgamma(0.5 * (degrees + more - j)) - std::lgamma(0.5 * (degrees - j));
    return sum;
  }

  double log_det(const Square& matrix) {
    cholesky(matrix, d_, min_variance_, factor_);
    return log_det_of_factor(factor_, d_);
  }

  int d_;
  const double* floor_;
  double min_variance_;
  Square pooled_, factor_;
  double evidence_ = 0.0;
};

}  // namespace dynmeans
