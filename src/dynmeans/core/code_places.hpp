// What it takes to tell where known ids are now: N(forecast, x age I + C (1/n + 1/n')). The forecast is the
// last place, or that and the last displacement: both are followed, and mixed by how well each has done so
// far. x is the drift that each of them has left unexplained.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "code_shapes.hpp"
#include "result.hpp"
#include "small_matrix.hpp"

namespace dynmeans {

inline constexpr double kShortest = 1e-3;  // time between two steps, in usual steps

// What is remembered of an id.
struct Life {
  std::int64_t id;
  double n;                        // size when last seen
  double core;                     // n'  without strays
  std::vector<double> mean, move;  // m', and displacement in a unit of time before that; 0 for a newborn
  double last_seen;
  double evidence;  // A   halved in every step
  Square scatter;   // B   likewise
};

class PlaceCode {
 public:
  PlaceCode(int d, double least) : d_(d), least_(least), away_(d) {}

  // How well both forecasts meet the mean of a known id; what they miss is kept for learning the drift.
  void follow(const Group& group, const Life& life, const Square& shape, double elapsed, double variance) {
    const double age = std::max(elapsed, kShortest), noise = 1.0 / group.core + 1.0 / life.core;
    const double round = trace(shape, d_) / d_;
    for (int forecast = 0; forecast < 2; ++forecast) {
      const double drift = (std::max(missed_[forecast], 0.0) + variance) / (waited_ + 1.0);
      Square spread(shape);
      for (double& value : spread) value *= noise;
      for (int j = 0; j < d_; ++j) spread[j * d_ + j] += drift * age;
      double squared = 0.0;
      for (int j = 0; j < d_; ++j) {
        away_[j] = group.mean[j] - life.mean[j] - forecast * life.move[j] * age;
        squared += away_[j] * away_[j];
      }
      cholesky(spread, d_, least_, factor_);
      likelihood_[forecast] += log_gaussian(away_, factor_, d_);
      news_[forecast] += std::min(squared / d_, kJump * (drift * age + noise * round)) - noise * round;
    }
    news_waited_ += age;
  }

  double tell() {
    const double before = log_sum(credit_[0], credit_[1]);
    for (int forecast = 0; forecast < 2; ++forecast) {
      credit_[forecast] += std::exchange(likelihood_[forecast], 0.0);
      missed_[forecast] += std::exchange(news_[forecast], 0.0);
    }
    waited_ += std::exchange(news_waited_, 0.0);
    return before - log_sum(credit_[0], credit_[1]);
  }

 private:
  static constexpr double kJump = 4.0;  // of what was expected: more teaches no more about the drift

  int d_;
  double least_;
  std::vector<double> away_;
  Square factor_;
  std::array<double, 2> missed_{}, credit_{}, news_{}, likelihood_{};
  double waited_ = 0.0, news_waited_ = 0.0;
};

}  // namespace dynmeans
