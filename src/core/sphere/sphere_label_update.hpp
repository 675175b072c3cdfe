// The label update on the sphere (Eq. sphere-label): the slot that takes one row at the least cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sphere/sphere_clusters.hpp"
#include "sphere/sphere_rows.hpp"

namespace dynmeans {

// One row, for the label update.
template <class T>
struct SphereRow {
  const T* x;        // (d,)
  double m;          // weight
  std::int32_t own;  // its present slot, or kNone
  double tolerance;  // another slot must be cheaper than `own` by more than this
};

template <class T>
class SphereLabelUpdate {
 public:
  explicit SphereLabelUpdate(const SphereClusters<T>& slots) : slots_(slots) {}

  Cheapest cheapest(const SphereRow<T>& row) {
    Cheapest best{std::numeric_limits<double>::infinity(), slots_.count()};
    consider_from(0, row, best);
    return best;
  }

  // The same, with cosines (K,) to the remembered centers that are off by at most `rounding`.
  Cheapest cheapest(const SphereRow<T>& row, const float* to_prior, double rounding) {
    const int n_old = slots_.n_old();
    Cheapest best{std::numeric_limits<double>::infinity(), slots_.count()};
    consider_from(n_old, row, best);
    const int nearest = int(std::max_element(to_prior, to_prior + n_old) - to_prior);
    consider(nearest, exact_cost(nearest, row), row, best);
    const double chord = chord_up(1 - best.cost / row.m, row.tolerance + row.tolerance / row.m);
    for (int k = 0; k < n_old; ++k) {
      if (k == nearest) continue;
      if (slots_.is_active(k) ? !slots_.is_beyond(k, to_prior[k], chord, rounding)
                              : slots_.may_return(k, row.m, to_prior[k] + rounding, best.cost))
        consider(k, exact_cost(k, row), row, best);
    }
    return best;
  }

 private:
  double exact_cost(int k, const SphereRow<T>& row) const {
    const double cosine = slots_.dot(row.x, slots_.center(k));
    return slots_.is_active(k) ? row.m * (1 - cosine) : slots_.revival_cost(k, row.m, cosine);
  }

  // Keeps slot k in `best` if it is cheaper.
  static void consider(int k, double cost, const SphereRow<T>& row, Cheapest& best) {
    if (k == row.own) cost -= row.tolerance;
    if (cost < best.cost || (cost == best.cost && k < best.slot)) best = {cost, k};
  }

  // Considers the slots from `first` on.
  void consider_from(int first, const SphereRow<T>& row, Cheapest& best) {
    const int n = slots_.count();
    dots_.resize(n);
    dot_lanes<T>().dots(row.x, slots_.d(), slots_.center(first), n - first, dots_.data() + first);
    for (int k = first; k < n; ++k)
      if (slots_.is_active(k))
        consider(k, row.m * (1 - double(dots_[k])), row, best);
      else if (slots_.is_old(k))
        consider(k, slots_.revival_cost(k, row.m, dots_[k]), row, best);
  }

  const SphereClusters<T>& slots_;
  std::vector<T> dots_;
};

}  // namespace dynmeans
