// KD-Means on one batch: coordinate descent on the kernelized cost (Eq. krnmin).
//
// The centers follow from the labels, so the change of the cost by a move is exact. A row of weight m that
// joins a slot of mass gamma + n at squared distance g adds m mass / (mass + m) g. If the slot had no rows,
// its opening cost is added: Q dt for a revival, lambda for a birth. A row that leaves saves m mass / (mass -
// m) g, and the opening cost if it was the last row. A move is made only if it lowers the cost by more than
// the rounding error.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "kernel/kernel_centers.hpp"
#include "support/equations.hpp"
#include "support/random.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct KernelSearch {
  double birth;  // lambda
  std::uint64_t seed, step, restart;
  int max_iter;
  const std::int32_t* start;  // (R,) labels to descend from, kNone for rows without; null for none at all
};

struct KernelResult {
  std::vector<std::int32_t> labels;  // (R,) 0 .. K-1 remembered, then newborn
  double cost;
  int n_iter;
};

template <class Centers>
class KernelDescent {
 public:
  KernelDescent(const KernelView& view, const KernelSearch& search, Centers centers)
      : view_(view), search_(search), centers_(std::move(centers)), labels_(view.n), order_(view.n) {}

  // Assign rows without a label where the cost grows least; then move rows until no move lowers the cost.
  KernelResult run() {
    std::vector<std::int32_t> start(view_.n, kNone);
    if (search_.start) start.assign(search_.start, search_.start + view_.n);
    const int n_iter = descend(start);
    if (n_iter > 1 || labels_ != start) set_labels(std::vector<std::int32_t>(labels_));
    return {numbered(), cost(), n_iter};
  }

  // Computes the labels alone, starting from these; may be called several times. Returns the number of
  // sweeps.
  int descend(const std::vector<std::int32_t>& start) {
    Random random(search_.seed, search_.step, search_.restart);
    std::iota(order_.begin(), order_.end(), Row(0));
    set_labels(start);
    std::iota(born_.begin(), born_.end(), 0);
    n_born_ = count_;
    int n_iter = 0;
    while (n_iter < search_.max_iter) {
      ++n_iter;
      poll_(view_.n);
      if (!sweep(random)) break;
    }
    return n_iter;
  }

  // After a descent: 0 .. K-1 remembered, then newborn; a newborn slot may be empty.
  const std::vector<std::int32_t>& labels() const { return labels_; }

 private:
  // Smallest gain of a move, relative to the numbers whose difference it is.
  static constexpr double kMinGain = 1e-12;

  struct Saving {
    double cost;   // saved if the row leaves
    double scale;  // magnitude of the numbers that it was computed from
  };

  bool sweep(Random& random) {
    random.shuffle(order_);
    bool moved = false;
    for (const Row i : order_) moved |= assign(i);
    return moved;
  }

  // Clusters of the given labels, recomputed, so that no rounding errors accumulate.
  void set_labels(const std::vector<std::int32_t>& labels) {
    int count = view_.n_old;
    for (const std::int32_t label : labels) count = std::max(count, 1 + label);
    count_ = 0;
    make_room(count);
    while (count_ < count) append();
    std::fill(labels_.begin(), labels_.end(), kNone);
    for (Row i = 0; i < view_.n; ++i)
      if (labels[i] != kNone) enter(i, labels[i]);
    free_.clear();
    for (std::int32_t k = count_ - 1; k >= view_.n_old; --k)
      if (rows_[k] == 0) free_.push_back(k);
  }

  // Assign row i to the slot of lowest cost; true if the slot changes. A tie keeps the slot.
  bool assign(Row i) {
    const std::int32_t own = labels_[i];
    poll_(centers_.work(i, count_));
    centers_.squared_distances(i, count_, labels_, distances_.data());
    double lowest = std::numeric_limits<double>::infinity();
    std::int32_t to = kNone;
    for (std::int32_t k = 0; k < count_; ++k) {
      const double cost = opening_cost_[k] + share(i, centers_.mass(k)) * distances_[k];
      if (cost < lowest && k != own) lowest = cost, to = k;
    }
    if (!(lowest <= search_.birth)) lowest = search_.birth, to = kNone;
    if (own != kNone) {
      const Saving saving = saving_of(i, own);
      if (!(saving.cost - lowest > kMinGain * saving.scale)) return false;
      leave(i);
    }
    enter(i, to == kNone ? newborn() : to);
    return true;
  }

  double share(Row i, double mass) const { return merge_weight(mass, view_.weights[i]); }

  // If the last row leaves, the center returns to phi, and the cost of the birth or revival is saved.
  Saving saving_of(Row i, std::int32_t own) const {
    const double m = view_.weights[i], mass = centers_.mass(own);
    if (rows_[own] > 1) {
      const double factor = m * mass / (mass - m);
      return {factor * distances_[own], factor * centers_.scale(i, own)};
    }
    if (own >= view_.n_old) return {search_.birth, search_.birth};
    const double factor = share(i, view_.gammas[own]), revival = view_.revival[own];
    return {revival + factor * centers_.squared_distance_to_old(i, own),
            revival + factor * centers_.scale(i, own)};
  }

  void enter(Row i, std::int32_t k) {
    poll_(centers_.work(i, 1));
    centers_.add(k, i, view_.weights[i], labels_);
    labels_[i] = k;
    opening_cost_[k] = 0;
    ++rows_[k];
  }

  void leave(Row i) {
    const std::int32_t k = labels_[i];
    if (--rows_[k] > 0) {
      centers_.add(k, i, -view_.weights[i], labels_);
    } else {
      clear(k);
      if (k >= view_.n_old) free_.push_back(k);
    }
    labels_[i] = kNone;
  }

  std::int32_t newborn() {
    std::int32_t k = count_;
    if (free_.empty()) {
      append();
    } else {
      k = free_.back();
      free_.pop_back();
    }
    born_[k] = n_born_++;
    return k;
  }

  void append() {
    const std::int32_t k = count_++;
    poll_(view_.n);
    make_room(count_);
    rows_[k] = 0;
    clear(k);
  }

  void make_room(int count) {
    if (count <= static_cast<int>(rows_.size())) return;
    centers_.grow(count);
    opening_cost_.resize(count);
    distances_.resize(count);
    rows_.resize(count);
    born_.resize(count);
  }

  void clear(std::int32_t k) {
    opening_cost_[k] = k < view_.n_old ? view_.revival[k] : std::numeric_limits<double>::infinity();
    centers_.clear(k);
  }

  // Eq. krnmin, computed from distances and opening costs.
  double cost() {
    double cost = 0;
    for (std::int32_t k = 0; k < count_; ++k)
      if (rows_[k] > 0)
        cost += k < view_.n_old ? view_.revival[k] + view_.gammas[k] * centers_.squared_displacement(k)
                                : search_.birth;
    for (Row i = 0; i < view_.n; ++i) {
      poll_(centers_.work(i, count_));
      centers_.squared_distances(i, count_, labels_, distances_.data());
      cost += view_.weights[i] * distances_[labels_[i]];
    }
    return cost;
  }

  // Labels, with the newborn clusters numbered by weight, then by birth.
  std::vector<std::int32_t> numbered() const {
    std::vector<std::int32_t> order, number(count_), labels(labels_.size());
    for (std::int32_t k = view_.n_old; k < count_; ++k)
      if (rows_[k] > 0) order.push_back(k);
    std::sort(order.begin(), order.end(), [this](std::int32_t a, std::int32_t b) {
      const double difference = centers_.mass(a) - centers_.mass(b);
      return difference != 0 ? difference > 0 : born_[a] < born_[b];
    });
    std::iota(number.begin(), number.begin() + view_.n_old, 0);
    for (std::size_t s = 0; s < order.size(); ++s) number[order[s]] = view_.n_old + std::int32_t(s);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = number[labels_[i]];
    return labels;
  }

  KernelView view_;
  KernelSearch search_;
  Centers centers_;
  std::vector<std::int32_t> labels_;  // (R,)
  std::vector<Row> order_;            // (R,)
  int count_ = 0;                     // slots
  long n_born_ = 0;                   // births so far
  std::vector<double> opening_cost_;  // (slots,) cost of the first row to enter
  std::vector<double> distances_;     // (slots,) squared distances of a row
  std::vector<long> rows_, born_;     // (slots,) rows in the slot; number of its birth
  std::vector<std::int32_t> free_;
  Poll poll_;
};

}  // namespace dynmeans
