// Squared distances between wide rows and the old centres.
//
// They are the same in every restart, so they are found once. A cluster that has moved since is at least as
// far from a row as its old centre is, less the way it went: few distances have to be found anew. Where a
// birth is cheaper than the return of the old cluster for certain, a lower bound says as much.
#pragma once

#include <vector>

#include "gap.hpp"
#include "points.hpp"
#include "slots.hpp"
#include "team.hpp"

namespace dynmeans {

class PastDistances {
 public:
  // Narrow rows find a distance as fast as they would look it up.
  template <class T>
  PastDistances(const Points<T>& points, const Slots& slots, double birth, Team& team)
      : n_old_(slots.n_old()) {
    if (points.d < kWide || n_old_ == 0 || points.n > kMost / n_old_) return;
    squared_.resize(std::size_t(points.n) * n_old_);
    const int chunks = static_cast<int>(std::min<Row>(points.n, 64));
    team.share(chunks, [&](int c) {
      std::vector<double> y(points.d);
      for (Row i = points.n * c / chunks; i < points.n * (c + 1) / chunks; ++i) {
        points.read(i, y.data());
        const double m = std::min(points.weight(i), 1.0);
        for (int k = 0; k < n_old_; ++k) {
          const double most = kAmple * birth * (1 / m + 1 / slots.gamma(k));
          squared_[std::size_t(i) * n_old_ + k] =
              squared_gap(Plain{y.data()}, slots.old_center(k), points.d, most);
        }
      }
    });
  }

  // Those of one row, (K,); null if they are not known.
  const double* of(Row i) const { return squared_.empty() ? nullptr : &squared_[std::size_t(i) * n_old_]; }

 private:
  static constexpr Row kMost = 1 << 22;  // distances that are kept
  static constexpr double kAmple = 2;    // times the squared distance at which a return costs a birth

  int n_old_;
  std::vector<double> squared_;  // (n, K)
};

}  // namespace dynmeans
