// D-Means on one batch: restarted coordinate descent, keeping the lowest cost (Algorithm dynmeans;
// Campbell, Kulis and How 2019).
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "dmeans/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/finished_clusters.hpp"
#include "dmeans/first_pass.hpp"
#include "dmeans/hamerly_assignment.hpp"
#include "dmeans/split_merge.hpp"
#include "dmeans/visiting_order.hpp"
#include "support/exact_sum.hpp"
#include "support/random.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

struct DescentOptions {
  double birth;  // lambda
  std::uint64_t seed, step;
  int n_restarts, max_iter, n_threads;
  bool refine;
  int epoch = 0;  // rows of an epoch of the first pass; 0 for growing epochs where they pay, -1 for none
};

struct DescentResult {
  std::vector<std::int32_t> slots;    // (n,) 0 .. K-1 remembered, then newborn
  std::vector<double> centers;        // (slots, d)
  std::vector<double> taken;          // (slots,)
  std::vector<double> restart_costs;  // (n_restarts,)
  double cost = std::numeric_limits<double>::infinity();
  int n_iter = 0;
};

template <class T>
class Descent {
 public:
  Descent(const BatchView<T>& points, const PriorView& prior, const DescentOptions& options)
      : points_(points),
        options_(options),
        slots_(prior, points.scale),
        pool_(options.n_threads),
        past_(points, slots_, options.birth, pool_),
        assignment_(points, past_, options.birth),
        y_(points.d) {}

  DescentResult run() {
    DescentResult best;
    for (int r = 0; r < options_.n_restarts; ++r) {
      poll_(points_.n + slots_.count());
      Random random(options_.seed, options_.step, r);
      const int n_iter = descend(random);
      if (options_.refine) refine(r);
      const double cost = r > 0 && ends_like(best) ? best.cost : objective();
      best.restart_costs.push_back(cost);
      if (r == 0 || cost < best.cost) keep(best, cost, n_iter);
    }
    return best;
  }

 private:
  static constexpr Row kLarge = 4096;

  int descend(Random& random) {
    slots_.reset();
    assignment_.reset();
    bool moved = place_all(random);
    int n_iter = 1;
    for (; moved && n_iter < options_.max_iter; ++n_iter) {
      moved = assignment_.pass(slots_, pool_);
      std::vector<Row> restless = assignment_.restless();
      random.shuffle(restless);
      moved |= place_each(restless);
    }
    return n_iter;
  }

  // The first pass: every row once, in random order.
  bool place_all(Random& random) {
    const VisitingOrder order(points_.n, random);
    if (runs_in_epochs()) {
      FirstPass<T>(points_, past_, options_.birth, options_.epoch, slots_, assignment_, pool_).run(order);
    } else {
      for (Row visit = 0; visit < order.size(); ++visit) place(order[visit]);
    }
    slots_.update_centers();
    return points_.n > 0;
  }

  // On one thread, small batches take less time in the serial loop: 75 rows 6.8 against 8.9 microseconds.
  bool runs_in_epochs() const {
    return options_.epoch > 0 || (options_.epoch == 0 && (pool_.size() > 1 || points_.n >= kLarge));
  }

  // One row after another; clusters that are born or revived are there for the next row.
  bool place_each(const std::vector<Row>& rows) {
    bool moved = false;
    for (const Row i : rows) moved |= place(i);
    if (moved) slots_.update_centers();
    return moved;
  }

  // Eq. (labelupdate) for one row; a tie joins.
  bool place(Row i) {
    const double m = points_.weight(i);
    const std::int32_t own = assignment_.labels()[i];
    const double* y = points_.moved(i, y_.data());
    poll_(std::int64_t(points_.d) * (slots_.count() + 1));
    const std::int32_t slot = slots_.place(y, m, own, past_.of(i), options_.birth, scratch_);
    if (slot == own) return false;
    assignment_.relabel(i, slot);
    return true;
  }

  // Ends a restart with changes that the descent does not know.
  void refine(int restart) {
    if (points_.n == 0) return;
    if (refine_rows_.y.empty()) read_refine_rows();
    const KernelSearch search{options_.birth,         options_.seed,     options_.step,
                              std::uint64_t(restart), options_.max_iter, nullptr};
    const auto labels = SplitMerge(refine_rows_, slots_.prior(), search).run(assignment_.labels());
    for (Row i = 0; i < points_.n; ++i) assignment_.relabel(i, labels[i]);
    slots_.reset();
    while (slots_.count() <= *std::max_element(labels.begin(), labels.end())) slots_.newborn();
    for (Row i = 0; i < points_.n; ++i) slots_.add(labels[i], points_.moved(i, y_.data()), points_.weight(i));
    slots_.update_centers();
  }

  void read_refine_rows() {
    RefineRows& rows = refine_rows_;
    rows.d = points_.d;
    rows.y.reserve(std::size_t(points_.n) * points_.d);
    rows.weights.reserve(points_.n);
    for (Row i = 0; i < points_.n; ++i) {
      const double* y = points_.moved(i, y_.data());
      rows.y.insert(rows.y.end(), y, y + points_.d);
      rows.weights.push_back(points_.weight(i));
    }
    rows.phi.assign(slots_.old_center(0), slots_.old_center(slots_.n_old()));
    rows.phi_phi.reserve(slots_.n_old());
    const std::vector<double> origin(points_.d);
    for (int k = 0; k < slots_.n_old(); ++k)
      rows.phi_phi.push_back(squared_distance_between(slots_.old_center(k), origin.data()));
  }

  // True if the clusters are those of the best restart, whatever the newborn are called: then so is the cost.
  bool ends_like(const DescentResult& best) const {
    const auto& labels = assignment_.labels();
    std::vector<std::int32_t> names(slots_.count(), kNone);
    std::iota(names.begin(), names.begin() + slots_.n_old(), 0);
    std::size_t n_names = slots_.n_old();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::int32_t& name = names[labels[i]];
      if (name == kNone) {
        name = best.slots[i];
        ++n_names;
      }
      if (name != best.slots[i]) return false;
    }
    return n_names == best.taken.size();
  }

  // The objective: Eq. DMeansObj, the same for any order of the rows and of the clusters.
  double objective() {
    const int chunks = int(std::clamp<Row>(points_.n / kLarge, 1, 64));
    std::vector<ExactSum> costs(chunks);
    pool_.share(chunks, [&](int c) {
      const Row begin = points_.n * c / chunks, end = points_.n * (c + 1) / chunks;
      add_cost_of_rows(points_, begin, end, assignment_.labels().data(), slots_, costs[c]);
    });
    for (int c = 1; c < chunks; ++c) costs[0].merge(costs[c]);
    add_cost_of_clusters(slots_, options_.birth, costs[0]);
    return costs[0].value();
  }

  void keep(DescentResult& best, double cost, int n_iter) {
    FinishedClusters finished(slots_, points_.scale);
    const auto& labels = assignment_.labels();
    best.slots.resize(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) best.slots[i] = finished.numbers[labels[i]];
    best.centers = std::move(finished.centers);
    best.taken = std::move(finished.taken);
    best.cost = cost;
    best.n_iter = n_iter;
  }

  double squared_distance_between(const double* a, const double* b) const {
    return squared_distance(Plain{a}, b, points_.d);
  }

  const BatchView<T>& points_;
  DescentOptions options_;
  Clusters slots_;
  ThreadPool pool_;
  PriorDistances past_;
  Assignment<T> assignment_;
  std::vector<double> y_, scratch_;
  Poll poll_;
  RefineRows refine_rows_;
};

}  // namespace dynmeans
