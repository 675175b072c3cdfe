// Kernel centers as weighted sums of points: the old center, discounted, plus the rows of the cluster.
#pragma once

#include <cstdint>
#include <vector>

namespace dynmeans {

struct ExpansionInput {
  const std::int64_t* owner;      // (M,)  slot of each support point
  const double* coefficients;     // (M,)  of each support point in its old center
  const std::int32_t* slots;      // (n,)  of each row of the batch
  const double* weights;          // (n,)
  const double* gammas;           // (K,)
  const double* slot_weights;     // (L,)  weight of the rows of each slot
  const std::int64_t* positions;  // (M + n,)  points with one position are equal; null if no two are
  const double *kept, *rows;      // (M, d), (n, d)
  const double* asleep;           // (M, d)  the support points as they stay in clusters without rows
  const std::int64_t* ids;        // (L,)
  std::int64_t n_kept, n_rows, n_old, n_slots, n_positions;
  int d;
  std::int64_t budget;  // slots with more points keep one point per position, the first
};

struct Expansion {
  // Sorted by slot, then by point. Support points are 0 .. M-1, rows M .. M+n-1. The unchanged support point
  // j of a slot without rows is M + n + j.
  std::vector<std::int64_t> points;
  std::vector<double> rows;  // (., d)
  std::vector<double> coefficients;
  std::vector<std::int64_t> ids;          // of their slots
  std::vector<std::int64_t> begin;        // (L + 1,)  where the points of each slot begin
  std::vector<std::int64_t> over_budget;  // slots with rows and more points than the budget
};

class CenterExpander {
 public:
  explicit CenterExpander(const ExpansionInput& in)
      : in_(in), first_(in.n_slots + 1), order_(in.n_kept + in.n_rows), at_(in.n_positions, -1) {}

  Expansion run() {
    sort_by_slot();
    for (std::int64_t k = 0; k < in_.n_slots; ++k) {
      out_.begin.push_back(count());
      if (in_.slot_weights[k] > 0) {
        absorb(k);
      } else {
        sleep(k);
      }
    }
    out_.begin.push_back(count());
    gather();
    return std::move(out_);
  }

 private:
  std::int64_t count() const { return std::int64_t(out_.points.size()); }
  std::int64_t slot(std::int64_t i) const {
    return i < in_.n_kept ? in_.owner[i] : in_.slots[i - in_.n_kept];
  }

  void sort_by_slot() {
    const auto n = std::int64_t(order_.size());
    for (std::int64_t i = 0; i < n; ++i) ++first_[slot(i) + 1];
    for (std::int64_t k = 0; k < in_.n_slots; ++k) first_[k + 1] += first_[k];
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    for (std::int64_t i = 0; i < n; ++i) order_[next[slot(i)]++] = i;
  }

  void put(std::int64_t point, std::int64_t slot, double coefficient) {
    out_.points.push_back(point);
    out_.ids.push_back(in_.ids[slot]);
    out_.coefficients.push_back(coefficient);
  }

  // Eq. (phiinitapprox): phi = (gamma phi + sum of m omega(y)) / (gamma + n), over the points of a slot.
  void absorb(std::int64_t k) {
    const double gamma = k < in_.n_old ? in_.gammas[k] : 0.0, mass = gamma + in_.slot_weights[k];
    const bool merges = in_.positions && first_[k + 1] - first_[k] > in_.budget;
    const std::int64_t begin = count();
    for (std::int64_t s = first_[k]; s < first_[k + 1]; ++s) {
      const std::int64_t i = order_[s];
      const double share = i < in_.n_kept ? gamma * in_.coefficients[i] : in_.weights[i - in_.n_kept];
      if (merges && at_[in_.positions[i]] >= begin) {
        out_.coefficients[at_[in_.positions[i]]] += share / mass;
        continue;
      }
      if (merges) at_[in_.positions[i]] = count();
      put(i, k, share / mass);
    }
    if (count() - begin > in_.budget) out_.over_budget.push_back(k);
  }

  void sleep(std::int64_t k) {
    for (std::int64_t s = first_[k]; s < first_[k + 1]; ++s)
      put(in_.n_kept + in_.n_rows + order_[s], k, in_.coefficients[order_[s]]);
  }

  const double* row(std::int64_t point) const {
    if (point < in_.n_kept) return in_.kept + point * in_.d;
    point -= in_.n_kept;
    return point < in_.n_rows ? in_.rows + point * in_.d : in_.asleep + (point - in_.n_rows) * in_.d;
  }

  void gather() {
    out_.rows.reserve(out_.points.size() * in_.d);
    for (const std::int64_t point : out_.points)
      out_.rows.insert(out_.rows.end(), row(point), row(point) + in_.d);
  }

  ExpansionInput in_;
  std::vector<std::int64_t> first_, order_;  // (L + 1,), (M + n,)  points sorted by slot
  std::vector<std::int64_t> at_;             // (positions,)  index of the last point with each position
  Expansion out_;
};

}  // namespace dynmeans
