// Points that a clustering gave to a wrong cluster, and outliers. One of them can blow up a thin cluster's
// covariance, so each may be told as a point from anywhere instead, at the price of saying so. Then its group
// is told without it.
#pragma once

#include <cstdint>
#include <vector>

#include "code_counts.hpp"
#include "result.hpp"
#include "small_matrix.hpp"

namespace dynmeans {

class StrayCode {
 public:
  // background: (N,) log density of each row as a point from anywhere
  StrayCode(const ResultView& result, const double* background, double least)
      : result_(result), background_(background), least_(least), away_(result.d) {}

  // Leaves in mean and scatter of a group only what is likelier there than anywhere; the nats are for the
  // rest. A group is what most of its points say it is.
  double set_aside(Group& group, const Grouping& grouping, const Square& shape, double own) {
    std::vector<std::int64_t> core(group.rows);
    for (int round = 0; round < kRounds; ++round) {
      factor_spread(group, shape, own);
      std::vector<std::int64_t> next = likelier_here(group);
      if (grouping.weight(next) < 0.5 * group.n) {
        grouping.measure(group, group.rows);
        core = group.rows;
        break;
      }
      if (next == core) break;
      core.swap(next);
      grouping.measure(group, core);
    }
    strays_ += group.n - group.core;
    mass_ += group.n;
    return nats_without(core, group, grouping);
  }

  // Nats for telling which points of the step are strays.
  double tell() {
    const double nats = seen_.tell(strays_, mass_);
    strays_ = mass_ = 0.0;
    return nats;
  }

 private:
  static constexpr int kRounds = 5;

  // Of the covariance that the past and the points themselves suggest.
  void factor_spread(const Group& group, const Square& shape, double own) {
    Square spread(shape);
    const double evidence = 1.0 + own + std::max(group.core - 1.0, 0.0);
    for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = (spread[i] + group.scatter[i]) / evidence;
    cholesky(spread, result_.d, least_, factor_);
  }

  std::vector<std::int64_t> likelier_here(const Group& group) {
    const int d = result_.d;
    std::vector<std::int64_t> found;
    for (const auto i : group.rows) {
      for (int j = 0; j < d; ++j) away_[j] = result_.rows[i * d + j] - group.mean[j];
      if (log_gaussian(away_, factor_, d) >= background_[i] + seen_.log_odds()) found.push_back(i);
    }
    return found;
  }

  double nats_without(const std::vector<std::int64_t>& core, const Group& group,
                      const Grouping& grouping) const {
    double nats = 0.0;
    std::size_t at = 0;
    for (const auto i : group.rows) {
      if (at < core.size() && core[at] == i)
        ++at;
      else
        nats -= grouping.weight(i) * background_[i];
    }
    return nats;
  }

  ResultView result_;
  const double* background_;
  double least_;
  Frequency seen_{0.5, 9.5};  // one point in twenty, before any is seen, and not much trusted
  double strays_ = 0.0, mass_ = 0.0;
  Square factor_;
  std::vector<double> away_;
};

}  // namespace dynmeans
