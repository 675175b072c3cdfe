// Code length of outliers and of points in the wrong cluster.
//
// One such point can inflate the covariance of a small cluster. Each may be encoded under a broad density
// instead, at the cost of encoding which point it is; its cluster is then encoded without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "code_length/cholesky.hpp"
#include "code_length/event_code.hpp"
#include "code_length/stream_summary.hpp"

namespace dynmeans {

class OutlierCode {
 public:
  // background: (N,) log density of each row as a point from anywhere
  OutlierCode(const ResultView& result, const double* background, double min_variance)
      : result_(result), background_(background), min_variance_(min_variance), away_(result.d) {}

  // The points of a group that are likelier in it than under the background. The set grows from the half of
  // the points around the median, because a spread that includes the outliers would hide them. whole: the
  // group; grouping: recomputes its statistics; shape: scatter C + B of the id; own: evidence behind B, 0 for
  // a newborn; log_share: log of the share of the group in the weight of the step.
  Group core_of(const Group& whole, const Grouping& grouping, const Square& shape, double own,
                double log_share) {
    Group core(whole);
    cholesky(shape, result_.d, min_variance_, factor_);
    core.rows = central_half(whole);
    for (int round = 0; round < kRounds; ++round) {
      grouping.measure(core);
      factor_spread(core, shape, own);
      std::vector<std::int64_t> next = likelier_here(whole, core.mean, log_share);
      if (next == core.rows || next.empty()) break;
      core.rows.swap(next);
    }
    grouping.measure(core);
    return core;
  }

  // Log likelihood of all points of a group as outliers.
  double elsewhere(const Group& group, const Grouping& grouping) const {
    double sum = 0.0;
    for (const auto i : group.rows) sum += grouping.weight(i) * (background_[i] + seen_.log_odds());
    return sum;
  }

  // Counts the points that were removed from a group. whole: before; rest: after
  void learn(const Group& whole, const Group& left, const Grouping& grouping) {
    outliers_ += whole.n - left.n;
    for (const auto i : whole.rows) nats_ -= grouping.weight(i) * background_[i];
    for (const auto i : left.rows) nats_ += grouping.weight(i) * background_[i];
  }

  // Nats that encode which points of the step are outliers.
  double encode(double mass) { return seen_.encode(std::exchange(outliers_, 0.0), mass); }

  // Nats that encode their positions.
  double positions() { return std::exchange(nats_, 0.0); }

 private:
  static constexpr int kRounds = 5;  // maximum number of times that the set of inliers is recomputed

  // Factorizes the covariance of a group, estimated from earlier steps and from its own points.
  void factor_spread(const Group& group, const Square& shape, double own) {
    Square spread(shape);
    const double evidence = 1.0 + own + std::max(group.n - 1.0, 0.0);
    for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = (spread[i] + group.scatter[i]) / evidence;
    cholesky(spread, result_.d, min_variance_, factor_);
  }

  std::vector<std::int64_t> likelier_here(const Group& whole, const std::vector<double>& mean,
                                          double log_share) {
    const int d = result_.d;
    std::vector<std::int64_t> found;
    for (const auto i : whole.rows) {
      for (int j = 0; j < d; ++j) away_[j] = result_.rows[i * d + j] - mean[j];
      if (log_gaussian(away_, factor_, d) + log_share >= background_[i] + seen_.log_odds())
        found.push_back(i);
    }
    return found;
  }

  std::vector<std::int64_t> central_half(const Group& group) {
    const int d = result_.d;
    const std::size_t half = (group.rows.size() + 1) / 2;
    std::vector<double> column, median(d), squared;
    for (int j = 0; j < d; ++j) {
      column.clear();
      for (const auto i : group.rows) column.push_back(result_.rows[i * d + j]);
      std::nth_element(column.begin(), column.begin() + (half - 1), column.end());
      median[j] = column[half - 1];
    }
    for (const auto i : group.rows) {
      for (int j = 0; j < d; ++j) away_[j] = result_.rows[i * d + j] - median[j];
      squared.push_back(-log_gaussian(away_, factor_, d));
    }
    column = squared;
    std::nth_element(column.begin(), column.begin() + (half - 1), column.end());
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < squared.size(); ++i)
      if (squared[i] <= column[half - 1]) found.push_back(group.rows[i]);
    return found;
  }

  ResultView result_;
  const double* background_;
  double min_variance_;
  Frequency seen_{1.0, 19.0};  // one point in twenty, as if twenty had been seen
  double outliers_ = 0.0, nats_ = 0.0;
  Square factor_;
  std::vector<double> away_;
};

}  // namespace dynmeans
