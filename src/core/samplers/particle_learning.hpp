// Particle learning of one batch under the Markov chain Gaussian mixture (Carvalho, Lopes, Polson and Taddy
// 2010).
//
// For each row, resample the particles by their predictive density of the row, then draw a label in each.
// Centers are integrated out, so a cluster is a mean, a variance and a weight.
#pragma once

#include <utility>

#include "samplers/mcgmm.hpp"
#include "support/signals.hpp"

namespace dynmeans {

class Particle {
 public:
  explicit Particle(int d) : d_(d) {}

  int size() const { return int(founders_.size()); }
  std::int64_t founder(int k) const { return founders_[k]; }
  const double* mean(int k) const { return means_.data() + std::size_t(k) * d_; }
  double variance(int k) const { return clusters_[k].variance; }
  double count(int k) const { return clusters_[k].count; }
  double weight(int k) const { return clusters_[k].weight; }

  // founder: row or id that the cluster began with; mean (d,) and variance of its center; count and
  // weight: see Cluster
  void add(std::int64_t founder, const double* mean, double variance, double count, double weight) {
    founders_.push_back(founder);
    means_.insert(means_.end(), mean, mean + d_);
    clusters_.push_back({variance, count, weight});
    total_ += weight;
  }

  // Eq. (mcmmlabelprior) times the density of the row, one choice per cluster, the last for a birth. Returns
  // the logarithm of the density of the row.
  double predict(const double* y, const McgmmParams& model, double log_birth, Categorical& choice) const {
    choice.clear();
    for (int k = 0; k < size(); ++k)
      choice.add(weight(k), log_gaussian(y, mean(k), model.noise + variance(k), d_));
    choice.add(model.concentration, log_birth);
    return choice.sum() - std::log(total_ + model.concentration);
  }

  // Adds the row to cluster k, or to a new one; the center is updated as in a Kalman filter.
  std::int64_t take(int k, const double* y, std::int64_t number, const McgmmParams& model) {
    if (k == size()) add(number, model.prior_mean, model.prior_variance, 0, 0);
    Cluster& c = clusters_[k];
    const double gain = c.variance / (c.variance + model.noise);
    for (int j = 0; j < d_; ++j) {
      double& m = means_[std::size_t(k) * d_ + j];
      m += gain * (y[j] - m);
    }
    c.variance *= 1 - gain;
    total_ += c.count + 1 - c.weight;
    c.weight = c.count += 1;  // a sleeping cluster is revived with its full count
    return founders_[k];
  }

 private:
  struct Cluster {
    double variance;  // of the center
    double count;     // c + n
    double weight;    // c + n if active, q^dt c if asleep
  };

  int d_;
  double total_ = 0;  // of the weights
  std::vector<std::int64_t> founders_;
  std::vector<double> means_;  // (size, d)
  std::vector<Cluster> clusters_;
};

class ParticleFilter {
 public:
  ParticleFilter(std::vector<Particle> particles, std::vector<double> log_densities, const McgmmParams& model,
                 Random random)
      : model_(model),
        random_(random),
        particles_(std::move(particles)),
        log_densities_(std::move(log_densities)),
        choices_(particles_.size()),
        ancestors_(particles_.size()),
        predictive_(particles_.size()),
        labels_(particles_.size()) {}

  void run(const double* rows, std::int64_t n, std::int64_t first_number) {
    for (auto& path : labels_) path.reserve(n);
    for (std::int64_t i = 0; i < n; ++i) take(rows + i * model_.d, first_number + i);
  }

  const std::vector<Particle>& particles() const { return particles_; }
  const std::vector<double>& log_densities() const { return log_densities_; }
  const std::vector<std::vector<std::int64_t>>& labels() const { return labels_; }
  double log_evidence() const { return log_evidence_; }

 private:
  int count() const { return int(particles_.size()); }

  void take(const double* y, std::int64_t number) {
    const double log_birth =
        log_gaussian(y, model_.prior_mean, model_.noise + model_.prior_variance, model_.d);
    for (int p = 0; p < count(); ++p) {
      poll_(std::int64_t(particles_[p].size() + 1) * (model_.d + 20));  // with an exponential
      predictive_[p] = particles_[p].predict(y, model_, log_birth, choices_[p]);
    }
    resample();
    for (int p = 0; p < count(); ++p) {
      const int a = ancestors_[p], k = choices_[a].draw(random_);
      log_densities_[p] += predictive_[a] + std::log(choices_[a].share(k));
      labels_[p].push_back(particles_[p].take(k, y, number, model_));
    }
  }

  // Systematic resampling. Surviving particles keep their index; only copies are moved.
  void resample() {
    Categorical whole;
    for (const double log : predictive_) whole.add(1.0, log);
    log_evidence_ += whole.sum() - std::log(double(count()));
    offspring_.assign(count(), 0);
    const double start = random_.uniform();
    double sum = 0;
    int drawn = 0;
    for (int p = 0; p < count(); ++p) {
      sum += whole.share(p) * count();
      for (; drawn < count() && start + drawn < sum; ++drawn) ++offspring_[p];
    }
    offspring_[likeliest()] += count() - drawn;  // the remainder due to rounding
    replace_unsampled();
  }

  int likeliest() const {
    int best = 0;
    for (int p = 1; p < count(); ++p)
      if (predictive_[p] > predictive_[best]) best = p;
    return best;
  }

  void replace_unsampled() {
    int parent = 0;
    for (int p = 0; p < count(); ++p) {
      ancestors_[p] = p;
      if (offspring_[p] > 0) continue;
      poll_(std::int64_t(labels_[p].size()) + particles_[p].size() * model_.d);
      while (offspring_[parent] < 2) ++parent;
      --offspring_[parent];
      ancestors_[p] = parent;
      particles_[p] = particles_[parent];
      labels_[p] = labels_[parent];
      log_densities_[p] = log_densities_[parent];
    }
  }

  McgmmParams model_;
  Random random_;
  std::vector<Particle> particles_;
  std::vector<double> log_densities_;  // (P,) log p(z, y) of each path
  std::vector<Categorical> choices_;
  std::vector<int> ancestors_, offspring_;
  std::vector<double> predictive_;                 // (P,) log density of the row
  std::vector<std::vector<std::int64_t>> labels_;  // (P, n) number of the row that founded the cluster
  double log_evidence_ = 0;                        // estimate of log p(batch | past)
  Poll poll_;
};

}  // namespace dynmeans
