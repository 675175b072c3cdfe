// Split a cluster in two by 2-means (Lloyd 1982), started from an axis through its mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "dmeans/refinement/row_groups.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

class Bisection {
 public:
  explicit Bisection(const RefineRows& rows) : rows_(rows), d_(rows.d), axis_(rows.d) {}

  // Upper bound on the saving of a split: the largest eigenvalue of the scatter matrix, which is at most its
  // Frobenius norm.
  double max_saving(const RowGroup& whole) {
    if (d_ > kMaxScatterFeatures) return whole.spread;
    scatter_.assign(std::size_t(d_) * d_, 0.0);
    for (const Row i : whole.rows)
      for (int a = 0; a < d_; ++a)
        for (int b = 0; b < d_; ++b)
          scatter_[a * d_ + b] +=
              rows_.weights[i] * (rows_.at(i)[a] - whole.mean[a]) * (rows_.at(i)[b] - whole.mean[b]);
    return (1 + kTolerance) * std::sqrt(squared_length(scatter_));
  }

  // Split by 2-means, started from the two sides of the mean along the axis to the farthest row. False if one
  // side is empty.
  bool cut_along(const RowGroup& whole) {
    const double* far =
        farthest(whole, 0, [&](const double* y) { return squared_distance_between(y, whole.mean.data()); });
    for (int j = 0; j < d_; ++j) axis_[j] = far[j] - whole.mean[j];
    return cut(whole, kTolerance * squared_length(axis_));
  }

  // The same, started along the axis to the row farthest from the previous axis, orthogonal to it. Of three
  // rows with equal weights, two are equally far from the axis to the third.
  bool cut_across(const RowGroup& whole) {
    const double length = squared_length(axis_);
    const double* far = farthest(whole, length, [&](const double* y) {
      const double along = along_axis(y, whole);
      return squared_distance_between(y, whole.mean.data()) - along * along / length;
    });
    const double share = along_axis(far, whole) / length;
    for (int j = 0; j < d_; ++j) axis_[j] = far[j] - whole.mean[j] - share * axis_[j];
    const double beside = squared_length(axis_);
    return beside > kTolerance * length && cut(whole, kTolerance * std::sqrt(beside * length));
  }

  // The two sides, after a cut.
  const RowGroup& operator[](int side) const { return half_[side]; }

 private:
  static constexpr double kTolerance = 1e-12;    // relative tolerance: smaller values may be rounding errors
  static constexpr int kMaxIterations = 16;      // maximum number of iterations of 2-means
  static constexpr int kMaxScatterFeatures = 8;  // with more, the scatter matrix is not computed

  double squared_distance_between(const double* a, const double* b) const {
    return squared_distance(Plain{a}, b, d_);
  }

  static double squared_length(const std::vector<double>& x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  }

  double along_axis(const double* y, const RowGroup& whole) const {
    double along = 0;
    for (int j = 0; j < d_; ++j) along += (y[j] - whole.mean[j]) * axis_[j];
    return along;
  }

  // The first of the rows that are equally far within the tolerance, so that rounding does not decide. The
  // tolerance is relative to the largest distance, or to `scale` if this is larger.
  template <class Distance>
  const double* farthest(const RowGroup& group, double scale, Distance distance) const {
    const double* which = rows_.at(*group.rows.first);
    double largest = 0;
    for (const Row i : group.rows) {
      const double out = distance(rows_.at(i));
      if (out > largest + kTolerance * std::max(largest, scale)) largest = out, which = rows_.at(i);
    }
    return which;
  }

  // Rows within the tolerance of the mean are on the near side, so that rounding does not decide.
  bool cut(const RowGroup& whole, double tolerance) {
    side_.clear();
    side_.reserve(whole.rows.size());
    for (const Row i : whole.rows) side_.push_back(along_axis(rows_.at(i), whole) > tolerance);
    members_.resize(whole.rows.size());
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      sort_sides(whole);
      if (half_[0].rows.size() == 0 || half_[1].rows.size() == 0) return false;
      for (RowGroup& half : half_) half.measure(rows_);
      if (!change_sides(whole)) break;
    }
    return true;
  }

  // Rows of the near side from the front, those of the far side from the back.
  void sort_sides(const RowGroup& whole) {
    Row *front = members_.data(), *back = front + members_.size();
    for (std::size_t r = 0; r < side_.size(); ++r) *(side_[r] ? --back : front++) = whole.rows.first[r];
    half_[0].rows = {members_.data(), front};
    half_[1].rows = {front, members_.data() + members_.size()};
  }

  bool change_sides(const RowGroup& whole) {
    bool moved = false;
    for (std::size_t r = 0; r < side_.size(); ++r) {
      const double* y = rows_.at(whole.rows.first[r]);
      const char nearer = squared_distance_between(y, half_[1].mean.data()) <
                          squared_distance_between(y, half_[0].mean.data());
      moved |= nearer != side_[r];
      side_[r] = nearer;
    }
    return moved;
  }

  const RefineRows& rows_;
  int d_;
  std::vector<double> axis_;     // (d,)  across which the cluster is cut at first
  std::vector<double> scatter_;  // (d, d)
  std::vector<char> side_;       // of each of its rows
  std::vector<Row> members_;     // its rows, those of the near side first
  RowGroup half_[2];
};

}  // namespace dynmeans
