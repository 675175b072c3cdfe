// How many nats it takes to tell the points and ids of a clustered stream, each step told with what the steps
// before it have taught. The costs that led to the clustering do not enter. In every step
//   events   each remembered id returns with the frequency seen at its age; births are Gamma-Poisson
//   labels   Dirichlet-multinomial: 1/2 + size when last seen, or the usual size of a newborn
//   scatter  inverse-Wishart marginal around the pooled covariance C and the id's own recent scatter B
//   mean     of a known id N(forecast, x age I + C_k (1/n + 1/n')), of a newborn N(m0, C0 + C_k / n)
// The forecast is the last place, or that and the last displacement: both are followed, and mixed by how well
// each has done so far. x is the drift that each of them has left unexplained.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "result.hpp"
#include "small_matrix.hpp"

namespace dynmeans {

struct ReferenceView {
  const double* means;  // m0 (n_steps, d)    of all points up to each step, the same for every clustering
  const double* covs;   // C0 (n_steps, d, d)
  const double* floor;  // (d,)  least variance: what the resolution of the data leaves open
};

struct CodeLength {
  double means = 0.0, scatters = 0.0, labels = 0.0, events = 0.0;  // nats
};

// What is remembered of an id.
struct Life {
  std::int64_t id;
  double n;                        // n'  size when last seen
  std::vector<double> mean, move;  // m', and displacement in a unit of time before that; 0 for a newborn
  double last_seen;
  double evidence;  // A   halved in every step
  Square scatter;   // B   likewise
};

class Coder {
 public:
  Coder(const ResultView& result, const ReferenceView& reference)
      : result_(result), reference_(reference), grouping_(result), d_(result.d), row_(result.n_ids, -1) {
    pooled_.assign(std::size_t(d_) * d_, 0.0);
    for (int j = 0; j < d_; ++j) least_ += kTinyPivot * reference.floor[j] / d_;
  }

  CodeLength run() {
    for (int t = 0; t < result_.n_steps; ++t) {
      std::vector<Group> groups = grouping_.of_step(t);
      for (Group& group : groups)  // a point is known only to the resolution of the data
        for (int j = 0; j < d_; ++j)
          group.scatter[j * d_ + j] += std::max(group.n - 1.0, 0.0) * reference_.floor[j];
      code_events(groups, t);
      code_labels(groups);
      code_places(groups, t);
      learn(groups, result_.times[t]);
    }
    return total_;
  }

 private:
  static constexpr int kAges = 16;            // ages 1, 2, up to 4, up to 8, ...
  static constexpr int kScales = 9;           // sizes of clusters thought possible before the first step
  static constexpr double kHorizon = 50.0;    // an id that returns later counts as new
  static constexpr double kForgetting = 0.5;  // of an id's own shape, in a step
  static constexpr double kJump = 4.0;        // of what was expected: more teaches no more about the drift
  static constexpr double kTinyPivot = 1e-6;
  static constexpr double kShortest = 1e-3;  // time between two steps, in usual steps

  const Life* life_of(const Group& group) const {
    return row_[group.id] < 0 ? nullptr : &lives_[row_[group.id]];
  }

  void code_events(const std::vector<Group>& groups, int t) {
    std::array<double, kAges> chances{}, returns{};
    double births = 0.0;
    for (const Life& life : lives_) ++chances[age_class(result_.times[t] - life.last_seen)];
    for (const Group& group : groups) {
      const Life* life = life_of(group);
      if (life) ++returns[age_class(result_.times[t] - life->last_seen)];
      births += life == nullptr;
    }
    for (int a = 0; a < kAges; ++a) code_returns(a, chances[a], returns[a]);
    code_births(births, t);
  }

  // Beta-binomial with Jeffreys' prior.
  void code_returns(int a, double chances, double returns) {
    const double yes = returns_[a] + 0.5, no = chances_[a] - returns_[a] + 0.5;
    total_.events -= std::lgamma(yes + returns) - std::lgamma(yes) + std::lgamma(no + chances - returns) -
                     std::lgamma(no) - std::lgamma(yes + no + chances) + std::lgamma(yes + no);
    chances_[a] += chances;
    returns_[a] += returns;
  }

  // The names of newborns are arbitrary, so that each set of them is told in births! ways. The first step has
  // no rate to go by: a whole number costs about twice its logarithm.
  void code_births(double births, int t) {
    total_.events -= std::lgamma(births + 1.0);
    if (t == 0) {
      total_.events += 2.0 * std::log(std::max(births, 1.0));
      return;
    }
    const double shape = births_ + 0.5, steps = t - 0.5;
    total_.events -= std::lgamma(shape + births) - std::lgamma(shape) - std::lgamma(births + 1.0) +
                     shape * std::log(steps / (steps + 1.0)) - births * std::log(steps + 1.0);
    births_ += births;
  }

  void code_labels(const std::vector<Group>& groups) {
    const double fresh = newborns_ > 0.0 ? newborn_mass_ / newborns_ : 0.0;
    double prior = 0.0, mass = 0.0;
    for (const Group& group : groups) {
      const Life* life = life_of(group);
      const double alpha = 0.5 + (life ? life->n : fresh);
      total_.labels -= std::lgamma(alpha + group.n) - std::lgamma(alpha);
      prior += alpha;
      mass += group.n;
      if (!life) {
        newborn_mass_ += group.n;
        ++newborns_;
      }
    }
    total_.labels += std::lgamma(prior + mass) - std::lgamma(prior);
  }

  void code_places(const std::vector<Group>& groups, int t) {
    const Square usual = t == 0 ? code_first_scatters(groups) : pooled_covariance();
    const double log_det_usual = log_det(usual);
    std::array<double, 2> likelihood{};
    for (const Group& group : groups) {
      const Life* life = life_of(group);
      const double own = life ? life->evidence : 0.0;
      Square shape(usual);
      for (std::size_t i = 0; life && i < shape.size(); ++i) shape[i] += life->scatter[i];
      if (t > 0) {
        const double log_det_shape = life && group.n > 1.0 ? log_det(shape) : log_det_usual;
        total_.scatters -= scatter_likelihood(group, own, shape, log_det_shape);
      }
      for (double& value : shape) value /= 1.0 + own;
      if (life)
        follow(group, *life, shape, result_.times[t] - life->last_seen, likelihood);
      else
        total_.means -= birth_likelihood(group, shape, t);
    }
    mix_forecasts(likelihood);
  }

  // Before anything is known, clusters may be of any size from that of all data down, each equally likely.
  Square code_first_scatters(const std::vector<Group>& groups) {
    const Square whole = covariance_so_far(0);
    Square best;
    double best_sum = 0.0, mixed = 0.0;
    for (int s = 0; s < kScales; ++s) {
      Square usual(whole);
      for (double& value : usual) value *= std::pow(0.25, s);
      for (int j = 0; j < d_; ++j) usual[j * d_ + j] += reference_.floor[j];
      const double log_det_usual = log_det(usual);
      double sum = 0.0;
      for (const Group& group : groups) sum += scatter_likelihood(group, 0.0, usual, log_det_usual);
      mixed = s == 0 ? sum : log_sum(mixed, sum);
      if (s == 0 || sum > best_sum) {
        best_sum = sum;
        best = usual;
      }
    }
    total_.scatters -= mixed - std::log(double(kScales));
    return best;
  }

  // Shrunk towards a round one by d + 1 points: with few points in many dimensions it would be singular.
  Square pooled_covariance() const {
    const double prior = d_ + 1.0,
                 round = pooled_evidence_ > 0.0 ? trace(pooled_, d_) / d_ / pooled_evidence_ : 0.0;
    Square usual(pooled_);
    for (double& value : usual) value /= pooled_evidence_ + prior;
    for (int j = 0; j < d_; ++j)
      usual[j * d_ + j] += round * prior / (pooled_evidence_ + prior) + reference_.floor[j];
    return usual;
  }

  // Marginal of the scatter of n points under an inverse Wishart with d + 2 + own degrees and mean shape / (1
  // + own).
  double scatter_likelihood(const Group& group, double own, const Square& shape, double log_det_shape) {
    const double more = group.n - 1.0, degrees = d_ + 2.0 + own;
    if (more <= 0.0) return 0.0;
    Square after(shape);
    for (std::size_t i = 0; i < after.size(); ++i) after[i] += group.scatter[i];
    return log_gamma_ratio(degrees, more) -
           0.5 * d_ * (more * std::log(std::numbers::pi) + std::log(group.n)) +
           0.5 * (degrees * log_det_shape - (degrees + more) * log_det(after));
  }

  double log_gamma_ratio(double degrees, double more) const {
    double sum = 0.0;
    for (int j = 0; j < d_; ++j)
      sum += std::lgamma(0.5 * (degrees + more - j)) - std::lgamma(0.5 * (degrees - j));
    return sum;
  }

  double birth_likelihood(const Group& group, const Square& shape, int t) {
    Square spread = covariance_so_far(t);
    for (std::size_t i = 0; i < spread.size(); ++i) spread[i] += shape[i] / group.n;
    std::vector<double> away(group.mean);
    for (int j = 0; j < d_; ++j) away[j] -= reference_.means[t * d_ + j];
    cholesky(spread, d_, least_, factor_);
    return log_gaussian(away, factor_, d_);
  }

  // How well both forecasts meet the mean of a known id; what they miss is kept for learning the drift.
  void follow(const Group& group, const Life& life, const Square& shape, double elapsed,
              std::array<double, 2>& likelihood) {
    const double age = std::max(elapsed, kShortest), noise = 1.0 / group.n + 1.0 / life.n;
    const double round = trace(shape, d_) / d_;
    for (int forecast = 0; forecast < 2; ++forecast) {
      const double drift = (std::max(missed_[forecast], 0.0) + usual_variance()) / (waited_[forecast] + 1.0);
      Square spread(shape);
      for (double& value : spread) value *= noise;
      for (int j = 0; j < d_; ++j) spread[j * d_ + j] += drift * age;
      std::vector<double> away(group.mean);
      double squared = 0.0;
      for (int j = 0; j < d_; ++j) {
        away[j] -= life.mean[j] + forecast * life.move[j] * age;
        squared += away[j] * away[j];
      }
      cholesky(spread, d_, least_, factor_);
      likelihood[forecast] += log_gaussian(away, factor_, d_);
      news_[forecast] += std::min(squared / d_, kJump * (drift * age + noise * round)) - noise * round;
      news_waited_ += forecast == 0 ? age : 0.0;
    }
  }

  void mix_forecasts(const std::array<double, 2>& likelihood) {
    const double before = log_sum(credit_[0], credit_[1]);
    for (int forecast = 0; forecast < 2; ++forecast) {
      credit_[forecast] += likelihood[forecast];
      missed_[forecast] += std::exchange(news_[forecast], 0.0);
      waited_[forecast] += news_waited_;
    }
    news_waited_ = 0.0;
    total_.means -= log_sum(credit_[0], credit_[1]) - before;
  }

  void learn(const std::vector<Group>& groups, double now) {
    for (Life& life : lives_) {
      life.evidence *= kForgetting;
      for (double& value : life.scatter) value *= kForgetting;
    }
    for (const Group& group : groups) {
      const double more = std::max(group.n - 1.0, 0.0);
      pooled_evidence_ += more;
      for (std::size_t i = 0; i < pooled_.size(); ++i) pooled_[i] += group.scatter[i];
      if (row_[group.id] < 0) {
        row_[group.id] = int(lives_.size());
        lives_.push_back({group.id, group.n, group.mean, std::vector<double>(d_), now, more, group.scatter});
      } else {
        meet_again(lives_[row_[group.id]], group, more, now);
      }
    }
    forget(now);
  }

  void meet_again(Life& life, const Group& group, double more, double now) {
    const double age = std::max(now - life.last_seen, kShortest);
    for (int j = 0; j < d_; ++j) life.move[j] = (group.mean[j] - life.mean[j]) / age;
    life.n = group.n;
    life.mean = group.mean;
    life.last_seen = now;
    life.evidence += more;
    for (std::size_t i = 0; i < life.scatter.size(); ++i) life.scatter[i] += group.scatter[i];
  }

  void forget(double now) {
    for (const Life& life : lives_) row_[life.id] = -1;
    std::erase_if(lives_, [&](const Life& life) { return now - life.last_seen > kHorizon; });
    for (std::size_t i = 0; i < lives_.size(); ++i) row_[lives_[i].id] = int(i);
  }

  double usual_variance() const {
    return pooled_evidence_ > 0.0 ? trace(pooled_, d_) / d_ / pooled_evidence_ : first_variance();
  }

  double first_variance() const { return trace(covariance_so_far(0), d_) / d_; }

  Square covariance_so_far(int t) const {
    const double* begin = reference_.covs + std::size_t(t) * d_ * d_;
    return Square(begin, begin + std::size_t(d_) * d_);
  }

  double log_det(const Square& matrix) {
    cholesky(matrix, d_, least_, factor_);
    return log_det_of_factor(factor_, d_);
  }

  static int age_class(double age) {
    return std::clamp(int(std::ceil(std::log2(std::max(age, 1.0)) - 1e-9)), 0, kAges - 1);
  }

  static double log_sum(double a, double b) {
    const double larger = std::max(a, b);
    return larger + std::log(std::exp(a - larger) + std::exp(b - larger));
  }

  ResultView result_;
  ReferenceView reference_;
  Grouping grouping_;
  int d_;
  double least_ = 0.0;
  CodeLength total_;
  std::vector<Life> lives_;
  std::vector<int> row_;  // of each id among the lives, or -1
  Square pooled_, factor_;
  double pooled_evidence_ = 0.0, births_ = 0.0, newborns_ = 0.0, newborn_mass_ = 0.0, news_waited_ = 0.0;
  std::array<double, kAges> chances_{}, returns_{};
  std::array<double, 2> missed_{}, waited_{}, news_{}, credit_{};
};

}  // namespace dynmeans
