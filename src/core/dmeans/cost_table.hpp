// Costs scale_k |y - c_k|^2 + offset_k of a row y in many slots, stored so that several slots are compared at
// once.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "simd/simd_kernels.hpp"

namespace dynmeans {

class CostTable {
 public:
  explicit CostTable(int d) : d_(d) {}

  int capacity() const { return int(scale_.size()); }

  // Makes room for n slots; a slot costs infinity until it is set.
  void grow(int n) {
    if (n <= capacity()) return;
    const int old = capacity(), stride = (n + kSlotBlock - 1) / kSlotBlock * kSlotBlock;
    std::vector<double> columns(std::size_t(d_) * stride);
    for (int j = 0; j < d_; ++j)
      std::copy_n(columns_.begin() + std::size_t(j) * old, old, columns.begin() + std::size_t(j) * stride);
    columns_.swap(columns);
    scale_.resize(stride, 0.0);
    offset_.resize(stride, std::numeric_limits<double>::infinity());
  }

  void clear() {
    n_slots_ = 0;
    columns_.clear();
    scale_.clear();
    offset_.clear();
  }

  double& coordinate(int k, int j) { return columns_[std::size_t(j) * capacity() + k]; }
  void set_center(int k, const double* center) {
    for (int j = 0; j < d_; ++j) coordinate(k, j) = center[j];
  }
  void set_cost(int k, double scale, double offset) {
    scale_[k] = scale;
    offset_[k] = offset;
    n_slots_ = std::max(n_slots_, k + 1);
  }
  double scale(int k) const { return scale_[k]; }
  double offset(int k) const { return offset_[k]; }
  const double* scales() const { return scale_.data(); }

  // The cheapest slot of a row (d,), with these scales (capacity,) in place of the stored ones.
  Cheapest cheapest(const double* y, const double* scales) const {
    return lanes().slots.cheapest(y, d_, columns_.data(), capacity(), scales, offset_.data(), n_slots_);
  }
  Cheapest cheapest(const double* y) const { return cheapest(y, scales()); }

 private:
  int d_, n_slots_ = 0;                 // slots that were set are below n_slots
  std::vector<double> columns_;         // (d, capacity)
  std::vector<double> scale_, offset_;  // (capacity,)
};

}  // namespace dynmeans
