// Prequential code length of a clustered stream, in nats (Dawid 1984; Rissanen 1984).
//
// Each step is encoded with parameters learned from the earlier steps. The costs that led to the clustering
// do not enter. A step consists of
//   outliers which points they are, and their positions under a broad density; the rest excludes them
//   events   each remembered id returns with the frequency seen at its age; births are Gamma-Poisson
//   labels   Dirichlet-multinomial: 1/2 + size when last seen, or the usual size of a newborn
//   scatter  inverse-Wishart marginal around the pooled covariance C and the id's own recent scatter B
//   mean     of a known id N(forecast, x age I + C_k (1/n + 1/n')), of a newborn, and of one known id in
//            twenty, Cauchy(m0, C0 + C_k / n)
#pragma once

#include <algorithm>
#include <vector>

#include "code_length/center_code.hpp"
#include "code_length/cholesky.hpp"
#include "code_length/event_code.hpp"
#include "code_length/outlier_code.hpp"
#include "code_length/scatter_code.hpp"
#include "code_length/stream_summary.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct ReferenceView {
  const double* means;  // m0 (n_steps, d)    of all points up to each step, the same for every clustering
  const double* covs;   // C0 (n_steps, d, d)
  const double* background;  // (N,)  log density of each row under these two
  const double* floor;       // (d,)  smallest variance, given the resolution of the data
};

struct CodeLength {
  double means = 0.0, scatters = 0.0, labels = 0.0, events = 0.0;  // nats
};

class StreamCoder {
 public:
  StreamCoder(const ResultView& result, const ReferenceView& reference)
      : result_(result),
        reference_(reference),
        grouping_(result, reference.floor),
        d_(result.d),
        min_variance_(kTinyPivot * sum(reference.floor, result.d) / result.d),
        shapes_(d_, reference.floor, min_variance_),
        outliers_(result, reference.background, min_variance_),
        centers_(d_, min_variance_),
        row_(result.n_ids, -1) {}

  // Returns the nats up to each step.
  std::vector<CodeLength> run() {
    std::vector<CodeLength> up_to;
    up_to.reserve(result_.n_steps);
    for (int t = 0; t < result_.n_steps; ++t) {
      poll_(1000);
      std::vector<Group> groups = grouping_.of_step(t);
      separate_outliers(groups, t);
      code_ids(groups, t);
      code_points(groups, t);
      learn(groups, result_.times[t]);
      up_to.push_back(total_);
    }
    return up_to;
  }

 private:
  // An id that returns later counts as new. Ids that ended long ago take time in every step.
  static constexpr double kHorizon = 1000.0;
  static constexpr double kForgetting = 0.5;  // factor of an id's own shape per step
  static constexpr double kTinyPivot = 1e-6;  // times the mean of `floor`: smallest pivot of a covariance

  static double sum(const double* values, int n) {
    double total = 0.0;
    for (int j = 0; j < n; ++j) total += values[j];
    return total;
  }

  const IdState* state_of(const Group& group) const {
    return row_[group.id] < 0 ? nullptr : &states_[row_[group.id]];
  }

  void code_ids(const std::vector<Group>& groups, int t) {
    const double now = result_.times[t];
    double births = 0.0;
    for (const IdState& state : states_) returns_.may_return(now - state.last_seen);
    for (const Group& group : groups) {
      const IdState* state = state_of(group);
      if (state) returns_.returns(now - state->last_seen);
      births += state == nullptr;
      labels_.add(group.n, state ? &state->n : nullptr);
    }
    total_.events += returns_.encode() + births_.encode(births, t);
    total_.labels += labels_.encode();
  }

  void separate_outliers(std::vector<Group>& groups, int t) {
    Square usual;
    usual_scatter(groups, t, usual);
    double mass = 0.0;
    for (const Group& group : groups) mass += group.n;
    for (Group& group : groups) {
      const Group left = without_outliers(group, usual, std::log(group.n / mass), t);
      outliers_.learn(group, left, grouping_);
      group = left;
    }
    std::erase_if(groups, [](const Group& group) { return group.rows.empty(); });
    total_.labels += outliers_.encode(mass);
    total_.scatters += outliers_.positions();
  }

  // Keeps the points that give the shortest code: all, those that are likelier in the group than under the
  // background, or none. A newborn that will be seen again keeps its points.
  Group without_outliers(const Group& group, const Square& usual, double log_share, int t) {
    poll_(std::int64_t(group.rows.size() + 10 * d_) * d_ * d_ + 20 * std::int64_t(states_.size()));
    const IdState* state = state_of(group);
    const Square shape = shape_of(state, usual);
    const double own = state ? state->evidence : 0.0;
    auto gain = [&](const Group& part) {
      return part.n * log_share + shapes_.likelihood(part, own, shape) +
             center_likelihood(part, state, shape, t) - outliers_.elsewhere(part, grouping_);
    };
    const Group core = outliers_.core_of(group, grouping_, shape, own, log_share);
    const double of_all = gain(group), of_core = gain(core);
    const bool lasts = !state && grouping_.last_step(group.id) > t;
    if (!lasts && std::max(of_all, of_core) < 0.0) return Group{group.id};
    return of_core > of_all ? core : group;
  }

  void code_points(const std::vector<Group>& groups, int t) {
    Square usual;
    const bool known = shapes_.has_evidence();
    const double first = usual_scatter(groups, t, usual);
    if (!known) total_.scatters += first;
    for (const Group& group : groups) {
      poll_(20 * std::int64_t(d_) * d_ * d_);
      const IdState* state = state_of(group);
      const double own = state ? state->evidence : 0.0;
      const Square shape = shape_of(state, usual);
      if (known) total_.scatters -= shapes_.likelihood(group, own, shape);
      if (state)
        centers_.follow(forecast(group, *state, shape, t));
      else
        total_.means -= log_density_anywhere(group, shape, 1.0, t);
    }
    total_.means += centers_.encode();
  }

  // Until a scatter has been seen, the usual scatter is a ball of the likeliest size.
  double usual_scatter(const std::vector<Group>& groups, int t, Square& usual) {
    if (!shapes_.has_evidence()) return shapes_.first(groups, cov_so_far(t), usual);
    usual = shapes_.usual();
    return 0.0;
  }

  double center_likelihood(const Group& group, const IdState* state, const Square& shape, int t) {
    if (state) return centers_.likelihood(forecast(group, *state, shape, t));
    return births_.log_rate(t) + returns_.log_absence() + log_density_anywhere(group, shape, 1.0, t);
  }

  Forecast forecast(const Group& group, const IdState& state, const Square& shape, int t) {
    const double variance = shapes_.has_evidence() ? shapes_.variance() : trace(cov_so_far(0), d_) / d_;
    const double log_anywhere = log_density_anywhere(group, shape, 1.0 + state.evidence, t);
    const double elapsed = result_.times[t] - state.last_seen;
    return centers_.forecast(group, state, shape, elapsed, variance, log_anywhere);
  }

  // Pooled covariance and the id's own recent scatter, C + B.
  static Square shape_of(const IdState* state, const Square& usual) {
    Square shape(usual);
    for (std::size_t i = 0; state && i < shape.size(); ++i) shape[i] += state->scatter[i];
    return shape;
  }

  // Log density of the center of a group as a point from anywhere: around all points so far. The covariance
  // of the points of the group is shape / evidence.
  double log_density_anywhere(const Group& group, const Square& shape, double evidence, int t) {
    Square spread = cov_so_far(t);
    for (std::size_t i = 0; i < spread.size(); ++i) spread[i] += shape[i] / (evidence * group.n);
    std::vector<double> away(group.mean);
    for (int j = 0; j < d_; ++j) away[j] -= reference_.means[t * d_ + j];
    cholesky(spread, d_, min_variance_, factor_);
    return log_cauchy(away, factor_, d_);
  }

  void learn(const std::vector<Group>& groups, double now) {
    for (IdState& state : states_) {
      state.evidence *= kForgetting;
      for (double& value : state.scatter) value *= kForgetting;
    }
    for (const Group& group : groups) {
      const double more = std::max(group.n - 1.0, 0.0);
      shapes_.learn(group);
      if (row_[group.id] < 0) {
        row_[group.id] = int(states_.size());
        states_.push_back({group.id, group.n, group.mean, {}, now, more, group.scatter});
      } else {
        update_state(states_[row_[group.id]], group, more, now);
      }
    }
    forget(now);
  }

  void update_state(IdState& state, const Group& group, double more, double now) {
    const double age = std::max(now - state.last_seen, kShortest);
    state.displacement.resize(d_);
    for (int j = 0; j < d_; ++j) state.displacement[j] = (group.mean[j] - state.mean[j]) / age;
    state.n = group.n;
    state.mean = group.mean;
    state.last_seen = now;
    state.evidence += more;
    for (std::size_t i = 0; i < state.scatter.size(); ++i) state.scatter[i] += group.scatter[i];
  }

  void forget(double now) {
    for (const IdState& state : states_) row_[state.id] = -1;
    std::erase_if(states_, [&](const IdState& state) { return now - state.last_seen > kHorizon; });
    for (std::size_t i = 0; i < states_.size(); ++i) row_[states_[i].id] = int(i);
  }

  Square cov_so_far(int t) const {
    const double* begin = reference_.covs + std::size_t(t) * d_ * d_;
    return Square(begin, begin + std::size_t(d_) * d_);
  }

  ResultView result_;
  ReferenceView reference_;
  Grouping grouping_;
  int d_;
  double min_variance_;
  ReturnCode returns_;
  BirthCode births_;
  LabelCode labels_;
  ScatterCode shapes_;
  OutlierCode outliers_;
  CenterCode centers_;
  CodeLength total_;
  std::vector<IdState> states_;
  std::vector<int> row_;  // of each id among the states, or -1
  Square factor_;
  Poll poll_;
};

}  // namespace dynmeans
