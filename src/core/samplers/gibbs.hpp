// Gibbs sampler of one batch under the Markov chain Gaussian mixture (appendix of the paper): labels given
// centers, then centers given labels. The labels of earlier batches are fixed.
//
// The distribution of the labels is the product of the paper's label prior without its normalizers,
//   p(z) ~ prod over new k of alpha Gamma(n_k) * prod over old k of q^dt Gamma(c_k + n_k) / Gamma(c_k),
// over clusters with n_k > 0 rows: the one distribution with the conditionals of the appendix for every
// row.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "samplers/mcgmm.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct GibbsResult {
  std::vector<std::int32_t> best;     // (n,) slots: 0 .. K-1 remembered, then newborn
  std::vector<std::int32_t> samples;  // (n_samples, n), or empty
  // (n_samples,) log p(z, y | past) of each sample, with centers integrated out
  std::vector<double> log_densities;
};

class Gibbs {
 public:
  // rows (n, d); old: remembered clusters; model: hyperparameters; random: source of random numbers
  Gibbs(const double* rows, std::int64_t n, const McgmmState& old, const McgmmParams& model, Random random)
      : rows_(rows),
        n_(n),
        d_(model.d),
        old_(old),
        model_(model),
        random_(random),
        label_(n, kNone),
        log_noise_(log_normalizer(model.noise, model.d)) {
    while (slots() < old.n) add_slot();
    tabulate();
  }

  // start (n,): slots of the initial state, or null to draw it; keep: whether to return all samples
  GibbsResult run(int n_samples, const std::int32_t* start, bool keep) {
    start ? assign_all(start) : draw_initial();
    GibbsResult result;
    double highest = -std::numeric_limits<double>::infinity();
    for (int s = 0; s < n_samples; ++s) {
      for (std::int64_t i = 0; i < n_; ++i) relabel(i);
      draw_centers();
      const double density = log_density();
      if (density > highest || s == 0) {
        highest = density;
        result.best = label_;
      }
      if (keep) result.samples.insert(result.samples.end(), label_.begin(), label_.end());
      result.log_densities.push_back(density);
    }
    return result;
  }

 private:
  static constexpr std::int32_t kNone = -1;

  struct SleepingCluster {
    int slot;
    double log;  // of its density at the row
  };

  const double* row(std::int64_t i) const { return rows_ + i * d_; }
  int slots() const { return int(count_.size()); }
  bool is_old(int k) const { return k < old_.n; }
  double old_count(int k) const { return is_old(k) ? old_.counts[k] : 0.0; }
  double variance(int k) const { return is_old(k) ? old_.variances[k] : model_.prior_variance; }
  const double* mean(int k) const {
    return is_old(k) ? old_.centers + std::size_t(k) * d_ : model_.prior_mean;
  }

  // Densities that do not depend on the labels: of births, and of sleeping clusters that are not negligible.
  void tabulate() {
    birth_.resize(n_);
    sleeping_.resize(n_);
    for (std::int64_t i = 0; i < n_; ++i) {
      poll_(std::int64_t(old_.n + 1) * (d_ + 20));
      birth_[i] = log_gaussian(row(i), model_.prior_mean, model_.noise + model_.prior_variance, d_);
      const double threshold = std::log(model_.concentration) + birth_[i] - kNegligible;
      for (int k = 0; k < old_.n; ++k) {
        const double log = log_gaussian(row(i), mean(k), model_.noise + variance(k), d_);
        if (std::log(old_.weights[k]) + log > threshold) sleeping_[i].push_back({k, log});
      }
    }
  }

  void assign_all(const std::int32_t* start) {
    for (std::int64_t i = 0; i < n_; ++i) {
      while (slots() <= start[i]) add_slot();
      assign(i, start[i]);
    }
    for (int k = slots(); k-- > old_.n;)
      if (count_[k] == 0) free_.push_back(k);
    draw_centers();
  }

  // Initial state: rows in random order, each drawn given those before it.
  void draw_initial() {
    std::vector<std::int64_t> order(n_);
    std::iota(order.begin(), order.end(), std::int64_t(0));
    random_.shuffle(order);
    for (const std::int64_t i : order) {
      relabel(i);
      draw_center(label_[i]);
    }
  }

  // Draws one label by the conditional of the appendix: a current cluster, a sleeping one, or a new one.
  void relabel(std::int64_t i) {
    poll_(std::int64_t(active_.size() + sleeping_[i].size() + 1) * (d_ + 20));  // with an exponential
    if (label_[i] != kNone) remove(i);
    choice_.clear();
    for (const int k : active_)
      choice_.add(old_count(k) + count_[k],
                  log_noise_ - squared_distance(row(i), center(k), d_) / (2 * model_.noise));
    candidates_.clear();
    for (const SleepingCluster& cluster : sleeping_[i]) {
      if (count_[cluster.slot] > 0) continue;
      candidates_.push_back(cluster.slot);
      choice_.add(old_.weights[cluster.slot], cluster.log);
    }
    choice_.add(model_.concentration, birth_[i]);
    choice_.sum();
    const int drawn = choice_.draw(random_);
    const int n_active = int(active_.size()), n_asleep = int(candidates_.size());
    if (drawn < n_active) return assign(i, active_[drawn]);
    const int k = drawn < n_active + n_asleep ? candidates_[drawn - n_active] : newborn();
    assign(i, k);
    draw_center(k);
  }

  void assign(std::int64_t i, int k) {
    label_[i] = k;
    if (count_[k]++ == 0) active_.push_back(k);
    for (int j = 0; j < d_; ++j) sum_[at(k) + j] += row(i)[j];
  }

  void remove(std::int64_t i) {
    const int k = label_[i];
    for (int j = 0; j < d_; ++j) sum_[at(k) + j] -= row(i)[j];
    if (--count_[k] > 0) return;
    std::fill_n(sum_.begin() + at(k), d_, 0.0);
    active_.erase(std::find(active_.begin(), active_.end(), k));
    if (!is_old(k)) free_.push_back(k);
  }

  int newborn() {
    if (free_.empty()) return add_slot();
    const int k = free_.back();
    free_.pop_back();
    return k;
  }

  int add_slot() {
    count_.push_back(0);
    sum_.resize(sum_.size() + d_);
    center_.resize(center_.size() + d_);
    return slots() - 1;
  }

  void draw_centers() {
    for (const int k : active_) draw_center(k);
  }

  // Eq. (transpost): a center given its rows.
  void draw_center(int k) {
    const double posterior = 1 / (1 / variance(k) + count_[k] / model_.noise), spread = std::sqrt(posterior);
    for (int j = 0; j < d_; ++j) {
      const double weighted = mean(k)[j] / variance(k) + sum_[at(k) + j] / model_.noise;
      center_[at(k) + j] = posterior * weighted + spread * random_.normal();
    }
  }

  double log_density() {
    poll_(n_ * d_);
    double log = n_ * log_noise_;
    for (const int k : active_) {
      const double n = count_[k], p = variance(k), c = old_count(k);
      log += is_old(k) ? std::log(old_.weights[k]) + std::lgamma(c + n) - std::lgamma(c + 1)
                       : std::log(model_.concentration) + std::lgamma(n);
      log -= 0.5 * d_ * std::log1p(n * p / model_.noise);
      for (int j = 0; j < d_; ++j) {
        const double average = sum_[at(k) + j] / n, off = average - mean(k)[j];
        log -= 0.5 * off * off / (p + model_.noise / n);
      }
    }
    for (std::int64_t i = 0; i < n_; ++i)
      for (int j = 0; j < d_; ++j) {
        const double off = row(i)[j] - sum_[at(label_[i]) + j] / count_[label_[i]];
        log -= 0.5 * off * off / model_.noise;
      }
    return log;
  }

  std::size_t at(int k) const { return std::size_t(k) * d_; }
  const double* center(int k) const { return center_.data() + at(k); }

  const double* rows_;
  std::int64_t n_;
  int d_;
  McgmmState old_;
  McgmmParams model_;
  Random random_;

  std::vector<std::int32_t> label_;  // (n,) slot
  double log_noise_;
  std::vector<double> birth_;  // (n,) log density of a new cluster
  std::vector<std::vector<SleepingCluster>>
      sleeping_;  // (n,) old clusters that may take the row while they sleep

  std::vector<int> count_;            // (slots,) n_k
  std::vector<double> sum_, center_;  // (slots, d)
  std::vector<int> active_, free_, candidates_;
  Categorical choice_;
  Poll poll_;
};

}  // namespace dynmeans
