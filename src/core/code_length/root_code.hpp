// Density of the root of a known id: Student's t around its forecast.
//
// The forecast is the last center, with or without the last displacement, smoothed. Both are mixed by their
// past likelihood. The spread is learned from the residuals of rows, not from the scatter within a step,
// so that ids of one row count as well.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "code_length/cholesky.hpp"
#include "code_length/scatter_code.hpp"

namespace dynmeans {

// State of a known id.
struct Track {
  std::int64_t id;
  double n;                         // size when last seen
  std::vector<double> mean, speed;  // center, and smoothed displacement per unit of time
  int seen;                         // steps in which it was seen
  double last_seen;
  double evidence = 0.0;           // halved whenever it is seen
  std::array<Square, 2> spread{};  // residuals of rows from both forecasts, likewise
};

// log of Student's t at x (d,), with `freedom` degrees of freedom and scale L L'. factor: L (d, d); log_det:
// log |L L'|
inline double log_student(const std::vector<double>& x, const Square& factor, double log_det, double freedom,
                          int d) {
  return std::lgamma(0.5 * (freedom + d)) - std::lgamma(0.5 * freedom) -
         0.5 * (d * std::log(freedom * std::numbers::pi) + log_det +
                (freedom + d) * std::log1p(squared_length(x, factor, d) / freedom));
}

class RootCode {
 public:
  // first: (d, d) spread expected before any was seen; min_variance: smallest variance
  RootCode(int d, Square first, double min_variance)
      : d_(d), min_variance_(min_variance), pooled_{first, first}, away_(d) {
    for (Square& fresh : pending_) fresh.assign(first.size(), 0.0);
  }

  // Add the rows (n, d) of a known id, any of which may be the root.
  void follow(Track& track, const std::vector<double>& rows, const std::vector<double>& mean, double now) {
    const double elapsed = std::max(now - track.last_seen, kShortest), age = std::max(elapsed, 1.0);
    const double evidence = track.evidence;
    for (int forecast = 0; forecast < 2; ++forecast) {
      Square scale = spread_of(track, forecast, evidence);
      for (double& value : scale) value *= age;
      for (int j = 0; j < d_; ++j) scale[j * d_ + j] += min_variance_;
      cholesky(scale, d_, min_variance_, factor_);
      Square residuals(scale.size(), 0.0);
      likelihood_[forecast] +=
          log_mean_density(track, rows, forecast ? elapsed : 0.0, kPrior + evidence, residuals);
      learn(track, forecast, residuals, trace(scale, d_), age);
    }
    track.evidence = kForgetting * evidence + 1.0;
    fresh_ += 1.0;
    move(track, mean, elapsed, now);
  }

  // Nats of all roots of a step since the last call.
  double encode() {
    const double before = log_sum(credit_[0], credit_[1]);
    for (int forecast = 0; forecast < 2; ++forecast) {
      credit_[forecast] += std::exchange(likelihood_[forecast], 0.0);
      for (std::size_t i = 0; i < pooled_[forecast].size(); ++i)
        pooled_[forecast][i] += pending_[forecast][i];
      pending_[forecast].assign(pooled_[forecast].size(), 0.0);
    }
    seen_ += std::exchange(fresh_, 0.0);
    return before - log_sum(credit_[0], credit_[1]);
  }

  // Nats by which forecasts with the displacement have been better than those without.
  double lead_of_velocity() const { return credit_[1] - credit_[0]; }

 private:
  static constexpr double kShortest = 1e-3;   // time between two steps, in usual steps
  static constexpr double kPrior = 3.0;       // steps of the id itself that the pooled spread counts for
  static constexpr double kForgetting = 0.5;  // factor of the own spread of an id whenever it is seen
  static constexpr double kJump = 4.0;        // times the expected value: larger residuals are clipped to it

  Square spread_of(const Track& track, int forecast, double evidence) const {
    Square spread(pooled_[forecast]);
    for (std::size_t i = 0; i < spread.size(); ++i) {
      const double own = track.spread[forecast].empty() ? 0.0 : track.spread[forecast][i];
      spread[i] = (kPrior * spread[i] / seen_ + own) / (kPrior + evidence);
    }
    return spread;
  }

  // Logarithm of the mean density of the rows (n, d) around the center after `ahead` units of time; freedom:
  // degrees of freedom; adds the mean squared residuals (d, d) of the rows to `residuals`.
  double log_mean_density(const Track& track, const std::vector<double>& rows, double ahead, double freedom,
                          Square& residuals) {
    const std::size_t n = rows.size() / d_;
    const double log_det = log_det_of_factor(factor_, d_);
    double sum = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      for (int j = 0; j < d_; ++j) away_[j] = rows[i * d_ + j] - track.mean[j] - track.speed[j] * ahead;
      for (int p = 0; p < d_; ++p)
        for (int q = 0; q < d_; ++q) residuals[p * d_ + q] += away_[p] * away_[q] / double(n);
      sum = log_sum(sum, log_student(away_, factor_, log_det, freedom, d_));
    }
    return sum - std::log(double(n));
  }

  // Updates the spread of a track around one forecast from the residuals (d, d) of its rows; expected: their
  // expected trace; age: time since it was last seen
  void learn(Track& track, int forecast, const Square& residuals, double expected, double age) {
    const double found = trace(residuals, d_);
    const double share = (found > kJump * expected ? kJump * expected / found : 1.0) / age;
    if (track.spread[forecast].empty()) track.spread[forecast].assign(residuals.size(), 0.0);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      pending_[forecast][i] += share * residuals[i];
      track.spread[forecast][i] = kForgetting * track.spread[forecast][i] + share * residuals[i];
    }
  }

  void move(Track& track, const std::vector<double>& mean, double elapsed, double now) {
    for (int j = 0; j < d_; ++j) {
      const double speed = (mean[j] - track.mean[j]) / elapsed;
      track.speed[j] = track.seen == 1 ? speed : 0.5 * (track.speed[j] + speed);
    }
    track.mean = mean;
    track.last_seen = now;
    ++track.seen;
  }

  int d_;
  double min_variance_;
  std::array<Square, 2> pooled_, pending_{};
  double seen_ = 1.0, fresh_ = 0.0;
  std::array<double, 2> credit_{}, likelihood_{};
  std::vector<double> away_;
  Square factor_;
};

}  // namespace dynmeans
