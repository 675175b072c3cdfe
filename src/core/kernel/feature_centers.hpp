// Cluster centers for a kernel with explicit features, K_YY = B B': centers are vectors and distances are
// Euclidean. Same interface as kernel_centers.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/kernel_centers.hpp"

namespace dynmeans {

class FeatureCenters {
 public:
  FeatureCenters(const KernelView& view, const double* features, const double* phi_features, int d)
      : view_(view), features_(features), d_(d), shift_(d), phi_(static_cast<std::size_t>(view.n_old) * d) {
    find_shift();
    beyond_.reserve(view.n_old);
    for (int k = 0; k < view.n_old; ++k) {
      const double* position = phi_features + static_cast<std::size_t>(k) * d;
      for (int j = 0; j < d; ++j) phi_[at(k) + j] = position[j] - shift_[j];
      const double beyond = view.phi_phi[k] - squared_length(position);
      beyond_.push_back(beyond > kRoundingShare * view.phi_phi[k] ? beyond : 0.0);
    }
  }

  double mass(int k) const { return mass_[k]; }
  double scale(Row i, int k) const { return squared_distance(i, nullptr) + norm_[k]; }
  double squared_distance_to_old(Row i, int k) const {
    return squared_distance(i, &phi_[at(k)]) + beyond_[k];
  }

  double squared_displacement(int k) const {
    const double rest = 1 - view_.gammas[k] / mass_[k];
    double total = rest * rest * beyond_[k];
    for (int j = 0; j < d_; ++j) {
      const double difference = columns_[static_cast<std::size_t>(j) * stride_ + k] - phi_[at(k) + j];
      total += difference * difference;
    }
    return total;
  }

  void grow(int count) {
    mass_.resize(count, 0.0);
    norm_.resize(count, 0.0);
    outside_.resize(count, 0.0);
    sums_.resize(at(count), 0.0);
    if (count <= stride_) return;
    stride_ = std::max(kSlotBlock / 4, 2 * stride_);
    while (stride_ < count) stride_ *= 2;
    columns_.assign(static_cast<std::size_t>(stride_) * d_, 0.0);
    distances_.resize(stride_);
    for (int k = 0; k < count; ++k) update_norm(k);
  }

  void within(const std::int64_t* labels, double* sums) const {
    std::vector<double> totals;  // (labels, d)
    for (Row i = 0; i < view_.n; ++i) {
      if (totals.size() < at(int(labels[i]) + 1)) totals.resize(at(int(labels[i]) + 1));
      for (int j = 0; j < d_; ++j)
        totals[at(int(labels[i])) + j] += view_.weights[i] * features_[at(int(i)) + j];
    }
    for (std::size_t e = 0; e < totals.size(); ++e) sums[e / d_] += totals[e] * totals[e];
  }

  std::int64_t work(Row, int count) const { return std::int64_t(d_) * (count + 1); }

  void clear(int k) {
    const bool old = k < view_.n_old;
    mass_[k] = old ? view_.gammas[k] : 0.0;
    for (int j = 0; j < d_; ++j) sums_[at(k) + j] = old ? mass_[k] * phi_[at(k) + j] : 0.0;
    update_norm(k);
  }

  void add(int k, Row i, double m, const std::vector<std::int32_t>&) {
    for (int j = 0; j < d_; ++j) sums_[at(k) + j] += m * coordinate(i, j);
    mass_[k] += m;
    update_norm(k);
  }

  void squared_distances(Row i, int count, const std::vector<std::int32_t>&, double* out) {
    std::fill(distances_.begin(), distances_.end(), 0.0);
    for (int j = 0; j < d_; ++j) {
      const double y = coordinate(i, j);
      const double* column = columns_.data() + static_cast<std::size_t>(j) * stride_;
      for (int k = 0; k < stride_; ++k) distances_[k] += (y - column[k]) * (y - column[k]);
    }
    for (int k = 0; k < count; ++k) out[k] = distances_[k] + outside_[k];
  }

 private:
  static constexpr double kRoundingShare = 1e-9;  // of the squared length of phi: less is rounding error

  std::size_t at(int k) const { return static_cast<std::size_t>(k) * d_; }
  double coordinate(Row i, int j) const { return features_[i * d_ + j] - shift_[j]; }

  double squared_length(const double* position) const {
    double total = 0;
    for (int j = 0; j < d_; ++j) total += position[j] * position[j];
    return total;
  }

  // From a row to a position, or to the shift.
  double squared_distance(Row i, const double* position) const {
    double total = 0;
    for (int j = 0; j < d_; ++j) {
      const double difference = coordinate(i, j) - (position ? position[j] : 0.0);
      total += difference * difference;
    }
    return total;
  }

  // The mean of some rows suffices: only rounding errors depend on it.
  void find_shift() {
    const Row count = std::min<Row>(view_.n, 256);
    for (Row s = 0; s < count; ++s)
      for (int j = 0; j < d_; ++j) shift_[j] += features_[s * view_.n / count * d_ + j] / double(count);
  }

  void update_norm(int k) {
    const double inverse = mass_[k] > 0 ? 1 / mass_[k] : 0.0;
    norm_[k] = 0;
    for (int j = 0; j < d_; ++j) {
      const double position = sums_[at(k) + j] * inverse;
      columns_[static_cast<std::size_t>(j) * stride_ + k] = position;
      norm_[k] += position * position;
    }
    const double share = k < view_.n_old ? view_.gammas[k] * inverse : 0.0;
    outside_[k] = k < view_.n_old ? share * share * beyond_[k] : 0.0;
  }

  KernelView view_;
  const double* features_;  // B (R, d)
  int d_, stride_ = 0;
  std::vector<double> shift_;                // (d,) subtracted from every row and old center
  std::vector<double> phi_;                  // (K, d) shifted
  std::vector<double> beyond_;               // (K,) squared length of phi in directions that no row has
  std::vector<double> sums_;                 // (slots, d) mass theta
  std::vector<double> mass_, norm_;          // (slots,) of theta; its squared length
  std::vector<double> outside_;              // (slots,) squared length of theta in directions that no row has
  std::vector<double> columns_, distances_;  // (d, stride) theta, one line per feature; (stride,)
};

}  // namespace dynmeans
