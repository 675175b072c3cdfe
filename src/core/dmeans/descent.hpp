// D-Means on one batch: restarted coordinate descent, keeping the lowest cost (Algorithm dynmeans;
// Campbell, Kulis and How 2019).
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "dmeans/assignment/hamerly_assignment.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/finished_clusters.hpp"
#include "dmeans/first_pass/first_pass.hpp"
#include "dmeans/first_pass/visiting_order.hpp"
#include "dmeans/label_update.hpp"
#include "dmeans/refinement/euclidean_groups.hpp"
#include "dmeans/refinement/split_merge.hpp"
#include "support/exact_sum.hpp"
#include "support/random.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

struct DescentOptions {
  double birth;  // lambda
  std::uint64_t seed, step;
  int n_restarts, max_iter;
  bool refine;
  // Rows of an epoch of the first pass; 0 for growing epochs where they save time, -1 for none.
  int epoch = 0;
};

struct DescentResult {
  std::vector<std::int32_t> slots;    // (n,) 0 .. K-1 remembered, then newborn
  std::vector<double> centers;        // (slots, d)
  std::vector<double> slot_weights;   // (slots,) weight of the rows of each slot
  std::vector<double> restart_costs;  // (n_restarts,)
  double cost = std::numeric_limits<double>::infinity();
  int n_iter = 0;
};

template <class T>
class Descent {
 public:
  Descent(const BatchView<T>& points, const PriorView& prior, const DescentOptions& options, ThreadPool& pool)
      : points_(points),
        options_(options),
        slots_(prior, points.scale),
        pool_(pool),
        prior_distances_(points, slots_, options.birth, pool_),
        assignment_(points, prior_distances_, options.birth),
        update_(slots_, options.birth),
        y_(points.d) {}

  DescentResult run() {
    DescentResult best;
    for (int r = 0; r < options_.n_restarts; ++r) {
      poll_(points_.n + slots_.count());
      Random random(options_.seed, options_.step, r);
      const int n_iter = descend(random);
      if (options_.refine) refine(r);
      const double cost = r > 0 && is_equal_to(best) ? best.cost : objective();
      best.restart_costs.push_back(cost);
      if (r == 0 || cost < best.cost) keep(best, cost, n_iter, r + 1 == options_.n_restarts);
    }
    return best;
  }

 private:
  // Rows of a chunk of a pass. From this size on, epochs are faster than the serial loop on one thread too.
  static constexpr Row kLarge = 4096;

  int chunk_count() const { return int(std::clamp<Row>(points_.n / kLarge, 1, 64)); }

  int descend(Random& random) {
    slots_.reset();
    assignment_.reset();
    bool moved = run_first_pass(random);
    int n_iter = 1;
    for (; moved && n_iter < options_.max_iter; ++n_iter) {
      moved = assignment_.pass(slots_, pool_);
      std::vector<Row> proposals = assignment_.proposals();
      random.shuffle(proposals);
      moved |= assign_each(proposals);
    }
    return n_iter;
  }

  // The first pass: every row once, in random order.
  bool run_first_pass(Random& random) {
    const VisitingOrder order(points_.n, random);
    if (runs_in_epochs()) {
      FirstPass<T>(points_, prior_distances_, options_.birth, options_.epoch, slots_, assignment_, pool_)
          .run(order);
    } else {
      for (Row visit = 0; visit < order.size(); ++visit) assign(order[visit]);
    }
    slots_.update_centers();
    return points_.n > 0;
  }

  // On one thread, small batches take less time in the serial loop: 75 rows 6.8 against 8.9 microseconds.
  bool runs_in_epochs() const {
    return options_.epoch > 0 || (options_.epoch == 0 && (pool_.size() > 1 || points_.n >= kLarge));
  }

  // Assigns rows one by one; the next row can join a cluster that was born or revived by this one.
  bool assign_each(const std::vector<Row>& rows) {
    bool moved = false;
    for (const Row i : rows) moved |= assign(i);
    if (moved) slots_.update_centers();
    return moved;
  }

  // Eq. labelupdate for one row; true if it moved.
  bool assign(Row i) {
    const double m = points_.weight(i);
    const std::int32_t own = assignment_.labels()[i];
    const double* y = points_.shifted(i, y_.data());
    poll_(std::int64_t(points_.d) * (slots_.count() + 1));
    const std::int32_t slot = assign_row({y, m, prior_distances_.of(i)}, own, update_, slots_);
    if (slot == own) return false;
    assignment_.relabel(i, slot);
    return true;
  }

  // Splits, merges and re-links whole clusters, which the descent by single rows cannot do.
  void refine(int restart) {
    if (points_.n == 0) return;
    if (refine_rows_.y.empty()) read_refine_rows();
    const KernelSearch search{options_.birth,         options_.seed,     options_.step,
                              std::uint64_t(restart), options_.max_iter, nullptr};
    const auto labels = SplitMerge(refine_rows_, slots_.prior(), options_.birth, options_.max_iter,
                                   EuclideanGroups(refine_rows_, slots_.prior(), search))
                            .run(assignment_.labels());
    for (Row i = 0; i < points_.n; ++i) assignment_.relabel(i, labels[i]);
    slots_.reset();
    while (slots_.count() <= *std::max_element(labels.begin(), labels.end())) slots_.newborn();
    for (Row i = 0; i < points_.n; ++i)
      slots_.add(labels[i], points_.shifted(i, y_.data()), points_.weight(i));
    slots_.update_centers();
  }

  void read_refine_rows() {
    RefineRows& rows = refine_rows_;
    rows.d = points_.d;
    rows.y.reserve(std::size_t(points_.n) * points_.d);
    rows.weights.reserve(points_.n);
    for (Row i = 0; i < points_.n; ++i) {
      const double* y = points_.shifted(i, y_.data());
      rows.y.insert(rows.y.end(), y, y + points_.d);
      rows.weights.push_back(points_.weight(i));
    }
    rows.phi.assign(slots_.old_center(0), slots_.old_center(slots_.n_old()));
    rows.phi_phi.reserve(slots_.n_old());
    const std::vector<double> origin(points_.d);
    for (int k = 0; k < slots_.n_old(); ++k)
      rows.phi_phi.push_back(squared_distance_between(slots_.old_center(k), origin.data()));
  }

  // True if the clusters equal those of the best restart up to the numbers of the newborn; then the costs are
  // equal too.
  bool is_equal_to(const DescentResult& best) const {
    const auto& labels = assignment_.labels();
    std::vector<std::int32_t> numbers(slots_.count(), kNone);
    std::iota(numbers.begin(), numbers.begin() + slots_.n_old(), 0);
    std::size_t n_numbered = slots_.n_old();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::int32_t& number = numbers[labels[i]];
      if (number == kNone) {
        number = best.slots[i];
        ++n_numbered;
      }
      if (number != best.slots[i]) return false;
    }
    return n_numbered == best.slot_weights.size();
  }

  // The objective: Eq. DMeansObj, the same for any order of the rows and of the clusters.
  double objective() {
    const int chunks = chunk_count();
    ExactSum cost;  // of the first chunk, then of all; a small batch needs no others
    std::vector<ExactSum> others(chunks - 1);
    pool_.run(chunks, [&](int c) {
      const Row begin = points_.n * c / chunks, end = points_.n * (c + 1) / chunks;
      ExactSum& sum = c == 0 ? cost : others[c - 1];
      add_cost_of_rows(points_, begin, end, assignment_.labels().data(), slots_, sum);
    });
    for (const ExactSum& other : others) cost.merge(other);
    add_cost_of_clusters(slots_, options_.birth, cost);
    return cost.value();
  }

  // The labels of the last restart are moved: a copy would take four bytes per row.
  void keep(DescentResult& best, double cost, int n_iter, bool is_last) {
    FinishedClusters finished(slots_, points_.scale);
    if (is_last)
      best.slots = assignment_.release_labels();
    else
      best.slots = assignment_.labels();
    const int chunks = chunk_count();
    pool_.run(chunks, [&](int c) {
      for (Row i = points_.n * c / chunks; i < points_.n * (c + 1) / chunks; ++i)
        best.slots[i] = finished.numbers[best.slots[i]];
    });
    best.centers = std::move(finished.centers);
    best.slot_weights = std::move(finished.slot_weights);
    best.cost = cost;
    best.n_iter = n_iter;
  }

  double squared_distance_between(const double* a, const double* b) const {
    return squared_distance(Plain{a}, b, points_.d);
  }

  const BatchView<T>& points_;
  DescentOptions options_;
  Clusters slots_;
  ThreadPool& pool_;
  PriorDistances prior_distances_;
  Assignment<T> assignment_;
  LabelUpdate update_;
  std::vector<double> y_;  // (d,)
  Poll poll_;
  RefineRows refine_rows_;
};

}  // namespace dynmeans
