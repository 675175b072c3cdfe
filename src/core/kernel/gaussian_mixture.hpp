// Old clusters as Gaussian mixtures around their support points, and the responsibility of each for a row:
//   e_ik = sum over points j of k of s_j exp(-|y_i - u_j - d_k|^2 / (2 h^2)),   q_ik = e_ik / (sum_k e_ik +
//   b)
// with shares s_j that sum to 1 in every cluster, displacements d_k, and a background density b.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simd/dispatch.hpp"
#include "simd/exp.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct SupportView {
  const double* points;       // u (M, d)
  const double* shares;       // s (M,)
  const std::int64_t* owner;  // (M,) 0 .. K-1
  std::int64_t n;             // M
  int n_old;                  // K
};

constexpr int kRows = 32;  // rows that are compared together

// Compare one tile of rows with all support points: mass(k) = e_ik, and moment(k, c) = the same sum with each
// term times coordinate c of its support point before the displacement.
struct CompareTile {
  const double* rows;           // in  (d, kRows)
  const SupportView& support;   // in
  const double* displacements;  // in  d (K, d)
  double rate;                  // in  1 / (2 h^2)
  int d;                        // in
  double* mass;                 // out (K, kRows)
  double* moment;               // out (K, d, kRows)

  [[gnu::always_inline]] void run() const {
    for (std::int64_t j = 0; j < support.n; ++j) {
      const std::int64_t k = support.owner[j];
      const double *u = support.points + j * d, *displacement = displacements + k * d,
                   share = support.shares[j];
      for (int lane = 0; lane < kRows; lane += kFour) {
        Four squared{};
        for (int c = 0; c < d; ++c) {
          const Four difference = load_four(rows + c * kRows + lane) - (u[c] + displacement[c]);
          squared += difference * difference;
        }
        const Four e = share * coarse_exp_minus(squared * rate);
        *reinterpret_cast<Four*>(mass + k * kRows + lane) += e;
        for (int c = 0; c < d; ++c) *reinterpret_cast<Four*>(moment + (k * d + c) * kRows + lane) += e * u[c];
      }
    }
  }
};

class GaussianMixture {
 public:
  GaussianMixture(const double* rows, std::int64_t n, int d, const SupportView& support)
      : rows_(rows),
        n_(n),
        d_(d),
        support_(support),
        tile_(d * kRows),
        mass_(support.n_old * kRows),
        moment_(std::size_t(support.n_old) * d * kRows) {}

  // Compute mass and moment of every row i, then call use(i, lane): mass(k)[lane] and moment(k, c)[lane]
  // belong to that row.
  template <class Use>
  void explain(const double* displacements,  // in d (K, d)
               double h,                     // in bandwidth
               Use&& use) {
    const CompareTile compare{tile_.data(), support_,     displacements, 1.0 / (2.0 * h * h),
                              d_,           mass_.data(), moment_.data()};
    for (std::int64_t begin = 0; begin < n_; begin += kRows) {
      const int count = int(std::min<std::int64_t>(kRows, n_ - begin));
      poll_(support_.n * kRows * (d_ + 8));
      load(begin, count);
      std::fill(mass_.begin(), mass_.end(), 0.0);
      std::fill(moment_.begin(), moment_.end(), 0.0);
      run_wide(compare);
      for (int lane = 0; lane < count; ++lane) use(begin + lane, lane);
    }
  }

  const double* mass(int k) const { return &mass_[std::size_t(k) * kRows]; }
  const double* moment(int k, int c) const { return &moment_[(std::size_t(k) * d_ + c) * kRows]; }

 private:
  // A last tile that is not full repeats its last row, so that no lane computes with garbage.
  void load(std::int64_t begin, int count) {
    for (int lane = 0; lane < kRows; ++lane) {
      const double* row = rows_ + (begin + std::min(lane, count - 1)) * d_;
      for (int c = 0; c < d_; ++c) tile_[c * kRows + lane] = row[c];
    }
  }

  const double* rows_;
  std::int64_t n_;
  int d_;
  SupportView support_;
  std::vector<double> tile_;    // (d, kRows)
  std::vector<double> mass_;    // (K, kRows)
  std::vector<double> moment_;  // (K, d, kRows)
  Poll poll_;
};

}  // namespace dynmeans
