// Squared distances between wide rows and the old centres.
//
// They are the same in every restart, so they are found once. A cluster that has moved since is at least as
// far from a row as its old centre is, less the way it went: few distances have to be found anew. Where a
// birth is cheaper than the return of the old cluster for certain, a lower bound says as much.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gap.hpp"
#include "points.hpp"
#include "raw.hpp"
#include "slots.hpp"
#include "team.hpp"

namespace dynmeans {

// Of one row from the old centres.
struct GapsOfRow {
  const double* row;       // (d,)
  const double* centers;   // (K, d)
  const double* slowness;  // 1 / gamma (K,)
  int d, n_old;
  double ample, lightness;
  std::span<const int> telling;  // blocks of features that are looked at first
  double* squared;               // out (K,)

  [[gnu::always_inline]] void run() const {
    for (int k = 0; k < n_old; ++k) {
      const double* center = centers + std::size_t(k) * d;
      const double most = ample * (lightness + slowness[k]);
      squared[k] = glance(center);
      if (!(squared[k] > most)) WideGap<Plain>{{row}, center, d, most, squared + k}.run();
    }
  }

 private:
  [[gnu::always_inline]] double glance(const double* center) const {
    Four sums[kWide / kFour] = {};
    for (const int begin : telling)
      for (int q = 0; q < kWide / kFour; ++q) {
        const Four gap = load_four(row + begin + q * kFour) - load_four(center + begin + q * kFour);
        sums[q] += gap * gap;
      }
    const Four sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

class PastDistances {
 public:
  // Narrow rows find a distance as fast as they would look it up.
  template <class T>
  PastDistances(const Points<T>& points, const Slots& slots, double birth, Team& team)
      : n_old_(slots.n_old()) {
    if (points.d < kWide || n_old_ == 0 || points.n > kMost / n_old_) return;
    squared_.resize(std::size_t(points.n) * n_old_);
    std::vector<double> slowness(n_old_);
    for (int k = 0; k < n_old_; ++k) slowness[k] = 1 / slots.gamma(k);
    const std::vector<int> telling = telling_blocks(slots);
    const int chunks = static_cast<int>(std::min<Row>(points.n, 64));
    team.share(chunks, [&](int c) {
      std::vector<double> y(points.d);
      for (Row i = points.n * c / chunks; i < points.n * (c + 1) / chunks; ++i) {
        const double lightness = 1 / std::min(points.weight(i), 1.0);
        run_wide(GapsOfRow{points.moved(i, y.data()), slots.old_center(0), slowness.data(), points.d, n_old_,
                           kAmple * birth, lightness, telling, &squared_[std::size_t(i) * n_old_]});
      }
    });
  }

  // Those of one row, (K,); null if they are not known.
  const double* of(Row i) const { return squared_.empty() ? nullptr : &squared_[std::size_t(i) * n_old_]; }

 private:
  // Where the old centres differ most. A few of many blocks of features show that most distances are long.
  static std::vector<int> telling_blocks(const Slots& slots) {
    const int d = slots.d(), n_blocks = d / kWide;
    std::vector<int> begins;
    if (n_blocks < 2 * kTelling) return begins;
    std::vector<double> spread(d);
    for (int k = 0; k < slots.n_old(); ++k) {
      const double* center = slots.old_center(k);
      double* sum = spread.data();
      for_features(d, [=](int j) __attribute__((always_inline)) { sum[j] += center[j] * center[j]; });
    }
    for (int b = 0; b < n_blocks; ++b) {
      begins.push_back(b * kWide);
      for (int j = 1; j < kWide; ++j) spread[b * kWide] += spread[b * kWide + j];
    }
    std::partial_sort(begins.begin(), begins.begin() + kTelling, begins.end(),
                      [&](int a, int b) { return spread[a] > spread[b]; });
    begins.resize(kTelling);
    return begins;
  }

  static constexpr int kTelling = 4;
  static constexpr Row kMost = 1 << 22;  // distances that are kept
  static constexpr double kAmple = 2;    // times the squared distance at which a return costs a birth

  int n_old_;
  RawVector<double> squared_;  // (n, K)
};

}  // namespace dynmeans
