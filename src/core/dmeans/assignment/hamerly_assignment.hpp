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
#include <limits>
#include <span>
#include <vector>

#include "dmeans/assignment/chunk_update.hpp"
#include "dmeans/assignment/prior_distances.hpp"
#include "dmeans/assignment/product_comparison.hpp"
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
        label_(points.n),
        upper_(points.n),
        lower_(points.n) {
    // A coordinate is known to half a unit in the last place of the largest one.
    slack_ = 8 * std::numeric_limits<T>::epsilon() * points.scale.radius * std::sqrt(double(points.d));
    rounding_factor_ = 1 + 4 * (points.d + 4) * std::numeric_limits<T>::epsilon();
  }

  void reset() {
    std::fill(label_.begin(), label_.end(), kNone);
    bounds_hold_ = false;
  }

  const std::vector<std::int32_t>& labels() const { return label_; }
  const std::vector<Row>& proposals() const { return proposals_; }

  void relabel(Row i, std::int32_t slot) {
    label_[i] = slot;
    upper_[i] = std::numeric_limits<T>::infinity();
  }

  // Sets the lower bound of row i from a lower bound on its squared distances to all other awake slots.
  void bound_others(Row i, double squared) { lower_[i] = static_cast<T>(distance_down(squared)); }

  // Declares that the bounds of all rows hold for these slots: the next pass uses them.
  void accept_bounds(const Clusters& slots) {
    store_centers(slots);
    wake_ups_ = slots.wake_ups();
    bounds_hold_ = true;
  }

  // Moves every point to its nearest awake cluster, then updates the centers; true if any point moved.
  bool pass(Clusters& slots, ThreadPool& pool) {
    compare_all(slots, pool);
    proposals_.clear();
    bool moved = false;
    for (auto& chunk : moves_) {
      proposals_.insert(proposals_.end(), chunk.proposals.begin(), chunk.proposals.end());
      if (chunk.any) slots.add_sums(chunk.sums);
      moved |= chunk.any;
    }
    bounds_hold_ = moved || !proposals_.empty();
    if (bounds_hold_) store_centers(slots);  // otherwise this pass was the last
    if (moved) slots.update_centers();
    return moved;
  }

  // Continues with the labels and bounds (n,) of an earlier pass, if the bounds hold: `before` (slots, d) are
  // the centers of that pass.
  void resume(const std::int32_t* labels, const T* upper, const T* lower, const double* before, bool trusted,
              const Clusters& slots) {
    label_.assign(labels, labels + points_.n);
    upper_.assign(upper, upper + points_.n);
    lower_.assign(lower, lower + points_.n);
    previous_centers_.assign(before, before + std::size_t(slots.count()) * points_.d);
    bounds_hold_ = trusted;
    wake_ups_ = slots.wake_ups();
  }

  // Moves every row to its nearest awake cluster; the clusters stay as they are.
  const std::vector<ChunkUpdate<T>>& compare_all(const Clusters& slots, ThreadPool& pool) {
    prepare(slots);
    pack_products(slots);
    const int chunks = chunk_count(slots);
    moves_.resize(chunks, ChunkUpdate<T>(points_.scale));
    pool.share(chunks, [&](int c) { run_chunk(slots, c, chunks); });
    return moves_;
  }

  const std::vector<T>& upper() const { return upper_; }
  const std::vector<T>& lower() const { return lower_; }

 private:
  // Chunks depend on the batch alone, never on the number of threads.
  int chunk_count(const Clusters& slots) const {
    const Row rows = 4096 + 8 * Row(slots.count());
    return static_cast<int>(std::clamp<Row>(points_.n / rows, 1, 16));
  }

  // List the awake clusters, and compute how far each has moved since the bounds were set.
  void prepare(const Clusters& slots) {
    const int d = points_.d, n = slots.count();
    slots_ = &slots;
    if (slots.wake_ups() != wake_ups_) bounds_hold_ = false;
    wake_ups_ = slots.wake_ups();
    displacement_.assign(n, 0);
    for (int k = 0; bounds_hold_ && k < n; ++k)
      if (slots.is_awake(k))
        displacement_[k] = distance(slots.center(k), &previous_centers_[std::size_t(k) * d]);
    most_displaced_ = kNone;
    for (int k = 0; k < n; ++k)
      if (most_displaced_ == kNone || displacement_[k] > displacement_[most_displaced_]) most_displaced_ = k;
    second_displacement_ = 0;
    for (int k = 0; k < n; ++k)
      if (k != most_displaced_) second_displacement_ = std::max(second_displacement_, displacement_[k]);
    awake_.clear();
    asleep_.clear();
    safe_squared_distance_ = birth_;
    for (int k = 0; k < n; ++k) {
      if (slots.is_awake(k)) {
        awake_.push_back(k);
      } else if (slots.is_old(k)) {
        asleep_.push_back(k);
        safe_squared_distance_ = std::min(safe_squared_distance_, slots.revival(k));
      }
    }
  }

  // Products pay if many rows share the packed centers.
  void pack_products(const Clusters& slots) {
    const Row n_awake = Row(awake_.size());
    use_products_ = n_awake >= kMinPacked && points_.n >= kRowsPerPacked * n_awake;
    if (use_products_)
      products_.pack(int(n_awake), points_.d, [&](int a) { return slots.center(awake_[a]); });
  }

  void store_centers(const Clusters& slots) {
    const int d = points_.d;
    previous_centers_.resize(std::size_t(slots.count()) * d);
    for (int k = 0; k < slots.count(); ++k)
      if (slots.is_awake(k)) copy_row(slots.center(k), &previous_centers_[std::size_t(k) * d], d);
  }

  double distance(const double* a, const double* b) const {
    return std::sqrt(squared_distance(Plain{a}, b, points_.d)) * rounding_factor_;
  }

  void run_chunk(const Clusters& slots, int chunk, int n_chunks) {
    ChunkUpdate<T>& moves = moves_[chunk];
    moves.clear(points_.d);
    const Row begin = points_.n * chunk / n_chunks, end = points_.n * (chunk + 1) / n_chunks;
    std::array<Row, kTile> unsure;
    int count = 0;
    Poll poll;
    for (Row i = begin; i < end; ++i) {
      poll(points_.d);
      if ((bounds_hold_ || bound_by_prior(slots, i)) && stays(slots, i, moves)) continue;
      unsure[count++] = i;
      if (count == kTile) {
        poll(std::int64_t(kTile) * points_.d * awake_.size());
        compare_tile(slots, unsure.data(), count, moves);
        count = 0;
      }
    }
    if (count) compare_tile(slots, unsure.data(), count, moves);
    compare_uncertain(slots, moves);
    // The order must not depend on which rows were skipped.
    std::sort(moves.proposals.begin(), moves.proposals.end());
  }

  // Computes the bounds of a row from its distances to the old centers, if these are known.
  bool bound_by_prior(const Clusters& slots, Row i) {
    const PriorDistanceRow prior = prior_distances_.of(i);
    if (!prior.is_known()) return false;
    double lower = distance_down(prior.rest) - slots.max_displacement() * rounding_factor_;
    for (const std::int32_t k : prior.near)
      if (k != label_[i] && slots.is_awake(k))
        lower = std::min(lower, distance_down(prior.squared[k]) - slots.displacement(k) * rounding_factor_);
    for (auto k = awake_.rbegin(); k != awake_.rend() && !slots.is_old(*k); ++k) {
      if (*k == label_[i]) continue;
      const double limit = lower > 0 ? lower * lower * kRoundingMargin : 0;
      lower = std::min(lower, distance_down(points_.squared_distance(i, center(*k), limit)));
    }
    upper_[i] = std::numeric_limits<T>::infinity();
    lower_[i] = static_cast<T>(lower);
    return true;
  }

  // True if the bounds show that no other awake cluster is nearer than the own one.
  bool stays(const Clusters& slots, Row i, ChunkUpdate<T>& moves) {
    const std::int32_t own = label_[i];
    if (own == kNone) return false;
    const double others = own == most_displaced_ ? second_displacement_ : displacement_[most_displaced_];
    double upper = double(upper_[i]) + displacement_[own];
    const double lower = double(lower_[i]) - others;
    lower_[i] = static_cast<T>(lower);
    if (!(upper <= lower && upper * upper <= safe_squared_distance_)) {
      const double squared = points_.squared_distance(i, center(own));
      upper = distance_up(squared);
      if (upper > lower) return false;
      if (upper * upper > safe_squared_distance_) list_if_proposal(slots, i, squared, moves);
    }
    upper_[i] = static_cast<T>(upper * rounding_factor_);
    return true;
  }

  const double* center(std::int32_t k) const { return slots_->center(k); }

  double distance_up(double squared) const { return std::sqrt(squared) * rounding_factor_ + slack_; }
  double distance_down(double squared) const { return std::sqrt(squared) / rounding_factor_ - slack_; }

  // Squared distances of a tile of rows to the nearest center and to the next, which may be a lower bound.
  struct NearestTwo {
    std::array<double, kTile> best, second;
    std::array<std::int32_t, kTile> which;
  };

  void compare_tile(const Clusters& slots, const Row* rows, int count, ChunkUpdate<T>& moves) {
    if (use_products_) return compare_by_products(slots, rows, count, moves);
    NearestTwo nearest;
    compare(rows, count, moves, nearest);
    decide(slots, rows, count, nearest, moves);
  }

  // Label update of a tile of rows, and their bounds.
  void decide(const Clusters& slots, const Row* rows, int count, const NearestTwo& nearest,
              ChunkUpdate<T>& moves) {
    for (int b = 0; b < count; ++b) {
      const Row i = rows[b];
      const std::int32_t own = label_[i], other = awake_[nearest.which[b]];
      double mine = nearest.best[b], next = nearest.second[b];
      if (own != other) {
        if (own == kNone || is_nearer(i, other, own)) {
          move(i, own, other, moves);
        } else {
          next = mine;
          mine = points_.squared_distance(i, center(own));
        }
      }
      upper_[i] = static_cast<T>(distance_up(mine));
      lower_[i] = static_cast<T>(distance_down(next));
      if (mine * rounding_factor_ > safe_squared_distance_)
        list_if_proposal(slots, i, points_.squared_distance(i, center(label_[i])), moves);
    }
  }

  void compare(const Row* rows, int count, ChunkUpdate<T>& moves, NearestTwo& nearest) {
    std::array<T, kTile> best, second;
    if (moves.centers.empty()) list_centers(moves.centers);
    points_.gather(rows, count, moves.tile.data());
    tile_lanes<T>().nearest_two(moves.tile.data(), points_.d, moves.centers.data(), int(awake_.size()),
                                best.data(), second.data(), nearest.which.data());
    std::copy_n(best.begin(), count, nearest.best.begin());
    std::copy_n(second.begin(), count, nearest.second.begin());
  }

  // Compares by products. Rows whose nearest center is uncertain are collected until they fill a tile: tiles
  // with few such rows would take 1.5 times as long for 1,000,000 rows of 3 features.
  void compare_by_products(const Clusters& slots, const Row* rows, int count, ChunkUpdate<T>& moves) {
    ProductComparison::Tile& tile = moves.products;
    for (int b = 0; b < count; ++b) tile.set(b, points_.shifted(rows[b], moves.row.data()), points_.d);
    tile.fill(count, points_.d);
    products_.compare(tile);
    std::array<Row, kTile> certain;
    NearestTwo nearest;
    int n_certain = 0;
    for (int b = 0; b < count; ++b) {
      if (!products_.is_certain(tile, b)) {
        moves.uncertain.push_back(rows[b]);
        continue;
      }
      certain[n_certain] = rows[b];
      nearest.which[n_certain] = tile.which[b];
      nearest.best[n_certain] = points_.squared_distance(rows[b], center(awake_[tile.which[b]]));
      nearest.second[n_certain++] = products_.second_squared_distance(tile, b);
    }
    decide(slots, certain.data(), n_certain, nearest, moves);
    if (moves.uncertain.size() >= kTile) compare_uncertain(slots, moves);
  }

  void compare_uncertain(const Clusters& slots, ChunkUpdate<T>& moves) {
    const std::size_t n = moves.uncertain.size();
    for (std::size_t first = 0; first < n; first += kTile) {
      const int count = int(std::min<std::size_t>(kTile, n - first));
      NearestTwo nearest;
      compare(&moves.uncertain[first], count, moves, nearest);
      decide(slots, &moves.uncertain[first], count, nearest, moves);
    }
    moves.uncertain.clear();
  }

  // out: (awake, d)
  void list_centers(RawVector<T>& centers) const {
    const int d = points_.d;
    centers.resize(awake_.size() * d);
    for (std::size_t a = 0; a < awake_.size(); ++a) copy_row(center(awake_[a]), &centers[a * d], d);
  }

  // Decided in double precision, so that a label changes only if this lowers the objective.
  bool is_nearer(Row i, std::int32_t a, std::int32_t b) const {
    return points_.squared_distance(i, center(a)) < points_.squared_distance(i, center(b));
  }

  void move(Row i, std::int32_t from, std::int32_t to, ChunkUpdate<T>& moves) {
    const double m = points_.weight(i);
    const double* y = points_.shifted(i, moves.row.data());
    if (!moves.any) moves.open(int(displacement_.size()));
    moves.sums.add(to, y, m, +1);
    if (from != kNone) moves.sums.add(from, y, -m, -1);
    label_[i] = to;
  }

  // Lists a point for which a birth, or the revival of a sleeping cluster, is cheaper than to stay.
  void list_if_proposal(const Clusters& slots, Row i, double squared, ChunkUpdate<T>& moves) const {
    const double m = std::min(points_.weight(i), 1.0), stay = m * squared;
    const PriorDistanceRow prior = prior_distances_.of(i);
    const std::span<const std::int32_t> others = prior.is_known() ? prior.near : asleep_;
    bool is_proposal = stay > birth_;
    for (std::size_t a = 0; !is_proposal && a < others.size(); ++a) {
      const int k = others[a];
      if (slots.is_awake(k) || slots.revival(k) >= stay) continue;
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
  std::vector<T> upper_, lower_;     // (n,) bounds on distances
  bool bounds_hold_ = false;
  double slack_, rounding_factor_;  // absolute and relative rounding error of a distance
  long wake_ups_ = 0;
  static constexpr double kRoundingMargin = 1.01;  // covers the rounding error of a bound
  const Clusters* slots_ = nullptr;                // of this pass
  RawVector<double> previous_centers_;             // (slots, d) the awake centers of the last pass
  std::vector<double> displacement_;  // (slots,) distance that each center moved since the last pass
  int most_displaced_ = kNone;        // slot with the largest displacement
  double second_displacement_ = 0;    // largest displacement of the other slots
  std::vector<std::int32_t> awake_, asleep_;
  double safe_squared_distance_ = 0;  // squared distance up to which neither a birth nor a revival is cheaper
  static constexpr Row kMinPacked = 16, kRowsPerPacked = 16;
  bool use_products_ = false;
  ProductComparison products_;  // with the awake centers of this pass
  std::vector<ChunkUpdate<T>> moves_;
  std::vector<Row> proposals_;
};

}  // namespace dynmeans
