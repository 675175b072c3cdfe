// Displacement of each old cluster: annealed expectation maximization for translations, as in coherent
// point drift (Myronenko and Song 2010), with a prior that keeps displacements short where there is little
// evidence:
//   d_k = sum_i m_i q_ik (y_i - u) / (sum_i m_i q_ik + h^2 / s^2)
// with s^2 = h_last^2 + the mean of d^2 per coordinate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernel/gaussian_mixture.hpp"

namespace dynmeans {

struct AlignOptions {
  double bandwidth;   // h  in the last round
  double background;  // b  weight of the background, in the last round
  double widest;      //    bandwidth of the first round, in units of the last
  int n_rounds;
};

class Aligner {
 public:
  // rows (n, d), weights (n,); support: points of the old clusters; options: bandwidths and rounds
  Aligner(const double* rows, const double* weights, std::int64_t n, int d, const SupportView& support,
          const AlignOptions& options)
      : rows_(rows),
        weights_(weights),
        n_(n),
        d_(d),
        n_old_(support.n_old),
        options_(options),
        mixture_(rows, n, d, support),
        responsibility_(n_old_),
        displacement_sum_(std::size_t(n_old_) * d) {}

  // Runs from two starts, no shift and one shift shared by all clusters, and returns the likelier result.
  std::vector<double> run() {
    std::vector<double> rest(std::size_t(n_old_) * d_), shared = rest;
    const double from_rest = anneal(rest, 0, false);
    anneal(shared, 0, true);
    const double from_shared = anneal(shared, options_.n_rounds / 2, false);
    std::vector<double> shifts = from_shared > from_rest ? shared : rest;
    stay_if_unseen(shifts);
    return shifts;
  }

 private:
  double anneal(std::vector<double>& shifts, int first_round, bool tied) {
    for (int round = first_round; round < options_.n_rounds; ++round) {
      const double factor = std::pow(options_.widest, 1.0 - (round + 1.0) / options_.n_rounds);
      expect(shifts, factor);
      if (tied) share_evidence();
      maximize(shifts, factor);
    }
    return expect(shifts, 1.0);
  }

  // Fills responsibility_ and displacement_sum_; returns the log likelihood up to a constant.
  double expect(const std::vector<double>& shifts, double factor) {
    std::fill(responsibility_.begin(), responsibility_.end(), 0.0);
    std::fill(displacement_sum_.begin(), displacement_sum_.end(), 0.0);
    const double background = options_.background * std::pow(factor, d_);
    double likelihood = 0;
    mixture_.explain(shifts.data(), options_.bandwidth * factor, [&](std::int64_t i, int lane) {
      double total = background;
      for (int k = 0; k < n_old_; ++k) total += mixture_.mass(k)[lane];
      likelihood += weights_[i] * std::log(total);
      const double scale = weights_[i] / total;
      for (int k = 0; k < n_old_; ++k) {
        const double mass = mixture_.mass(k)[lane];
        responsibility_[k] += scale * mass;
        for (int c = 0; c < d_; ++c)
          displacement_sum_[std::size_t(k) * d_ + c] +=
              scale * (mass * rows_[i * d_ + c] - mixture_.moment(k, c)[lane]);
      }
    });
    return likelihood;
  }

  // Gives every cluster the evidence of all clusters, so that they move together.
  void share_evidence() {
    const double total = std::accumulate(responsibility_.begin(), responsibility_.end(), 0.0);
    std::fill(responsibility_.begin(), responsibility_.end(), total);
    for (int c = 0; c < d_; ++c) {
      double displacement_sum = 0;
      for (int k = 0; k < n_old_; ++k) displacement_sum += displacement_sum_[std::size_t(k) * d_ + c];
      for (int k = 0; k < n_old_; ++k) displacement_sum_[std::size_t(k) * d_ + c] = displacement_sum;
    }
  }

  void maximize(std::vector<double>& shifts, double factor) const {
    const double h = options_.bandwidth * factor, prior = h * h / squared_step(shifts);
    for (int k = 0; k < n_old_; ++k)
      for (int c = 0; c < d_; ++c)
        shifts[std::size_t(k) * d_ + c] =
            displacement_sum_[std::size_t(k) * d_ + c] / (responsibility_[k] + prior);
  }

  // s^2: clusters with little evidence are expected to move as far as the others.
  double squared_step(const std::vector<double>& shifts) const {
    double squares = 0, evidence = 0;
    for (int k = 0; k < n_old_; ++k) {
      evidence += responsibility_[k];
      for (int c = 0; c < d_; ++c) squares += responsibility_[k] * square(shifts[std::size_t(k) * d_ + c]);
    }
    return square(options_.bandwidth) + (evidence > 0 ? squares / (d_ * evidence) : 0.0);
  }

  // A cluster that is absent from the batch moves onto the rows of another one. The other cluster explains
  // these rows without it, so it is moved back. Long shifts are checked first, because the cluster to which
  // the rows belong has the shorter shift.
  void stay_if_unseen(std::vector<double>& shifts) {
    std::vector<double> moved = table(shifts), still = table(std::vector<double>(shifts.size()));
    std::vector<double> total(n_, options_.background);
    for (std::int64_t i = 0; i < n_; ++i)
      for (int k = 0; k < n_old_; ++k) total[i] += moved[i * n_old_ + k];
    for (const int k : longest_first(shifts)) {
      if (is_seen(k, moved, total)) continue;
      std::fill_n(shifts.begin() + std::size_t(k) * d_, d_, 0.0);
      for (std::int64_t i = 0; i < n_; ++i) total[i] += still[i * n_old_ + k] - moved[i * n_old_ + k];
    }
  }

  // Whether the cluster explains its rows nearly alone: other clusters explain little of them.
  bool is_seen(int k, const std::vector<double>& mass, const std::vector<double>& total) const {
    constexpr double kMine = 2.0 / 3.0;  // responsibility for a row that leaves little to other clusters
    double own = 0, all = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double q = mass[i * n_old_ + k] / total[i];
      all += weights_[i] * q;
      if (q > kMine) own += weights_[i] * q;
    }
    return own >= 0.5 * all;
  }

  std::vector<double> table(const std::vector<double>& shifts) {
    std::vector<double> mass(n_ * n_old_);
    mixture_.explain(shifts.data(), options_.bandwidth, [&](std::int64_t i, int lane) {
      for (int k = 0; k < n_old_; ++k) mass[i * n_old_ + k] = mixture_.mass(k)[lane];
    });
    return mass;
  }

  std::vector<int> longest_first(const std::vector<double>& shifts) const {
    std::vector<double> length(n_old_);
    for (std::size_t j = 0; j < shifts.size(); ++j) length[j / d_] += square(shifts[j]);
    std::vector<int> order(n_old_);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length[a] > length[b]; });
    return order;
  }

  static double square(double x) { return x * x; }

  const double *rows_, *weights_;
  std::int64_t n_;
  int d_, n_old_;
  AlignOptions options_;
  GaussianMixture mixture_;
  std::vector<double> responsibility_;    // (K,)   sum of m q
  std::vector<double> displacement_sum_;  // (K, d) sum of m q (y - u)
};

}  // namespace dynmeans
