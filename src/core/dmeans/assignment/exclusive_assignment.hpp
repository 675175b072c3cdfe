// D-Means with at most one row per cluster: the exact optimum, by linear assignment (Jonker and Volgenant
// 1987).
//
// A row of weight m in a remembered cluster costs Q dt + gamma m / (gamma + m) |x - phi|^2, with the center
// in its optimum; a row in a new cluster costs lambda. Without a second row in a cluster these costs only add
// up, so the cheapest assignment of rows to clusters is the optimum of Eq. DMeansObj under this
// restriction.
#pragma once

#include <algorithm>
#include <vector>

#include "dmeans/clusters.hpp"
#include "dmeans/descent.hpp"
#include "simd/squared_distance.hpp"
#include "support/disjoint_sets.hpp"
#include "support/equations.hpp"
#include "support/linear_assignment.hpp"
#include "support/newborn_order.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Rows of one batch, at most one per cluster.
template <class T>
class ExclusiveAssignment {
  // A row and a remembered cluster that together cost less than a birth.
  struct Link {
    int row, cluster;
    double change;  // of the cost, compared with a birth; negative
  };

 public:
  // in: rows (n, d), weights (n,) or null for ones; prior: the remembered clusters; birth: lambda
  ExclusiveAssignment(const T* rows, const double* weights, int n, int d, const PriorView& prior,
                      double birth)
      : rows_(rows), weights_(weights), n_(n), d_(d), prior_(prior), birth_(birth), slots_(n, kNone) {}

  DescentResult run() {
    find_links();
    group_links();
    for (auto first = links_.begin(); first != links_.end();) {
      const int group = group_[first->row];
      const auto last =
          std::find_if(first, links_.end(), [&](const Link& l) { return group_[l.row] != group; });
      assign(first, last);
      first = last;
    }
    return result();
  }

 private:
  using LinkIterator = typename std::vector<Link>::const_iterator;

  double weight(int i) const { return weights_ ? weights_[i] : 1.0; }

  void read_row(int i, std::vector<double>& y) const {
    y.assign(rows_ + std::size_t(i) * d_, rows_ + std::size_t(i + 1) * d_);
  }

  // Weight of |x - phi|^2 when the center of the cluster is optimal.
  double link_weight(int i, int k) const { return merge_weight(prior_.gammas[k], weight(i)); }

  void find_links() {
    std::vector<double> y;
    for (int i = 0; i < n_; ++i) {
      read_row(i, y);
      poll_(std::int64_t(d_ + 2) * (prior_.n + 1));
      for (int k = 0; k < prior_.n; ++k) {
        const double saved = birth_ - prior_.revival[k], scale = link_weight(i, k);
        if (!(saved > 0)) continue;
        const double* phi = prior_.centers + std::size_t(k) * d_;
        const double change = scale * squared_distance(Plain{y.data()}, phi, d_, saved / scale) - saved;
        if (change < 0) links_.push_back({i, k, change});
      }
    }
  }

  // Sorts the links by connected component: components are assigned independently, and most have one row.
  // A thousand rows then take 3 ms instead of 40 ms.
  void group_links() {
    DisjointSets sets(n_ + prior_.n);
    for (const Link& link : links_) sets.unite(link.row, n_ + link.cluster);
    group_.resize(n_);
    for (int i = 0; i < n_; ++i) group_[i] = sets.find(i);
    std::stable_sort(links_.begin(), links_.end(),
                     [&](const Link& a, const Link& b) { return group_[a.row] < group_[b.row]; });
  }

  // One component. A pair without a link gets the change 0, with which LinearAssignment makes no link.
  void assign(LinkIterator first, LinkIterator last) {
    if (last - first == 1) {
      slots_[first->row] = first->cluster;
      return;
    }
    std::vector<int> rows, clusters;
    for (auto l = first; l != last; ++l) rows.push_back(l->row), clusters.push_back(l->cluster);
    sort_unique(rows), sort_unique(clusters);
    std::vector<double> change(rows.size() * clusters.size());
    for (auto l = first; l != last; ++l)
      change[index(rows, l->row) * clusters.size() + index(clusters, l->cluster)] = l->change;
    const auto found = LinearAssignment(change.data(), int(rows.size()), int(clusters.size())).run();
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (found[i] < std::int64_t(clusters.size())) slots_[rows[i]] = clusters[found[i]];
  }

  static void sort_unique(std::vector<int>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  static std::size_t index(const std::vector<int>& values, int value) {
    return std::lower_bound(values.begin(), values.end(), value) - values.begin();
  }

  DescentResult result() {
    const std::vector<int> born = newborn_rows();
    for (std::size_t s = 0; s < born.size(); ++s) slots_[born[s]] = std::int32_t(prior_.n + s);
    DescentResult out;
    out.centers.assign(prior_.centers, prior_.centers + std::size_t(prior_.n) * d_);
    out.centers.resize((prior_.n + born.size()) * d_);
    out.slot_weights.resize(prior_.n + born.size());
    out.cost = birth_ * double(born.size());
    for (int i = 0; i < n_; ++i) add_row(i, out);
    out.slots = std::move(slots_);
    out.restart_costs = {out.cost};
    out.n_iter = 1;
    return out;
  }

  // The parameter update for one row: theta = (gamma phi + m x) / (gamma + m), or x if the cluster is new.
  void add_row(int i, DescentResult& out) const {
    const int k = slots_[i];
    const double gamma = k < prior_.n ? prior_.gammas[k] : 0.0, share = weight(i) / (gamma + weight(i));
    double* center = out.centers.data() + std::size_t(k) * d_;
    double moved = 0;
    for (int j = 0; j < d_; ++j) {
      const double difference = double(rows_[std::size_t(i) * d_ + j]) - center[j];
      moved += difference * difference;
      center[j] += share * difference;
    }
    out.slot_weights[k] = weight(i);
    if (k < prior_.n) out.cost += prior_.revival[k] + link_weight(i, k) * moved;
  }

  std::vector<int> newborn_rows() const {
    std::vector<int> born;
    for (int i = 0; i < n_; ++i)
      if (slots_[i] == kNone) born.push_back(i);
    if (born.size() < 2) return born;
    const std::vector<double> mean = mean_of_batch();
    std::vector<double> weights(n_), squared_distances(n_), y;
    for (const int i : born) {
      read_row(i, y);
      weights[i] = weight(i);
      squared_distances[i] = squared_distance(Plain{y.data()}, mean.data(), d_);
    }
    sort_newborn(born, weights, std::move(squared_distances));
    return born;
  }

  std::vector<double> mean_of_batch() const {
    std::vector<double> mean(d_);
    double total = 0;
    for (int i = 0; i < n_; ++i) total += weight(i);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < d_; ++j) mean[j] += weight(i) / total * double(rows_[std::size_t(i) * d_ + j]);
    return mean;
  }

  const T* rows_;
  const double* weights_;
  int n_, d_;
  PriorView prior_;
  double birth_;  // lambda

  std::vector<std::int32_t> slots_;  // (n,)
  std::vector<Link> links_;
  std::vector<int> group_;  // (n,)  connected component of each row
  Poll poll_;
};

}  // namespace dynmeans
