// One pass of the label update against fixed centers, with the bounds of Hamerly (2010).
//
// Each point keeps an upper bound on the distance to its own center and a lower bound on the distance to
// every other one; both are updated when centers move. A point is skipped if these bounds prove that its
// own center is the nearest and that neither a birth nor a revival is cheaper. Points for which a birth or
// a revival is cheaper are only listed, as proposals; the descent assigns them one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "dmeans/assignment/hamerly_bounds.hpp"
#include "dmeans/assignment/prior_distances.hpp"
#include "dmeans/assignment/tile_comparison.hpp"
#include "dmeans/assignment/worker_update.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "simd/simd_kernels.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

template <class T>
class Assignment {
 public:
  Assignment(const BatchView<T>& points, const PriorDistances& prior_distances, double birth)
      : points_(points),
        prior_distances_(prior_distances),
        birth_(birth),
        label_(points.n, kNone),
        bounds_(points, birth),
        comparison_(points) {}

  void reset() {
    std::fill(label_.begin(), label_.end(), kNone);
    bounds_.invalidate();
  }

  const std::vector<std::int32_t>& labels() const { return label_; }
  const std::vector<Row>& proposals() const { return proposals_; }
  const HamerlyBounds<T>& bounds() const { return bounds_; }

  // Moves the labels out of the assignment.
  std::vector<std::int32_t> release_labels() { return std::move(label_); }

  void relabel(Row i, std::int32_t slot) {
    label_[i] = slot;
    if (bounds_.is_open()) bounds_.clear_upper(i);
  }

  // Allocates the bounds, before they are set outside of a pass.
  void open_bounds() { bounds_.open(); }
  // Sets the bounds of row i from a lower bound on its squared distances to all other active slots.
  void bound_others(Row i, double squared) {
    bounds_.clear_upper(i);
    bounds_.set_lower(i, bounds_.distance_down(squared));
  }

  // Declares that the bounds of all rows hold for these slots: the next pass uses them.
  void accept_bounds(const Clusters& slots) { bounds_.accept(slots); }

  // Moves every point to its nearest active cluster, then updates the centers; true if any point moved.
  bool pass(Clusters& slots, ThreadPool& pool) {
    compare_all(slots, pool);
    proposals_.clear();
    bool moved = false;
    for (const auto& moves : moves_) {
      proposals_.insert(proposals_.end(), moves.proposals.begin(), moves.proposals.end());
      if (moves.any) slots.add_sums(moves.sums);
      moved |= moves.any;
    }
    sort_rows(proposals_);
    bounds_.invalidate();
    const bool is_last = !moved && proposals_.empty();
    if (bounds_.is_open() && !is_last) bounds_.store_centers(slots);
    if (moved) slots.update_centers();
    return moved;
  }

  // Continues with the labels and bounds (n,) of an earlier pass; centers, hold: see HamerlyBounds
  void resume(const std::int32_t* labels, const typename HamerlyBounds<T>::Quanta* upper,
              const typename HamerlyBounds<T>::Quanta* lower, const double* centers, bool hold,
              const Clusters& slots) {
    label_.assign(labels, labels + points_.n);
    bounds_.resume(upper, lower, centers, hold, slots);
  }

  // Moves every row to its nearest active cluster; the clusters stay as they are.
  // Returns the updates of all workers. Their total does not depend on which worker compared which rows.
  const std::vector<WorkerUpdate<T>>& compare_all(const Clusters& slots, ThreadPool& pool) {
    prepare(slots);
    comparison_.pack(slots, active_);
    const int chunks = chunk_count(slots);
    moves_.resize(pool.size(), WorkerUpdate<T>(points_.scale));
    for (auto& moves : moves_) moves.clear(points_.d);
    pool.run_on_workers(chunks, [&](int c, int worker) { run_chunk(slots, c, chunks, moves_[worker]); });
    for (auto& moves : moves_) sort_rows(moves.proposals);
    return moves_;
  }

 private:
  // Chunks depend on the batch alone, never on the number of threads.
  int chunk_count(const Clusters& slots) const {
    const Row rows = 1024 + 8 * Row(slots.count());
    return static_cast<int>(std::clamp<Row>(points_.n / rows, 1, 64));
  }

  // The order must depend neither on threads nor on which rows were skipped.
  static void sort_rows(std::vector<Row>& rows) {
    if (!std::is_sorted(rows.begin(), rows.end())) std::sort(rows.begin(), rows.end());
  }

  // Lists the active and the sleeping clusters, and updates the bounds.
  void prepare(const Clusters& slots) {
    const int n = slots.count();
    slots_ = &slots;
    bounds_.update(slots);
    active_.clear();
    asleep_.clear();
    safe_squared_distance_ = birth_;
    for (int k = 0; k < n; ++k) {
      if (slots.is_active(k)) {
        active_.push_back(k);
      } else if (slots.is_old(k)) {
        asleep_.push_back(k);
        safe_squared_distance_ = std::min(safe_squared_distance_, slots.revival(k));
      }
    }
    safe_upper_ = bounds_.largest_upper(std::sqrt(safe_squared_distance_));
    if (!bounds_.is_open() && bounds_pay()) bounds_.open();
  }

  // Comparing few narrow rows with few slots takes less time than keeping their bounds: a descent of 75 rows
  // with five clusters takes 24 instead of 26 microseconds.
  bool bounds_pay() const {
    constexpr Row kFewDistances = 1024;
    return points_.d >= kWide || points_.n * Row(active_.size()) > kFewDistances;
  }

  void run_chunk(const Clusters& slots, int chunk, int n_chunks, WorkerUpdate<T>& moves) {
    const Row begin = points_.n * chunk / n_chunks, end = points_.n * (chunk + 1) / n_chunks;
    const auto decide = [&](const Row* rows, int n, const NearestTwo& nearest) {
      this->decide(slots, rows, n, nearest, moves);
    };
    const bool hold = bounds_.hold();
    std::array<Row, kTile> unsure;
    int count = 0;
    Poll poll;
    for (Row i = begin; i < end; ++i) {
      poll(points_.d);
      if (hold) {
        const Row first = std::exchange(i, bounds_.skip_certain(i, end, label_.data(), safe_upper_));
        poll(i - first);
        if (i == end) break;
      }
      if ((hold || bound_by_prior(slots, i)) && stays(slots, i, moves)) continue;
      unsure[count++] = i;
      if (count == kTile) {
        poll(std::int64_t(kTile) * points_.d * active_.size());
        comparison_.compare(unsure.data(), count, moves.buffers, decide);
        count = 0;
      }
    }
    if (count) comparison_.compare(unsure.data(), count, moves.buffers, decide);
    comparison_.finish(moves.buffers, decide);
  }

  // Computes the bounds of a row from its distances to the old centers, if these are known.
  bool bound_by_prior(const Clusters& slots, Row i) {
    const PriorDistanceRow prior = prior_distances_.of(i);
    if (!prior.is_known()) return false;
    const double factor = bounds_.rounding_factor();
    double lower = bounds_.distance_down(prior.rest) - slots.max_displacement() * factor;
    for (const std::int32_t k : prior.near)
      if (k != label_[i] && slots.is_active(k))
        lower = std::min(lower, bounds_.distance_down(prior.squared[k]) - slots.displacement(k) * factor);
    for (auto k = active_.rbegin(); k != active_.rend() && !slots.is_old(*k); ++k) {
      if (*k == label_[i]) continue;
      const double limit = lower > 0 ? lower * lower * kRoundingMargin : 0;
      lower = std::min(lower, bounds_.distance_down(points_.squared_distance(i, center(*k), limit)));
    }
    bounds_.clear_upper(i);
    bounds_.set_lower(i, lower);
    return true;
  }

  // True if the bounds show that no other active cluster is nearer than the own one.
  bool stays(const Clusters& slots, Row i, WorkerUpdate<T>& moves) {
    const std::int32_t own = label_[i];
    if (own == kNone) return false;
    auto bounds = bounds_.moved(i, own);
    if (!(bounds.upper <= bounds.lower && bounds.upper <= safe_upper_)) {
      const double squared = points_.squared_distance(i, center(own));
      bounds = bounds_.moved(i, own, bounds_.distance_up(squared));
      if (bounds.upper > bounds.lower) return false;
      if (bounds.upper > safe_upper_) list_if_proposal(slots, i, squared, moves);
    }
    bounds_.set(i, bounds);
    return true;
  }

  const double* center(std::int32_t k) const { return slots_->center(k); }

  // Label update of a tile of rows, and their bounds. in: rows (count,), ascending, and their nearest slots;
  // out: moves
  void decide(const Clusters& slots, const Row* rows, int count, const NearestTwo& nearest,
              WorkerUpdate<T>& moves) {
    for (int b = 0; b < count; ++b) {
      const Row i = rows[b];
      const std::int32_t own = label_[i], other = nearest.which[b];
      double mine = nearest.best[b], next = nearest.second[b];
      if (own != other) {
        if (own == kNone || is_nearer(i, other, own)) {
          move(i, own, other, moves);
        } else {
          next = mine;
          mine = points_.squared_distance(i, center(own));
        }
      }
      if (bounds_.is_open()) bounds_.set(i, bounds_.distance_up(mine), bounds_.distance_down(next));
      if (mine * bounds_.rounding_factor() > safe_squared_distance_)
        list_if_proposal(slots, i, points_.squared_distance(i, center(label_[i])), moves);
    }
  }

  // Decided in double precision, so that a label changes only if this lowers the objective.
  bool is_nearer(Row i, std::int32_t a, std::int32_t b) const {
    return points_.squared_distance(i, center(a)) < points_.squared_distance(i, center(b));
  }

  void move(Row i, std::int32_t from, std::int32_t to, WorkerUpdate<T>& moves) {
    const double m = points_.weight(i);
    const double* y = points_.shifted(i, moves.buffers.row.data());
    if (!moves.any) moves.open(slots_->count());
    moves.sums.add(to, y, m, +1);
    if (from != kNone) moves.sums.add(from, y, -m, -1);
    label_[i] = to;
  }

  // Lists a point for which a birth, or the revival of a sleeping cluster, is cheaper than its present slot.
  void list_if_proposal(const Clusters& slots, Row i, double squared, WorkerUpdate<T>& moves) const {
    const double m = std::min(points_.weight(i), 1.0), stay = m * squared;
    const PriorDistanceRow prior = prior_distances_.of(i);
    const std::span<const std::int32_t> others = prior.is_known() ? prior.near : asleep_;
    bool is_proposal = stay > birth_;
    for (std::size_t a = 0; !is_proposal && a < others.size(); ++a) {
      const int k = others[a];
      if (slots.is_active(k) || slots.revival(k) >= stay) continue;
      const double d2 =
          prior.is_known() ? prior.squared[k] : points_.squared_distance(i, slots.old_center(k));
      is_proposal = slots.revival_cost(k, m, d2) < stay;
    }
    if (is_proposal) moves.proposals.push_back(i);
  }

  const BatchView<T>& points_;
  const PriorDistances& prior_distances_;
  double birth_;
  std::vector<std::int32_t> label_;  // (n,) slot of each row
  HamerlyBounds<T> bounds_;
  TileComparison<T> comparison_;
  static constexpr double kRoundingMargin = 1.01;  // covers the rounding error of a bound
  const Clusters* slots_ = nullptr;                // of this pass
  std::vector<std::int32_t> active_, asleep_;
  double safe_squared_distance_ = 0;  // squared distance up to which neither a birth nor a revival is cheaper
  std::int32_t safe_upper_ = 0;       // the same as an upper bound of a row
  std::vector<WorkerUpdate<T>> moves_;
  std::vector<Row> proposals_;
};

}  // namespace dynmeans
