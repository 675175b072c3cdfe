// Clusters inside one descent on the unit sphere (Straub, Campbell, How and Fisher 2015). Clusters 0 .. K-1
// are remembered, later ones are newborn.
//
// With A = gamma phi + sum of m x, a cluster has the center A / |A| (Eq. sphere-center). A row x of weight m
// costs (Eq. sphere-label)
//   active  m (1 - x . theta)
//   asleep  Q dt + m + gamma - |gamma phi + m x|
//   empty   infinity
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dmeans/clusters.hpp"
#include "simd/feature_loops.hpp"
#include "simd/simd_kernels.hpp"
#include "sphere/sphere_rows.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
class SphereClusters {
 public:
  SphereClusters(const PriorView& prior, int d) : d_(d), n_old_(prior.n), prior_(prior) {}

  // Before a restart: every remembered cluster sleeps, and there is no newborn.
  void reset() {
    grow(n_old_);
    count_ = n_old_;
    free_.clear();
    for (int k = 0; k < n_old_; ++k) sleep(k);
  }

  int d() const { return d_; }
  int n_old() const { return n_old_; }
  int count() const { return count_; }
  bool is_old(int k) const { return k < n_old_; }
  bool is_active(int k) const { return rows_[k] > 0; }
  const T* center(int k) const { return center_.data() + at(k); }  // theta, or phi of a sleeping cluster
  const double* sum(int k) const { return sum_.data() + at(k); }   // A
  double weight(int k) const { return weight_[k]; }
  double gamma(int k) const { return is_old(k) ? prior_.gammas[k] : 0.0; }
  double revival(int k) const { return prior_.revival[k]; }
  double length(int k) const { return std::sqrt(dot_product(sum(k), sum(k), d_)); }  // |A|
  // Number of births and revivals so far; bounds on distances are invalid after a change.
  long n_activations() const { return n_activations_; }

  double revival_cost(int k, double m, double cosine) const {
    const double g = gamma(k), squared = m * m + g * g + 2 * m * g * cosine;
    return revival(k) + (m + g - std::sqrt(std::max(squared, 0.0)));
  }

  // True if a revival may cost at most `cost`, where `cosine` is at least that to the old center.
  bool may_return(int k, double m, double cosine, double cost) const {
    return revival(k) <= cost && revival_cost(k, m, cosine) <= cost;
  }

  T dot(const T* a, const T* b) const { return dot_product(a, b, d_); }

  // Chord from the old center to the present one.
  double displacement(int k) const { return displacement_[k]; }

  // True if the chord from a row to the center of an active old cluster exceeds `chord`, where `cosine` is
  // that to the old center.
  bool is_beyond(int k, double cosine, double chord, double rounding) const {
    const double reach = chord + displacement_[k];
    return cosine < 1 - 0.5 * reach * reach - rounding;
  }

  // A slot for a cluster that is about to be born.
  int newborn() {
    int k = count_;
    if (!free_.empty()) {
      k = free_.back();
      free_.pop_back();
    } else {
      grow(++count_);
    }
    clear_slot(k);
    return k;
  }

  // Adds a row to a slot. A sleeping or empty slot becomes active, with the center of this row alone.
  void add(int k, const T* x, double m) {
    const bool is_activated = !is_active(k);
    add_row(k, x, m, +1);
    if (is_activated) {
      update_center(k);
      ++n_activations_;
    }
  }
  // The same for a slot that has rows, or whose center is known: it keeps its center until update_centers.
  void add_to_active(int k, const T* x, double m) { add_row(k, x, m, +1); }
  void remove(int k, const T* x, double m) { add_row(k, x, -m, -1); }

  // Eq. (sphere-center). If the rows cancel, the center does not change.
  void update_center(int k) {
    if (rows_[k] == 0) return deactivate(k);
    is_stale_[k] = false;
    const double norm = length(k);
    if (!(norm > kCancelled * (gamma(k) + weight_[k]))) return;
    const double share = 1 / norm;
    const double* const a = sum(k);
    T* const theta = &center_[at(k)];
    for_features(d_, [=](int j) __attribute__((always_inline)) { theta[j] = static_cast<T>(a[j] * share); });
    if (is_old(k)) measure_displacement(k);
  }

  void update_centers() {
    for (int k = 0; k < count_; ++k)
      if (is_stale_[k]) update_center(k);
  }

  // Removes all rows but keeps the centers, before the sums are recomputed.
  void clear_sums() {
    for (int k = 0; k < count_; ++k) start_sum(k);
  }

  // Share of the weight below which a direction is rounding error.
  static constexpr double kCancelled = 1e-12;

 private:
  // Bound on the rounding error of a displacement.
  static constexpr double kDisplacementSlack = 16 * double(std::numeric_limits<T>::epsilon());

  std::size_t at(int k) const { return static_cast<std::size_t>(k) * d_; }

  void add_row(int k, const T* x, double m, int rows) {
    double* const a = &sum_[at(k)];
    for_features(d_, [=](int j) __attribute__((always_inline)) { a[j] += m * double(x[j]); });
    weight_[k] += m;
    rows_[k] += rows;
    is_stale_[k] = true;
  }

  // The rows are unit vectors up to rounding, and so are the centers: the slack of the bounds covers that.
  void measure_displacement(int k) {
    const T* const theta = center(k);
    const double* const phi = prior_.centers + at(k);
    double squared = 0;
    for (int j = 0; j < d_; ++j) squared += (theta[j] - phi[j]) * (theta[j] - phi[j]);
    displacement_[k] = std::sqrt(squared) + kDisplacementSlack;
  }

  // A without rows: gamma phi.
  void start_sum(int k) {
    weight_[k] = 0;
    rows_[k] = 0;
    is_stale_[k] = false;
    double* const a = &sum_[at(k)];
    if (is_old(k))
      set_row(a, prior_.centers + at(k), gamma(k), d_);
    else
      std::fill_n(a, d_, 0.0);
  }

  // Called when the last row has left.
  void deactivate(int k) {
    if (is_old(k)) return sleep(k);
    clear_slot(k);
    free_.push_back(k);
  }

  void sleep(int k) {
    start_sum(k);
    copy_row(prior_.centers + at(k), &center_[at(k)], d_);
  }

  void clear_slot(int k) {
    start_sum(k);
    std::fill_n(&center_[at(k)], d_, T(0));
  }

  void grow(int needed) {
    if (needed <= capacity_) return;
    capacity_ = std::max(2 * capacity_, std::max(needed, kSlotBlock));
    weight_.resize(capacity_);
    displacement_.resize(capacity_);
    rows_.resize(capacity_);
    is_stale_.resize(capacity_);
    sum_.resize(std::size_t(capacity_) * d_);
    center_.resize(std::size_t(capacity_) * d_);
  }

  int d_, n_old_, count_ = 0, capacity_ = 0;
  long n_activations_ = 0;
  PriorView prior_;
  RawVector<double> sum_;             // (slots, d) A
  RawVector<T> center_;               // (slots, d)
  std::vector<double> weight_;        // (slots,) weight of the rows
  std::vector<long> rows_;            // (slots,) number of the rows
  std::vector<char> is_stale_;        // (slots,) the center does not belong to the sum
  std::vector<double> displacement_;  // (slots,) chord from phi to theta, of active old clusters
  std::vector<int> free_;
};

}  // namespace dynmeans
