// Old clusters as mixtures of Gaussians around their kept points, and how much each of them explains a row:
//   e_ik = sum over kept j of k of s_j exp(-|y_i - u_j - d_k|^2 / (2 h^2)),   q_ik = e_ik / (sum_k e_ik + b)
// with shares s_j that add up to 1 in every cluster, shifts d_k, and b for rows that belong to none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/signals.hpp"

namespace dynmeans {

struct KeptView {
  const double* points;       // u (M, d)
  const double* shares;       // s (M,)
  const std::int64_t* owner;  // (M,) 0 .. K-1
  std::int64_t n;             // M
  int n_old;                  // K
};

// Typedefs, because Clang ignores `aligned` in an alias declaration and would emit aligned loads.
typedef double Lane __attribute__((vector_size(32), aligned(8), may_alias));  // four rows
typedef std::uint64_t LaneBits __attribute__((vector_size(32), aligned(8), may_alias));

constexpr int kWidth = sizeof(Lane) / sizeof(double);
constexpr int kRows = 32;  // rows that are compared together

// exp(-x) for x >= 0, to seven digits; beyond x = 700 it stays at exp(-700). 2^k is put into the exponent,
// the rest is a Taylor series on |f| <= ln 2 / 2.
[[gnu::always_inline]] inline Lane exp_minus(Lane x) {
  constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const Lane limit = Lane{} + 700.0;
  const Lane t = (x < limit ? x : limit) * -kLog2E;
  const Lane shifted = t + kRound;
  const Lane f = (t - (shifted - kRound)) * kLn2;
  const Lane series =
      1.0 + f * (1.0 + f * (1.0 / 2 + f * (1.0 / 6 + f * (1.0 / 24 + f * (1.0 / 120 + f * (1.0 / 720))))));
  return series * Lane((LaneBits(shifted) + 1023) << 52);
}

// One tile of rows against all kept points: mass(k) = e_ik, and place(k, c) = the sum that makes e_ik, each
// term times coordinate c of its kept point before the shift.
struct Tile {
  const double* rows;    // in  (d, kRows)
  const double* shifts;  // in  d (K, d)
  double rate;           // in  1 / (2 h^2)
  double* mass;          // out (K, kRows)
  double* place;         // out (K, d, kRows)
};

[[gnu::always_inline]] inline void compare_tile(const Tile& tile, const KeptView& kept, int d) {
  for (std::int64_t j = 0; j < kept.n; ++j) {
    const std::int64_t k = kept.owner[j];
    const double *u = kept.points + j * d, *shift = tile.shifts + k * d, share = kept.shares[j];
    for (int lane = 0; lane < kRows; lane += kWidth) {
      Lane squared{};
      for (int c = 0; c < d; ++c) {
        const Lane gap = *reinterpret_cast<const Lane*>(tile.rows + c * kRows + lane) - (u[c] + shift[c]);
        squared += gap * gap;
      }
      const Lane e = share * exp_minus(squared * tile.rate);
      *reinterpret_cast<Lane*>(tile.mass + k * kRows + lane) += e;
      for (int c = 0; c < d; ++c)
        *reinterpret_cast<Lane*>(tile.place + (k * d + c) * kRows + lane) += e * u[c];
    }
  }
}

using CompareTile = void (*)(const Tile&, const KeptView&, int);

#ifdef DYNMEANS_X86
[[gnu::target("avx2")]] inline void compare_avx2(const Tile& tile, const KeptView& kept, int d) {
  compare_tile(tile, kept, d);
}
#endif
inline void compare_base(const Tile& tile, const KeptView& kept, int d) {
  compare_tile(tile, kept, d);
}

// The widest loop that this machine has; both give the same bits.
inline CompareTile widest_compare() {
#ifdef DYNMEANS_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return compare_avx2;
#endif
  return compare_base;
}

class GaussianMixture {
 public:
  GaussianMixture(const double* rows, std::int64_t n, int d, const KeptView& kept)
      : rows_(rows),
        n_(n),
        d_(d),
        kept_(kept),
        compare_(widest_compare()),
        tile_(d * kRows),
        mass_(kept.n_old * kRows),
        place_(std::size_t(kept.n_old) * d * kRows) {}

  // Calls use(i, lane) for every row i, after explaining it: mass(k)[lane] and place(k, c)[lane] are its own.
  template <class Use>
  void explain(const double* shifts,  // in d (K, d)
               double h,              // in
               Use&& use) {
    const Tile tile{tile_.data(), shifts, 1.0 / (2.0 * h * h), mass_.data(), place_.data()};
    for (std::int64_t begin = 0; begin < n_; begin += kRows) {
      const int count = int(std::min<std::int64_t>(kRows, n_ - begin));
      poll_(kept_.n * kRows * (d_ + 8));
      load(begin, count);
      std::fill(mass_.begin(), mass_.end(), 0.0);
      std::fill(place_.begin(), place_.end(), 0.0);
      compare_(tile, kept_, d_);
      for (int lane = 0; lane < count; ++lane) use(begin + lane, lane);
    }
  }

  const double* mass(int k) const { return &mass_[std::size_t(k) * kRows]; }
  const double* place(int k, int c) const { return &place_[(std::size_t(k) * d_ + c) * kRows]; }

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
  KeptView kept_;
  CompareTile compare_;
  std::vector<double> tile_;   // (d, kRows)
  std::vector<double> mass_;   // (K, kRows)
  std::vector<double> place_;  // (K, d, kRows)
  Poll poll_;
};

}  // namespace dynmeans
