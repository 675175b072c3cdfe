// Links of the clusters of a batch to old ones in the space of a kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/kernel_centers.hpp"
#include "support/equations.hpp"
#include "support/linear_assignment.hpp"

namespace dynmeans {

// Replace distances by link costs: the change of the objective if a cluster is linked to an old one instead
// of being born.
inline void link_costs(std::vector<double>& change,  // in (L, K) n |mean - phi|^2; out link costs
                       const double* weight,         // in n (L,)
                       const double* gammas,         // in gamma (K,)
                       const double* revival,        // in Q dt (K,)
                       std::size_t n_old,            // in K
                       double birth) {               // in lambda
  for (std::size_t e = 0; e < change.size(); ++e) {
    const double n = weight[e / n_old], gamma = gammas[e % n_old];
    change[e] = link_saving(revival[e % n_old], birth, gamma, n, change[e]);
  }
}

// Eq. (clustermatching): the cheapest linking of clusters to old ones, where each may stay new. The
// constraints of the paper's linear program are totally unimodular, so its optimum is an assignment. in:
// labels (R,), clusters 0 .. L-1, none of them empty; out: slots of the rows
template <class Centers>
std::vector<std::int64_t> link(std::vector<std::int64_t> labels, const KernelView& view,
                               const Centers& centers, double birth) {
  const int n_old = view.n_old, n_found = 1 + int(*std::max_element(labels.begin(), labels.end()));
  std::vector<double> weight(n_found), within(n_found), change(std::size_t(n_found) * n_old);
  centers.within(labels.data(), within.data());
  for (Row i = 0; i < view.n; ++i) {
    weight[labels[i]] += view.weights[i];
    for (int k = 0; k < n_old; ++k)
      change[labels[i] * n_old + k] += view.weights[i] * view.y_phi[i * n_old + k];
  }
  for (std::size_t e = 0; e < change.size(); ++e) {
    const std::size_t l = e / n_old;
    change[e] = weight[l] * view.phi_phi[e % n_old] - 2 * change[e] + within[l] / weight[l];
  }
  link_costs(change, weight.data(), view.gammas, view.revival, n_old, birth);
  const std::vector<std::int64_t> slots = LinearAssignment(change.data(), n_found, n_old).run();
  for (std::int64_t& label : labels) label = slots[label];
  return labels;
}

}  // namespace dynmeans
