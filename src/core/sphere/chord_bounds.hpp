// Bounds of Hamerly (2010) on chords: of each row, an upper bound on the chord to its own center and a lower
// bound on the chords to all other active centers. Both follow the centers when these move.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "sphere/sphere_clusters.hpp"
#include "support/uninitialized_vector.hpp"

namespace dynmeans {

template <class T>
class ChordBounds {
 public:
  ChordBounds(Row n, int d) : d_(d), upper_(n), lower_(n) {}

  // True if the bounds of all rows hold for the slots of the last update.
  bool hold() const { return hold_; }
  void invalidate() { hold_ = false; }

  // Before a pass: computes how far each active center has moved since the bounds were set.
  void update(const SphereClusters<T>& slots) {
    const int n = slots.count();
    if (slots.n_activations() != n_activations_) hold_ = false;
    n_activations_ = slots.n_activations();
    displacement_.assign(n, 0);
    for (int k = 0; hold_ && k < n; ++k)
      if (slots.is_active(k)) displacement_[k] = chord_between(slots.center(k), previous_center(k));
    most_displaced_ = 0;
    second_displacement_ = 0;
    for (int k = 0; k < n; ++k)
      if (displacement_[k] > displacement_[most_displaced_]) most_displaced_ = k;
    for (int k = 0; k < n; ++k)
      if (k != most_displaced_) second_displacement_ = std::max(second_displacement_, displacement_[k]);
  }

  // After a pass, which has set the bounds of all rows: stores the centers that they belong to.
  void accept(const SphereClusters<T>& slots, const std::vector<std::int32_t>& active) {
    hold_ = true;
    previous_centers_.resize(std::size_t(slots.count()) * d_);
    for (const std::int32_t k : active) std::copy_n(slots.center(k), d_, previous_center(k));
  }

  // The bounds of row i, whose slot is `own`, for the present centers.
  double upper(Row i, std::int32_t own) const { return double(upper_[i]) + displacement_[own]; }
  double lower(Row i, std::int32_t own) const {
    const double others = own == most_displaced_ ? second_displacement_ : displacement_[most_displaced_];
    return round_down(double(lower_[i]) - others);
  }

  void clear_upper(Row i) { upper_[i] = std::numeric_limits<T>::infinity(); }
  void set_upper(Row i, double upper) { upper_[i] = static_cast<T>(round_up(upper)); }
  void set_lower(Row i, double lower) { lower_[i] = static_cast<T>(round_down(lower)); }
  // A bound that `lower` has returned, which is rounded down already.
  void keep_lower(Row i, double lower) { lower_[i] = static_cast<T>(lower); }

 private:
  // Rounding to fewer digits must keep a bound valid.
  static double round_up(double bound) { return bound * (1 + 2 * double(std::numeric_limits<T>::epsilon())); }
  static double round_down(double bound) {
    return bound - 2 * std::abs(bound) * double(std::numeric_limits<T>::epsilon());
  }

  // By differences: the dot product of two close directions loses all digits.
  double chord_between(const T* a, const T* b) const {
    double squared = 0;
    for (int j = 0; j < d_; ++j) squared += double(a[j] - b[j]) * double(a[j] - b[j]);
    return std::sqrt(squared) + 16 * double(std::numeric_limits<T>::epsilon());
  }

  T* previous_center(int k) { return &previous_centers_[std::size_t(k) * d_]; }

  int d_;
  bool hold_ = false;
  long n_activations_ = 0;            // of the slots: a birth or a revival invalidates the bounds
  std::vector<T> upper_, lower_;      // (n,)
  RawVector<T> previous_centers_;     // (slots, d) the active centers that the bounds belong to
  std::vector<double> displacement_;  // (slots,) chords since then
  int most_displaced_ = 0;            // slot with the largest displacement
  double second_displacement_ = 0;    // largest displacement of the others
};

}  // namespace dynmeans
