// SD-Means after the eigenvectors (Campbell, Kulis and How 2019): round, link, refine; keep the restart of
// lowest cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernel/cluster_links.hpp"
#include "kernel/kernel_descent.hpp"
#include "kernel/spectral/spectral_embedding.hpp"
#include "kernel/spectral/yu_shi_rounding.hpp"
#include "support/random.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct SpectralSearch {
  double birth;  // lambda
  std::uint64_t seed, step;
  int n_restarts, max_iter;
  bool refine;  // descend on the true cost from each linked clustering, which can only lower it
};

struct SpectralResult {
  std::vector<std::int64_t> labels;   // (R,) 0 .. K-1 remembered, then newborn
  int n_iter;                         // alternations and sweeps of the best restart
  std::vector<double> restart_costs;  // (n_restarts,)
};

template <class Centers>
class SpectralClusters {
  // Mean cosine of rows with their axes. Above it the rounding is nearly exact, and restarts from other first
  // rows give the same axes.
  static constexpr double kNearlyExact = 0.98;

  struct Trial {
    std::vector<std::int64_t> partition;
    KernelResult fit;
  };

 public:
  SpectralClusters(const KernelView& view, const SpectralSearch& search, const Centers& centers)
      : view_(view), search_(search), centers_(centers) {}

  // in: vectors (R + K, c)
  SpectralResult run(const double* vectors, int c, const Lapack& lapack) {
    const Embedding embedding =
        embed({vectors, view_.weights, view_.gammas, int(view_.n), view_.n_old, c}, lapack);
    const double *rows = embedding.rows.data(), *lengths = embedding.lengths.data();
    YuShiRounding rounder({rows, lengths, view_.weights, int(view_.n), embedding.c}, lapack);
    SpectralResult result{{}, 0, {}};
    double mean_cosine = 0;
    Poll poll;
    for (int restart = 0; restart < search_.n_restarts; ++restart) {
      poll(1 + view_.n);
      if (mean_cosine > kNearlyExact) {
        result.restart_costs.push_back(result.restart_costs[0]);
        continue;
      }
      const int first =
          restart == 0 ? int(std::max_element(lengths, lengths + view_.n) - lengths) : draw(restart);
      const Rounded rounded = rounder.run(first, search_.max_iter);
      if (restart == 0) mean_cosine = rounded.mean_cosine;
      take(rounded, result);
    }
    return result;
  }

 private:
  // A row drawn in proportion to the weights, as if equal points had not been merged.
  int draw(int restart) const {
    double left = Random(search_.seed, search_.step, restart).uniform() *
                  std::accumulate(view_.weights, view_.weights + view_.n, 0.0);
    int row = 0;
    while (row + 1 < view_.n && left >= view_.weights[row]) left -= view_.weights[row++];
    return row;
  }

  void take(const Rounded& rounded, SpectralResult& result) {
    const KernelResult& fit = finished(rounded.labels);
    const bool is_best = result.labels.empty() || fit.cost < *std::min_element(result.restart_costs.begin(),
                                                                               result.restart_costs.end());
    result.restart_costs.push_back(fit.cost);
    if (!is_best) return;
    result.labels.assign(fit.labels.begin(), fit.labels.end());
    result.n_iter = rounded.n_iter + fit.n_iter;
  }

  // Many restarts round to the same partition, which is processed only once.
  const KernelResult& finished(const std::vector<std::int64_t>& partition) {
    for (const Trial& trial : trials_)
      if (trial.partition == partition) return trial.fit;
    const std::vector<std::int64_t> slots = link(partition, view_, centers_, search_.birth);
    const std::vector<std::int32_t> start(slots.begin(), slots.end());
    const int sweeps = search_.refine ? search_.max_iter : 0;
    const KernelSearch search{search_.birth, search_.seed, search_.step, 0, sweeps, start.data()};
    KernelResult fit = KernelDescent<Centers>(view_, search, centers_).run();
    if (!search_.refine) fit.labels = start;
    trials_.push_back({partition, std::move(fit)});
    return trials_.back().fit;
  }

  KernelView view_;
  SpectralSearch search_;
  const Centers& centers_;  // without rows
  std::vector<Trial> trials_;
};

}  // namespace dynmeans
