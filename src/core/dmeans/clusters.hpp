// Clusters inside one descent of D-Means (Campbell, Kulis and How 2019). Clusters 0 .. K-1 are remembered,
// later ones are newborn.
//
// A cluster is active (it owns rows), asleep (remembered, owns none) or empty (newborn, owns none). As in
// the paper, centers stay fixed while rows move, until update_centers. In all three cases the cost of a
// point y of weight 1 is scale_k |y - c_k|^2 + offset_k, with
//   active  1,                c = theta, 0
//   asleep  gamma/(gamma+1),  c = phi,   Q dt
//   empty   -,                -,         infinity
// so the loop over clusters has no branches (Eq. labelupdate).
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "dmeans/batch/batch_scale.hpp"
#include "dmeans/cluster_sums.hpp"
#include "dmeans/cost_table.hpp"
#include "dmeans/prior_view.hpp"
#include "simd/feature_loops.hpp"
#include "simd/squared_distance.hpp"
#include "support/equations.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

class Clusters {
 public:
  template <class T>
  Clusters(const PriorView& prior, const BatchScale<T>& scale)
      : d_(static_cast<int>(scale.shift.size())),
        n_old_(prior.n),
        prior_(prior),
        sums_(scale.terms, scale.weights),
        sum_(d_),
        costs_(is_wide() ? 0 : d_) {
    phi_.resize(static_cast<std::size_t>(prior.n) * d_);
    const T* const middle = scale.shift.data();
    for (int k = 0; k < prior.n; ++k) {
      double* const phi = &phi_[at(k)];
      const double* const center = prior.centers + at(k);
      for_features(d_, [=](int j) __attribute__((always_inline)) { phi[j] = center[j] - middle[j]; });
    }
    n_activations_ = 0;
  }

  // Before a restart: every remembered cluster sleeps, and there is no newborn.
  void reset() {
    const bool is_first = count_ == 0;
    grow(n_old_);
    for (int k = 0; k < std::max(count_, n_old_); ++k)
      if (is_first || is_active(k)) deactivate(k);
    count_ = n_old_;
    max_displacement_ = 0;
    free_.clear();
  }

  // Makes the slots equal to those of another descent with the same prior.
  void copy_slots(int count,                   // in
                  const std::int32_t* active,  // in (count,) 1 if active
                  const double* centers) {     // in (count, d) of those that are active
    reset();
    grow(count);
    count_ = count;
    for (int k = 0; k < count; ++k)
      if (active[k]) put_center(k, centers + at(k));
  }

  const PriorView& prior() const { return prior_; }
  int d() const { return d_; }
  int n_old() const { return n_old_; }
  int count() const { return count_; }
  bool is_active(int k) const { return active_[k]; }
  bool is_old(int k) const { return k < n_old_; }
  // The center of a cluster that is active.
  const double* center(int k) const { return theta_.data() + at(k); }
  const double* old_center(int k) const { return phi_.data() + at(k); }
  const ClusterSums& sums() const { return sums_; }
  double weight(int k) const { return sums_.weight(k); }
  // Distance of an old cluster from its old center; computed for wide rows only.
  double displacement(int k) const { return displacement_[k]; }
  double max_displacement() const { return max_displacement_; }
  double gamma(int k) const { return is_old(k) ? prior_.gammas[k] : 0.0; }
  double revival(int k) const { return prior_.revival[k]; }
  // Number of births and revivals so far; bounds on distances are invalid after a change.
  long n_activations() const { return n_activations_; }

  // Cost of reviving slot k for a point of weight m (at most 1) at squared distance `d2` from its old center.
  double revival_cost(int k, double m, double d2) const { return revival(k) + revival_scale(k, m) * d2; }

  // The same with the operations of CostTable::cheapest, whose last bits may differ.
  double sleeping_cost(int k, double m, double d2) const {
    return (m < 1 ? sleeping_scale(k, m) : costs_.scale(k)) * d2 + costs_.offset(k);
  }
  double sleeping_scale(int k, double m) const { return gamma(k) > 0 ? revival_scale(k, m) : 0.0; }

  // Costs of a point of weight 1 in all slots; those of wide rows have no centers.
  const CostTable& costs() const { return costs_; }
  bool is_wide() const { return d_ >= kWide; }

  // A slot for a cluster that is about to be born.
  int newborn() {
    if (!free_.empty()) {
      const int k = free_.back();
      free_.pop_back();
      return k;
    }
    grow(count_ + 1);
    return count_++;
  }

  // Adds a row to a slot. A sleeping or empty slot becomes active, with the center that a row of weight
  // min(m, 1) gives: of m copies the first activates it; all count when the centers are updated.
  void add(int k, const double* y, double m) {
    sums_.add(k, y, m, +1);
    if (!is_active(k)) activate(k, y, std::min(m, 1.0));
  }
  // The same without the sums, which add_sums adds later.
  void activate(int k, const double* y, double m) {
    const double pull = gamma(k), share = 1.0 / (pull + m);
    if (is_old(k)) {
      const double* phi = old_center(k);
      set_center(k, [=](int j) __attribute__((always_inline)) {
        return updated_center(pull, phi[j], m * y[j], share);
      });
    } else {
      set_center(k, [=](int j) { return y[j]; });
    }
    mark_active(k);
  }
  void remove(int k, const double* y, double m) { sums_.add(k, y, -m, -1); }

  // Adds the numbers of ClusterSums of rows on other machines.
  void add_numbers(int k, const double* numbers, const double* weight_numbers, long rows) {
    sums_.merge_numbers(k, numbers, weight_numbers, rows);
  }

  // Adds the sums of the rows that moved in one chunk of a pass.
  void add_sums(const ClusterSums& moved) {
    for (int k = 0; k < count_; ++k) sums_.merge(k, moved, k);
  }

  void update_centers() {
    for (int k = 0; k < count_; ++k)
      if (sums_.clear_stale(k)) update_center(k);
  }

 private:
  std::size_t at(int k) const { return static_cast<std::size_t>(k) * d_; }

  void put_center(int k, const double* position) {
    set_center(k, [=](int j) { return position[j]; });
    mark_active(k);
  }

  void mark_active(int k) {
    measure_displacement(k);
    costs_.set_cost(k, 1, 0);
    active_[k] = true;
    ++n_activations_;
  }

  double revival_scale(int k, double m) const { return merge_weight(gamma(k), m); }

  // Eq. paramupdate: theta = (gamma phi + sum of m y) / (gamma + n); without rows, the slot sleeps or is
  // freed.
  void update_center(int k) {
    if (sums_.rows(k) == 0) return is_active(k) ? deactivate(k) : void();
    const double pull = gamma(k), share = 1.0 / (pull + weight(k));
    sums_.read_sum(k, sum_.data());
    const double* sum = sum_.data();
    if (is_old(k)) {
      const double* phi = old_center(k);
      set_center(k, [=](int j) __attribute__((always_inline)) {
        return updated_center(pull, phi[j], sum[j], share);
      });
    } else {
      set_center(
          k, [=](int j) __attribute__((always_inline)) { return updated_center(0.0, 0.0, sum[j], share); });
    }
    measure_displacement(k);
  }

  void measure_displacement(int k) {
    if (!is_wide() || !is_old(k)) return;
    displacement_[k] = std::sqrt(squared_distance(Plain{center(k)}, old_center(k), d_));
    max_displacement_ = std::max(max_displacement_, displacement_[k]);
  }

  template <class Coordinate>
  void set_center(int k, const Coordinate& coordinate) {
    double* theta = &theta_[at(k)];
    if (is_wide())
      return for_features(d_, [=](int j) __attribute__((always_inline)) { theta[j] = coordinate(j); });
    for (int j = 0; j < d_; ++j) theta[j] = costs_.coordinate(k, j) = coordinate(j);
  }

  // Called when the last row has left.
  void deactivate(int k) { is_old(k) ? sleep(k) : clear_slot(k); }

  void sleep(int k) {
    sums_.clear(k);
    active_[k] = false;
    if (!is_wide()) costs_.set_center(k, old_center(k));
    costs_.set_cost(k, merge_weight(gamma(k), 1.0), revival(k));
  }

  void clear_slot(int k) {
    sums_.clear(k);
    active_[k] = false;
    costs_.set_cost(k, 0, std::numeric_limits<double>::infinity());
    free_.push_back(k);
  }

  void grow(int needed) {
    if (needed <= costs_.capacity()) return;
    int capacity = std::max(costs_.capacity(), kSlotBlock);
    while (capacity < needed) capacity *= 2;
    costs_.grow(capacity);
    sums_.grow(capacity);
    active_.resize(capacity, false);
    theta_.resize(static_cast<std::size_t>(capacity) * d_);
    displacement_.resize(capacity, 0.0);
  }

  int d_, n_old_, count_ = 0;
  long n_activations_ = 0;
  PriorView prior_;
  ClusterSums sums_;
  std::vector<double> sum_;  // (d,) of one slot
  CostTable costs_;
  RawVector<double> phi_;             // (K, d) shifted
  RawVector<double> theta_;           // (slots, d) of those that are active
  std::vector<char> active_;          // (slots,)
  std::vector<double> displacement_;  // (slots,) of the wide ones
  double max_displacement_ = 0;       // since the restart began
  std::vector<int> free_;
};

}  // namespace dynmeans
