// Orthogonal matching pursuit (Pati, Rezaiifar and Krishnaprasad 1993): approximate a center by few of its
// points, with one column of a pivoted Cholesky factor of their kernel W per selected point.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "simd/dispatch.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct MatchingPursuitOptions {
  double dependent;   // share of its squared length that a point must add to the chosen ones
  double equal;       // gains above this share of the best are equal; the most independent is chosen
  double negligible;  // share of the squared length of the center below which the selection stops
};

struct Picks {
  std::vector<std::int64_t> chosen;  // in the order of selection
  std::vector<double> coefficients;
};

// y += factor * x; the same bits on every machine.
struct AddMultiple {
  double* y;
  const double* x;
  double factor;
  std::int64_t n;

  [[gnu::always_inline]] void run() const {
    for (std::int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
  }
};

class MatchingPursuit {
 public:
  // in: gram (s, s) symmetric, coefficients (s,)
  MatchingPursuit(const double* gram, const double* coefficients, std::int64_t s,
                  const MatchingPursuitOptions& rules)
      : gram_(gram), s_(s), rules_(rules), residual_(s), correlation_(s), column_(s), gain_(s) {
    for (std::int64_t i = 0; i < s; ++i) {
      poll_(s);
      residual_[i] = line(i)[i];
      run_wide(AddMultiple{correlation_.data(), line(i), coefficients[i], s});
    }
    length_ = remaining_ = std::inner_product(correlation_.begin(), correlation_.end(), coefficients, 0.0);
  }

  Picks run(std::int64_t budget) {
    while (count() < std::min(budget, s_) && remaining_ > rules_.negligible * length_) {
      poll_(s_ * (count() + 4));
      const std::int64_t j = best();
      if (!(gain_[j] > 0)) break;
      take(j);
    }
    return {chosen_, solved()};
  }

 private:
  const double* line(std::int64_t i) const { return gram_ + i * s_; }
  std::int64_t count() const { return std::int64_t(chosen_.size()); }

  std::int64_t best() {
    double largest = -1;
    for (std::int64_t i = 0; i < s_; ++i) {
      gain_[i] = residual_[i] > rules_.dependent * line(i)[i]
                     ? correlation_[i] * correlation_[i] / residual_[i]
                     : -1;
      largest = std::max(largest, gain_[i]);
    }
    std::int64_t best = -1;
    for (std::int64_t i = 0; i < s_; ++i)
      if (gain_[i] >= rules_.equal * largest && (best < 0 || residual_[i] > residual_[best])) best = i;
    return std::max<std::int64_t>(best, 0);
  }

  void take(std::int64_t j) {
    std::copy_n(line(j), s_, column_.begin());
    for (std::int64_t p = 0; p < count(); ++p) {
      const double* earlier = &factor_[p * s_];
      run_wide(AddMultiple{column_.data(), earlier, -earlier[j], s_});
    }
    const double root = std::sqrt(residual_[j]), step = correlation_[j] / root;
    for (std::int64_t i = 0; i < s_; ++i) {
      column_[i] /= root;
      residual_[i] -= column_[i] * column_[i];
      correlation_[i] -= step * column_[i];
    }
    factor_.insert(factor_.end(), column_.begin(), column_.end());
    remaining_ -= step * step;
    steps_.push_back(step);
    chosen_.push_back(j);
  }

  // Coefficients from the steps: back substitution in the triangle of the chosen.
  std::vector<double> solved() const {
    std::vector<double> x = steps_;
    for (std::int64_t p = count() - 1; p >= 0; --p) {
      const double* mine = &factor_[p * s_];
      for (std::int64_t q = p + 1; q < count(); ++q) x[p] -= mine[chosen_[q]] * x[q];
      x[p] /= mine[chosen_[p]];
    }
    return x;
  }

  const double* gram_;
  std::int64_t s_;
  MatchingPursuitOptions rules_;
  double length_, remaining_;        // squared length of the center, and of the residual
  std::vector<double> residual_;     // (s,)  squared distance of each point from the span of the chosen ones
  std::vector<double> correlation_;  // (s,)  product of each point with the residual
  std::vector<double> column_, gain_;  // (s,)
  std::vector<double> factor_;         // (picks, s)  W ~ factor' factor
  std::vector<double> steps_;
  std::vector<std::int64_t> chosen_;
  Poll poll_;
};

}  // namespace dynmeans
