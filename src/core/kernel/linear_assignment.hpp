// Which of the clusters just found is which of the remembered ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernel/kernel_centers.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Clusters and old ones paired at the least cost, where a cluster may stay new at no cost: one cluster after
// the other looks for the cheapest way to a free place, and others give way (Jonker and Volgenant 1987).
class LinearAssignment {
  static constexpr int kNone = -1;

 public:
  // in: change (L, K)  of the cost, by each link
  LinearAssignment(const double* change, int n_found, int n_old)
      : change_(change),
        n_found_(n_found),
        n_old_(n_old),
        paid_(n_found),
        price_(n_old + n_found),
        owner_(n_old + n_found, kNone),
        shortest_(n_old + n_found),
        before_(n_old + n_found),
        reached_(n_old + n_found) {}

  // Clusters (L,): 0 .. K-1 for clusters that are an old one again, K, K+1, ... for the others, in their
  // order. A link that saves nothing is not made.
  std::vector<std::int64_t> run() {
    for (int found = 0; found < n_found_; ++found) seat(found);
    std::vector<std::int64_t> slots(n_found_, kNone);
    for (int k = 0; k < n_old_; ++k)
      if (owner_[k] != kNone && cost(owner_[k], k) < 0) slots[owner_[k]] = k;
    std::int64_t next = n_old_;
    for (std::int64_t& slot : slots)
      if (slot == kNone) slot = next++;
    return slots;
  }

 private:
  // Places 0 .. K-1 are the old clusters, after them come as many new ones as there are clusters.
  double cost(int found, int place) const {
    return place < n_old_ ? change_[std::size_t(found) * n_old_ + place] : 0.0;
  }

  // Of two ways that are equally long, the one that ends goes first: nobody has to give way.
  bool is_sooner(int a, int b) const {
    if (shortest_[a] != shortest_[b]) return shortest_[a] < shortest_[b];
    return owner_[a] == kNone && owner_[b] != kNone;
  }

  void seat(int newest) {
    const int n_places = int(owner_.size());
    std::fill(shortest_.begin(), shortest_.end(), std::numeric_limits<double>::infinity());
    std::fill(before_.begin(), before_.end(), kNone);
    std::fill(reached_.begin(), reached_.end(), false);
    int place = kNone;
    for (int who = newest; who != kNone; who = owner_[place]) {
      int nearest = kNone;
      poll_(4 * n_places);
      for (int p = 0; p < n_places; ++p) {
        if (reached_[p]) continue;
        const double way = cost(who, p) - paid_[who] - price_[p];
        if (way < shortest_[p]) shortest_[p] = way, before_[p] = place;
        if (nearest == kNone || is_sooner(p, nearest)) nearest = p;
      }
      const double step = shortest_[nearest];
      paid_[newest] += step;
      for (int p = 0; p < n_places; ++p) {
        if (!reached_[p]) {
          shortest_[p] -= step;
        } else {
          paid_[owner_[p]] += step;
          price_[p] -= step;
        }
      }
      reached_[place = nearest] = true;
    }
    for (; place != kNone; place = before_[place])
      owner_[place] = before_[place] == kNone ? newest : owner_[before_[place]];
  }

  const double* change_;
  int n_found_, n_old_;
  std::vector<double> paid_, price_;  // (L,), (places,)  what no way is below
  std::vector<int> owner_;            // (places,)

  std::vector<double> shortest_;  // (places,)  ways from the newest
  std::vector<int> before_;       // (places,)  the place before on that way
  std::vector<char> reached_;     // (places,)
  Poll poll_;
};

// Prices of links in place of distances. in, out: change (L, K)  n times the squared distance between the
// mean of a cluster of weight n and an old centre, then what the link changes the cost of a birth by
inline void link_costs(std::vector<double>& change, const double* weight, const double* gammas,
                       const double* revival, std::size_t n_old, double birth) {
  for (std::size_t e = 0; e < change.size(); ++e) {
    const double n = weight[e / n_old], gamma = gammas[e % n_old];
    change[e] = revival[e % n_old] - birth + gamma * change[e] / (gamma + n);
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
