// D-Means on the unit sphere, one batch: restarted coordinate descent, keeping the lowest cost. The
// small-variance limit of a mixture of von Mises-Fisher distributions (Straub, Campbell, How and Fisher
// 2015).
//
// The centers move with every row of the first pass: a single row lies far from other rows of its cluster,
// while the mean of several is near all of them. Later passes keep the centers fixed, as D-Means does.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "dmeans/descent.hpp"
#include "sphere/sphere_assignment.hpp"
#include "sphere/sphere_clusters.hpp"
#include "sphere/sphere_groups.hpp"
#include "sphere/sphere_label_update.hpp"
#include "support/newborn_order.hpp"
#include "support/random.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct SphereResult : DescentResult {
  std::vector<double> lengths;  // (slots,) |A|, the weight after the step; 0 for sleeping clusters
  double whole_cost = 0;        // cost of a whole cluster: the birth cost, or more with refinement
};

template <class T>
class SphereDescent {
 public:
  SphereDescent(const SphereRows<T>& points, const PriorView& prior, const DescentOptions& options)
      : points_(points),
        options_(options),
        slots_(prior, points.d),
        label_update_(slots_),
        prior_(prior),
        prior_cosines_(points, prior),
        assignment_(points, prior_cosines_, options.birth) {}

  SphereResult run() {
    SphereResult best;
    for (int r = 0; r < options_.n_restarts; ++r) {
      poll_(points_.n + slots_.count());
      Random random(options_.seed, options_.step, r);
      const int n_iter = descend(random);
      if (options_.refine) refine(r == 0);
      const double cost = finish();
      best.restart_costs.push_back(cost);
      if (r == 0 || cost < best.cost) keep(best, cost, n_iter);
    }
    best.whole_cost = whole_scale_ * options_.birth;
    return best;
  }

 private:
  int descend(Random& random) {
    slots_.reset();
    assignment_.reset();
    std::vector<Row> rows(points_.n);
    std::iota(rows.begin(), rows.end(), Row(0));
    random.shuffle(rows);
    for (const Row i : rows) {
      assign(i);
      slots_.update_center(assignment_.labels()[i]);
    }
    bool moved = points_.n > 0;
    int n_iter = 1;
    for (; moved && n_iter < options_.max_iter; ++n_iter) {
      moved = assignment_.pass(slots_);
      rows = assignment_.proposals();
      random.shuffle(rows);
      for (const Row i : rows) moved |= assign(i);
      slots_.update_centers();
    }
    return n_iter;
  }

  // Eq. (sphere-label) for one row; at equal cost, it joins a cluster.
  bool assign(Row i) {
    const std::int32_t own = assignment_.labels()[i];
    const T* x = points_.row(i);
    poll_(std::int64_t(points_.d) * (slots_.count() + 1));
    const double m = points_.deciding_weight(i), tolerance = assignment_.tolerance();
    const float* const to_prior = prior_cosines_.of(i);
    const SphereRow<T> row{x, m, own, tolerance};
    const Cheapest found = to_prior ? label_update_.cheapest(row, to_prior, prior_cosines_.rounding())
                                    : label_update_.cheapest(row);
    const bool birth = !(found.cost <= options_.birth);
    if (!birth && found.slot == own) return false;
    const int slot = birth ? slots_.newborn() : found.slot;
    if (own != kNone) remove(own, i);
    slots_.add(slot, x, points_.weight(i));
    assignment_.relabel(i, slot);
    return true;
  }

  // An empty cluster sleeps or is deleted at once, so that the next row is compared with its true cost.
  void remove(int own, Row i) {
    slots_.remove(own, points_.row(i), points_.weight(i));
    if (!slots_.is_active(own)) slots_.update_center(own);
  }

  // Splits, merges and re-links whole clusters.
  void refine(bool is_first) {
    if (points_.n == 0) return;
    if (is_first) {
      whole_scale_ = std::max(merge_cost() / options_.birth, 1.0);
      read_refine_rows();
    }
    std::vector<double> revival(prior_.n);
    for (int k = 0; k < prior_.n; ++k) revival[k] = whole_scale_ * prior_.revival[k];
    const PriorView whole{prior_.centers, prior_.gammas, revival.data(), prior_.n};
    const double birth = whole_scale_ * options_.birth;
    const std::vector<std::int32_t> labels =
        SplitMerge(refine_rows_, whole, birth, options_.max_iter,
                   SphereGroups(refine_rows_, whole, birth, options_.max_iter))
            .run(assignment_.labels());
    slots_.reset();
    for (int n = *std::max_element(labels.begin(), labels.end()) + 1 - slots_.n_old(); n > 0; --n)
      slots_.newborn();
    for (Row i = 0; i < points_.n; ++i) assignment_.relabel(i, labels[i]);
  }

  // Eq. (sphere-whole): the cost of merging two clusters of mean size, whose rows have the cosine 1 - birth
  // to the center of the other.
  double merge_cost() const {
    double cosines = 0, weight = 0;
    int n_active = 0;
    for (Row i = 0; i < points_.n; ++i) {
      cosines += points_.weight(i) * slots_.dot(points_.row(i), slots_.center(assignment_.labels()[i]));
      weight += points_.weight(i);
    }
    for (int k = 0; k < slots_.count(); ++k) n_active += slots_.is_active(k);
    if (!(cosines > 0)) return 0;
    const double between = (1 - options_.birth) * weight / cosines;  // cosine of the two centers
    return cosines / n_active * (2 - std::sqrt(2 + 2 * std::clamp(between, -1.0, 1.0)));
  }

  void read_refine_rows() {
    refine_rows_.d = points_.d;
    refine_rows_.y.assign(points_.data, points_.data + std::size_t(points_.n) * points_.d);
    for (Row i = 0; i < points_.n; ++i) refine_rows_.weights.push_back(points_.weight(i));
  }

  // Recomputes all sums, to remove rounding errors, and the objective with the optimal centers eliminated:
  // Eq. (sphere-eliminated).
  double finish() {
    const auto& labels = assignment_.labels();
    slots_.clear_sums();
    for (Row i = 0; i < points_.n; ++i) {
      poll_(points_.d);
      slots_.add_to_active(labels[i], points_.row(i), points_.weight(i));
    }
    slots_.update_centers();
    double cost = 0;
    for (int k = 0; k < slots_.count(); ++k) {
      if (!slots_.is_active(k)) continue;
      cost += whole_scale_ * (slots_.is_old(k) ? slots_.revival(k) : options_.birth);
      cost += std::max(slots_.gamma(k) + slots_.weight(k) - slots_.length(k), 0.0);
    }
    return cost;
  }

  void keep(SphereResult& best, double cost, int n_iter) {
    std::vector<std::int32_t> order(slots_.n_old()), number(slots_.count(), kNone);
    std::iota(order.begin(), order.end(), 0);
    const std::vector<std::int32_t> newborn = newborn_order();
    order.insert(order.end(), newborn.begin(), newborn.end());
    for (std::size_t s = 0; s < order.size(); ++s) number[order[s]] = std::int32_t(s);
    const auto& labels = assignment_.labels();
    best.slots.resize(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) best.slots[i] = number[labels[i]];
    best.centers.resize(order.size() * points_.d);
    best.slot_weights.clear();
    best.lengths.clear();
    for (std::size_t s = 0; s < order.size(); ++s) write(best, order[s], &best.centers[s * points_.d]);
    best.cost = cost;
    best.n_iter = n_iter;
  }

  void write(SphereResult& best, int k, double* center) const {
    const bool active = slots_.is_active(k);
    const double total = slots_.gamma(k) + slots_.weight(k), length = active ? slots_.length(k) : 0.0;
    const double least = SphereClusters<T>::kCancelled * total;
    best.slot_weights.push_back(active ? slots_.weight(k) : 0.0);
    best.lengths.push_back(active ? std::max(length, least) : 0.0);
    if (!active) return void(std::copy_n(prior_.centers + std::size_t(k) * points_.d, points_.d, center));
    for (int j = 0; j < points_.d; ++j)
      center[j] = length > least ? slots_.sum(k)[j] / length : double(slots_.center(k)[j]);
  }

  std::vector<std::int32_t> newborn_order() const {
    std::vector<std::int32_t> order;
    for (int k = slots_.n_old(); k < slots_.count(); ++k)
      if (slots_.is_active(k)) order.push_back(k);
    if (order.size() < 2) return order;
    const std::vector<double> mean = mean_of_batch();
    std::vector<double> weights(slots_.count()), chords(slots_.count());
    for (const int k : order) {
      weights[k] = slots_.weight(k);
      const double* const a = slots_.sum(k);
      chords[k] = 2 - 2 * dot_product(a, mean.data(), points_.d) / std::max(slots_.length(k), 1e-300);
    }
    sort_newborn(order, weights, std::move(chords));
    return order;
  }

  // Direction of the sum of all rows.
  std::vector<double> mean_of_batch() const {
    std::vector<double> mean(points_.d);
    for (Row i = 0; i < points_.n; ++i)
      for (int j = 0; j < points_.d; ++j) mean[j] += points_.weight(i) * double(points_.row(i)[j]);
    const double norm = std::sqrt(dot_product(mean.data(), mean.data(), points_.d));
    for (double& coordinate : mean) coordinate /= std::max(norm, 1e-300);
    return mean;
  }

  const SphereRows<T>& points_;
  DescentOptions options_;
  SphereClusters<T> slots_;
  SphereLabelUpdate<T> label_update_;
  PriorView prior_;
  PriorCosines prior_cosines_;
  SphereAssignment<T> assignment_;
  RefineRows refine_rows_;
  double whole_scale_ = 1;  // cost of a whole cluster, in birth costs
  Poll poll_;
};

}  // namespace dynmeans
