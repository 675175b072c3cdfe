// Density of the root of a known id: Student's t around its forecast.
//
// The forecast is the last center, with or without the last displacement, smoothed. Both are mixed by their
// past likelihood. The spread is learned from the residuals of rows, not from the scatter within a step:
// ids of one row teach it as well as others.
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

// What is remembered of an id.
struct Track {
  std::int64_t id;
  double n;                         // size when last seen
  std::vector<double> mean, speed;  // center, and smoothed displacement per unit of time
  int seen;                         // steps in which it was seen
  double last_seen;
  double evidence = 0.0;           // halved whenever it is seen
  std::array<Square, 2> spread{};  // residuals of rows from both forecasts, likewise
};

// log of Student's t with `freedom` degrees of freedom and scale L L'
inline double log_student(const std::vector<double>& x, const Square& factor, double log_det, double freedom,
                          int d) {
  return std::lgamma(0.5 * (freedom + d)) - std::lgamma(0.5 * freedom) -
         0.5 * (d * std::log(freedom * std::numbers::pi) + log_det +
                (freedom + d) * std::log1p(squared_length(x, factor, d) / freedom));
}

class RootCode {
 public:
  // first: (d, d) spread expected before any was seen; least: smallest variance
  RootCode(int d, Square first, double least) : d_(d), least_(least), pooled_{first, first}, away_(d) {
    for (Square& fresh : news_) fresh.assign(first.size(), 0.0);
  }

  // Add the rows (n, d) of a known id, any of which may be the root.
  void follow(Track& track, const std::vector<double>& rows, const std::vector<double>& mean, double now) {
    const double elapsed = std::max(now - track.last_seen, kShortest), age = std::max(elapsed, 1.0);
    const double evidence = track.evidence;
    for (int way = 0; way < 2; ++way) {
      Square scale = spread_of(track, way, evidence);
      for (double& value : scale) value *= age;
      for (int j = 0; j < d_; ++j) scale[j * d_ + j] += least_;
      cholesky(scale, d_, least_, factor_);
      Square residuals(scale.size(), 0.0);
      likelihood_[way] += log_mean_density(track, rows, way ? elapsed : 0.0, kPrior + evidence, residuals);
      learn(track, way, residuals, trace(scale, d_), age);
    }
    track.evidence = kForgetting * evidence + 1.0;
    fresh_ += 1.0;
    move(track, mean, elapsed, now);
  }

  // Nats of all roots of a step since the last call.
  double encode() {
    const double before = log_sum(credit_[0], credit_[1]);
    for (int way = 0; way < 2; ++way) {
      credit_[way] += std::exchange(likelihood_[way], 0.0);
      for (std::size_t i = 0; i < pooled_[way].size(); ++i) pooled_[way][i] += news_[way][i];
      news_[way].assign(pooled_[way].size(), 0.0);
    }
    seen_ += std::exchange(fresh_, 0.0);
    return before - log_sum(credit_[0], credit_[1]);
  }

  // Nats by which forecasts with the displacement have been better than those without.
  double lead_of_velocity() const { return credit_[1] - credit_[0]; }

 private:
  static constexpr double kShortest = 1e-3;  // time between two steps, in usual steps
  static constexpr double kPrior = 3.0;      // steps of the id itself that the pooled spread counts for
  static constexpr double kForgetting = 0.5;
  static constexpr double kJump = 4.0;  // of what was expected: more teaches no more about the spread

  Square spread_of(const Track& track, int way, double evidence) const {
    Square spread(pooled_[way]);
    for (std::size_t i = 0; i < spread.size(); ++i) {
      const double own = track.spread[way].empty() ? 0.0 : track.spread[way][i];
      spread[i] = (kPrior * spread[i] / seen_ + own) / (kPrior + evidence);
    }
    return spread;
  }

  // Of the rows around the center after `ahead` units of time; their mean squared residuals are added.
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

  void learn(Track& track, int way, const Square& residuals, double expected, double age) {
    const double found = trace(residuals, d_);
    const double share = (found > kJump * expected ? kJump * expected / found : 1.0) / age;
    if (track.spread[way].empty()) track.spread[way].assign(residuals.size(), 0.0);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      news_[way][i] += share * residuals[i];
      track.spread[way][i] = kForgetting * track.spread[way][i] + share * residuals[i];
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
  double least_;
  std::array<Square, 2> pooled_, news_{};
  double seen_ = 1.0, fresh_ = 0.0;
  std::array<double, 2> credit_{}, likelihood_{};
  std::vector<double> away_;
  Square factor_;
};

}  // namespace dynmeans
