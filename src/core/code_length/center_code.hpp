// Code length of the centers of known ids: N(forecast, x age I + C (1/n + 1/n')), or anywhere after a jump.
//
// The forecast is the last position, with or without the last displacement. Both forecasts are evaluated
// and mixed by their past likelihood. x is the drift that each of them left unexplained. An id that was
// seen once has no displacement yet; for it both forecasts are the last position. Without jumps, a result
// whose ids move farther than expected at first would be encoded as outliers, and x would never be learned.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "code_length/cholesky.hpp"
#include "code_length/scatter_code.hpp"
#include "code_length/stream_summary.hpp"

namespace dynmeans {

inline constexpr double kShortest = 1e-3;  // time between two steps, in usual steps

// State of a known id.
struct IdState {
  std::int64_t id;
  double n;                          // n'  size when last seen
  std::vector<double> mean;          // m'
  std::vector<double> displacement;  // per unit of time when last seen; empty after the first step
  double last_seen;
  double evidence;  // A   halved in every step
  Square scatter;   // B   likewise
};

// Log likelihood of the mean of a known id under both forecasts, and the squared errors.
struct Forecast {
  std::array<double, 2> likelihood{}, missed{}, age{};
};

class CenterCode {
 public:
  CenterCode(int d, double min_variance) : d_(d), min_variance_(min_variance), away_(d) {}

  // Forecast of a known id. group: its rows in this step; state: its history; shape: scatter C + B of the id;
  // elapsed: time since it was last seen; variance: initial estimate of the drift per unit of time;
  // log_anywhere: log density of its center after a jump.
  Forecast forecast(const Group& group, const IdState& state, const Square& shape, double elapsed,
                    double variance, double log_anywhere) {
    Forecast found;
    const double age = std::max(elapsed, kShortest);
    const double noise = (1.0 / group.n + 1.0 / state.n) / (1.0 + state.evidence);
    const double round = noise * trace(shape, d_) / d_;
    const int n_forecasts = state.displacement.empty() ? 1 : 2;
    for (int forecast = 0; forecast < n_forecasts; ++forecast) {
      const double drift = (std::max(missed_[forecast], 0.0) + variance) / (waited_[forecast] + 1.0);
      Square spread(shape);
      for (double& value : spread) value *= noise;
      for (int j = 0; j < d_; ++j) spread[j * d_ + j] += drift * age;
      for (int j = 0; j < d_; ++j)
        away_[j] = group.mean[j] - state.mean[j] - (forecast == 0 ? 0.0 : state.displacement[j] * age);
      cholesky(spread, d_, min_variance_, factor_);
      found.likelihood[forecast] =
          log_sum(std::log1p(-kJumps) + log_gaussian(away_, factor_, d_), std::log(kJumps) + log_anywhere);
      found.missed[forecast] = std::min(drift * age + correction(), kJump * (drift * age + round) - round);
      found.age[forecast] = age;
    }
    if (n_forecasts == 1) found.likelihood[1] = found.likelihood[0];
    return found;
  }

  // Log likelihood of one id under both forecasts, mixed by their past likelihood.
  double likelihood(const Forecast& found) const {
    return log_sum(credit_[0] + found.likelihood[0], credit_[1] + found.likelihood[1]) -
           log_sum(credit_[0], credit_[1]);
  }

  void follow(const Forecast& found) {
    for (int forecast = 0; forecast < 2; ++forecast) {
      likelihood_[forecast] += found.likelihood[forecast];
      pending_[forecast] += found.missed[forecast];
      pending_waited_[forecast] += found.age[forecast];
    }
  }

  double encode() {
    const double before = log_sum(credit_[0], credit_[1]);
    for (int forecast = 0; forecast < 2; ++forecast) {
      credit_[forecast] += std::exchange(likelihood_[forecast], 0.0);
      missed_[forecast] += std::exchange(pending_[forecast], 0.0);
      waited_[forecast] += std::exchange(pending_waited_[forecast], 0.0);
    }
    return before - log_sum(credit_[0], credit_[1]);
  }

 private:
  // Change of a variance that is added in every direction: one step of Fisher scoring. Directions
  // in which the mean is known precisely have more weight.
  double correction() const {
    const Square precision = inverse(factor_, d_);
    double pull = 0.0, information = 0.0;
    for (int i = 0; i < d_; ++i) {
      double sum = 0.0;
      for (int j = 0; j < d_; ++j) {
        sum += precision[i * d_ + j] * away_[j];
        information += precision[i * d_ + j] * precision[i * d_ + j];
      }
      pull += sum * sum - precision[i * d_ + i];
    }
    return pull / information;
  }

  // Share of jumps. It is not learned, so that a result with many jumps cannot make jumps cheap. A jump
  // stands for the end of an object and the birth of another, each of which has a chance of one in twenty.
  static constexpr double kJumps = 0.0025;
  static constexpr double kJump = 4.0;  // times the expected value: larger residuals are clipped to it

  int d_;
  double min_variance_;
  std::vector<double> away_;
  Square factor_;
  std::array<double, 2> missed_{}, waited_{}, credit_{}, pending_{}, pending_waited_{}, likelihood_{};
};

}  // namespace dynmeans
