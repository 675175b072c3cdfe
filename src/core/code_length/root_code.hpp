// Density of the root of a known id: Student's t around its forecast.
//
// A bank of Kalman filters makes the forecasts (Magill, 1965): with and without a velocity, and with
// different shares of drift in what is observed. The likelihoods of all filters show which motion the ids
// have. Only the first two are mixed, by their past likelihood, into the code: those that follow the last
// position. With the others, two ids for an object that is detected twice have the shorter code. The spread
// around a forecast is learned from the residuals of rows, not from the scatter within a step, so that ids of
// one row count as well.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "code_length/cholesky.hpp"
#include "code_length/scatter_code.hpp"
#include "lifecycle/kalman_motion.hpp"

namespace dynmeans {

// Forecast of a known id by one filter, and the residuals from it.
struct FilteredCenter {
  std::vector<double> center, velocity;
  Covariance covariance;
  Square spread{};  // residuals of rows, halved whenever the id is seen
};

// State of a known id.
struct Track {
  std::int64_t id;
  double n;  // size when last seen
  double last_seen;
  std::vector<FilteredCenter> filters;  // one for each motion
  double evidence = 0.0;                // halved whenever it is seen
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
  // motions: of two or more filters; first: (d, d) spread expected before any was seen; min_variance:
  // smallest variance
  RootCode(int d, std::vector<Motion> motions, const Square& first, double min_variance)
      : d_(d),
        min_variance_(min_variance),
        motions_(std::move(motions)),
        pooled_(motions_.size(), first),
        pending_(motions_.size(), Square(first.size(), 0.0)),
        credit_(motions_.size(), 0.0),
        likelihood_(motions_.size(), 0.0),
        away_(d) {}

  // Start the track of a new id with n rows.
  Track begin(std::int64_t id, double n, const std::vector<double>& mean, double now) const {
    Track track{id, n, now, {}};
    for (const Motion& motion : motions_)
      track.filters.push_back({mean, std::vector<double>(d_, 0.0), {1.0 / n, 0.0, motion.newborn}});
    return track;
  }

  // Add the rows (n, d) of a known id, any of which may be the root.
  void follow(Track& track, const std::vector<double>& rows, const std::vector<double>& mean, double now) {
    const double elapsed = std::max(now - track.last_seen, kShortest), age = std::max(elapsed, 1.0);
    const double evidence = track.evidence;
    for (std::size_t k = 0; k < motions_.size(); ++k) {
      FilteredCenter& filter = track.filters[k];
      predict(filter, motions_[k], elapsed);
      Square scale = spread_of(filter, pooled_[k], evidence);
      for (double& value : scale) value *= age;
      for (int j = 0; j < d_; ++j) scale[j * d_ + j] += min_variance_;
      cholesky(scale, d_, min_variance_, factor_);
      Square residuals(scale.size(), 0.0);
      likelihood_[k] += log_mean_density(filter.center, rows, kPrior + evidence, residuals);
      learn(filter, pending_[k], residuals, trace(scale, d_), age);
      update(filter, mean, double(rows.size() / d_));
    }
    track.evidence = kForgetting * evidence + 1.0;
    track.n = double(rows.size() / d_);
    track.last_seen = now;
    fresh_ += 1.0;
  }

  // Nats of all roots of a step since the last call.
  double encode() {
    const double before = mixed();
    for (std::size_t k = 0; k < motions_.size(); ++k) {
      credit_[k] += std::exchange(likelihood_[k], 0.0);
      for (std::size_t i = 0; i < pooled_[k].size(); ++i) pooled_[k][i] += pending_[k][i];
      pending_[k].assign(pooled_[k].size(), 0.0);
    }
    seen_ += std::exchange(fresh_, 0.0);
    return before - mixed();
  }

  // Log likelihood of all roots so far under each filter.
  const std::vector<double>& credit() const { return credit_; }

 private:
  static constexpr double kShortest = 1e-3;   // time between two steps, in usual steps
  static constexpr double kPrior = 3.0;       // steps of the id itself that the pooled spread counts for
  static constexpr double kForgetting = 0.5;  // factor of the own spread of an id whenever it is seen
  static constexpr double kJump = 4.0;        // times the expected value: larger residuals are clipped to it

  double mixed() const { return log_sum(credit_[0], credit_[1]); }

  void predict(FilteredCenter& filter, const Motion& motion, double elapsed) const {
    for (int j = 0; j < d_; ++j) filter.center[j] += filter.velocity[j] * elapsed;
    filter.covariance = filter.covariance.after(elapsed, motion);
  }

  void update(FilteredCenter& filter, const std::vector<double>& mean, double n) const {
    const Covariance before = filter.covariance;
    const double w = 1.0 / before.position + n;
    for (int j = 0; j < d_; ++j) {
      const double moved = (mean[j] - filter.center[j]) * n / w;
      filter.center[j] += moved;
      filter.velocity[j] += before.velocity_gain(n, w) * moved;
    }
    filter.covariance = before.given_rows(n, w);
  }

  Square spread_of(const FilteredCenter& filter, const Square& pooled, double evidence) const {
    Square spread(pooled);
    for (std::size_t i = 0; i < spread.size(); ++i) {
      const double own = filter.spread.empty() ? 0.0 : filter.spread[i];
      spread[i] = (kPrior * spread[i] / seen_ + own) / (kPrior + evidence);
    }
    return spread;
  }

  // Logarithm of the mean density of the rows (n, d) around a center; freedom: degrees of freedom; adds the
  // mean squared residuals (d, d) of the rows to `residuals`.
  double log_mean_density(const std::vector<double>& center, const std::vector<double>& rows, double freedom,
                          Square& residuals) {
    const std::size_t n = rows.size() / d_;
    const double log_det = log_det_of_factor(factor_, d_);
    double sum = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      for (int j = 0; j < d_; ++j) away_[j] = rows[i * d_ + j] - center[j];
      for (int p = 0; p < d_; ++p)
        for (int q = 0; q < d_; ++q) residuals[p * d_ + q] += away_[p] * away_[q] / double(n);
      sum = log_sum(sum, log_student(away_, factor_, log_det, freedom, d_));
    }
    return sum - std::log(double(n));
  }

  // Update the spread around one forecast from the residuals (d, d) of the rows; pending: of all ids in this
  // step; expected: their expected trace; age: time since the id was last seen
  void learn(FilteredCenter& filter, Square& pending, const Square& residuals, double expected, double age) {
    const double found = trace(residuals, d_);
    const double share = (found > kJump * expected ? kJump * expected / found : 1.0) / age;
    if (filter.spread.empty()) filter.spread.assign(residuals.size(), 0.0);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      pending[i] += share * residuals[i];
      filter.spread[i] = kForgetting * filter.spread[i] + share * residuals[i];
    }
  }

  int d_;
  double min_variance_;
  std::vector<Motion> motions_;
  std::vector<Square> pooled_, pending_;
  double seen_ = 1.0, fresh_ = 0.0;
  std::vector<double> credit_, likelihood_;
  std::vector<double> away_;
  Square factor_;
};

}  // namespace dynmeans
