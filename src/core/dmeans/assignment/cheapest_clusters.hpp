// The remembered cluster that would take each row at least cost if the row came alone (predict): Eq.
// (labelupdate) before any row is assigned, when all clusters sleep.
#pragma once

#include <algorithm>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/cost_table.hpp"
#include "dmeans/prior_view.hpp"
#include "support/equations.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

// Costs of all clusters while they sleep.
inline CostTable sleeping_costs(const PriorView& prior, int d) {
  CostTable costs(d);
  costs.grow(prior.n);
  for (int k = 0; k < prior.n; ++k) {
    costs.set_center(k, prior.centers + std::size_t(k) * d);
    costs.set_cost(k, merge_weight(prior.gammas[k], 1.0), prior.revival[k]);
  }
  return costs;
}

template <class T>
void cheapest_clusters(const T* data,           // in  (n, d)
                       Row n, int d,            // in
                       const PriorView& prior,  // in  K >= 1 clusters
                       int n_threads,           // in
                       std::int32_t* which) {   // out (n,)
  constexpr Row kRows = 4096;                   // rows of a chunk: enough work for a thread
  const CostTable costs = sleeping_costs(prior, d);
  ThreadPool pool(n_threads);
  pool.run(int((n + kRows - 1) / kRows), [&](int c) {
    std::vector<double> row(d);
    Poll poll;
    for (Row i = c * kRows; i < std::min(n, Row(c + 1) * kRows); ++i) {
      poll(std::int64_t(d) * prior.n);
      std::copy_n(data + i * d, d, row.begin());
      which[i] = costs.cheapest(row.data()).slot;
    }
  });
}

}  // namespace dynmeans
