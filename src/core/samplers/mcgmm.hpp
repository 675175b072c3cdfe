// Markov chain Gaussian mixture model of one batch, shared by the samplers (Campbell, Kulis and How 2019).
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/random.hpp"

namespace dynmeans {

// Parameters of the model; all variances are of one coordinate.
struct McgmmParams {
  double noise;              // sigma  points around a center
  double concentration;      // alpha  weight of a birth
  double prior_variance;     // rho    newborn centers
  const double* prior_mean;  // phi    (d,)
  int d;
};

// Remembered clusters, forecast to the time of the batch.
struct McgmmState {
  const double* centers;    // phi_k             (K, d)
  const double* variances;  // rho_k + xi dt     (K,)
  const double* counts;     // c_k               (K,)
  const double* weights;    // q^dt c_k          (K,)
  int n;                    // K
};

// exp(-kNegligible) is below the resolution of a uniform double: such a choice is never drawn.
inline constexpr double kNegligible = 38;

inline double squared_distance(const double* a, const double* b, int d) {
  double sum = 0;
  for (int j = 0; j < d; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

inline double log_normalizer(double variance, int d) {
  return -0.5 * d * std::log(2 * std::numbers::pi * variance);
}

inline double log_gaussian(const double* y, const double* mean, double variance, int d) {
  return log_normalizer(variance, d) - squared_distance(y, mean, d) / (2 * variance);
}

// Draw from a categorical distribution whose weights are factors times exponentials.
class Categorical {
 public:
  void clear() {
    logs_.clear();
    factors_.clear();
    highest_ = -INFINITY;
  }
  void add(double factor, double log) {
    factors_.push_back(factor);
    logs_.push_back(log);
    if (log > highest_) highest_ = log;
  }
  // The logarithm of the total; must be called before draw and share.
  double sum() {
    total_ = 0;
    for (std::size_t k = 0; k < logs_.size(); ++k) {
      const double below = logs_[k] - highest_;
      factors_[k] = below < -kVanishing ? 0.0 : factors_[k] * std::exp(below);
      total_ += factors_[k];
    }
    return highest_ + std::log(total_);
  }
  int draw(Random& random) const {
    double left = random.uniform() * total_;
    int last = 0;
    for (int k = 0; k < int(factors_.size()); ++k) {
      if (factors_[k] == 0) continue;
      last = k;
      left -= factors_[k];
      if (left < 0) break;
    }
    return last;
  }
  double share(int k) const { return factors_[k] / total_; }

 private:
  // Factors differ by much less than exp(kVanishing - kNegligible), so no choice that could be drawn is lost.
  static constexpr double kVanishing = 3 * kNegligible;

  std::vector<double> factors_, logs_;
  double highest_ = 0, total_ = 0;
};

}  // namespace dynmeans
