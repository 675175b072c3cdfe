// D-Means on the unit sphere from the cosines of all pairs of rows, without remembered clusters.
//
// With A_k the sum of the rows of cluster k, the products x_i . A_k are sums of cosines, and |A_k|^2 follows
// from them. So a row that joins or leaves a cluster costs n additions instead of comparisons of all
// features. Passes and ties are those of sphere_descent.hpp. The estimation of the birth cost clusters one
// sample many times: 1,500 rows of 384 features in 300 clusters take 5 ms instead of 37.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "simd/feature_loops.hpp"
#include "simd/simd_kernels.hpp"
#include "support/random.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// out: gram (n, n), the dot products of all pairs of rows (n, d)
inline void gram_matrix(const float* data, Row n, int d, float* gram) {
  constexpr Row kBlock = 32;  // rows that stay in the cache
  Poll poll;
  for (Row first = 0; first < n; first += kBlock)
    for (Row i = first; i < n; ++i) {
      const Row count = std::min(kBlock, i + 1 - first);
      poll(count * d);
      dot_lanes<float>().dots(data + i * d, d, data + first * d, int(count), gram + i * n + first);
    }
  for (Row i = 0; i < n; ++i)
    for (Row j = 0; j < i; ++j) gram[j * n + i] = gram[i * n + j];
}

struct GramClusters {
  std::vector<std::int32_t> slots;  // (n,) cluster of each row
  std::vector<double> cosines;      // (K, n) of each center to each row
  std::vector<std::int32_t> sizes;  // (K,) rows
};

class GramDescent {
 public:
  GramDescent(const float* gram, Row n, double tolerance)
      : gram_(gram), n_(n), tolerance_(tolerance), label_(n, kNone) {}

  void run(double birth, std::uint64_t seed, int max_iter) {
    birth_ = birth;
    Random random(seed, 0, 0);
    std::vector<Row> rows(n_);
    std::iota(rows.begin(), rows.end(), Row(0));
    random.shuffle(rows);
    for (const Row i : rows) assign(i, [&](int k) { return cosine(i, k); });
    bool moved = n_ > 0;
    for (int pass = 1; moved && pass < max_iter; ++pass) {
      moved = move_rows();
      random.shuffle(costly_);
      moved |= place_costly();
    }
  }

  GramClusters result() const {
    GramClusters found;
    found.cosines.reserve(products_.size());
    std::vector<std::int32_t> number(count());
    for (int k = 0; k < count(); ++k) {
      if (sizes_[k] == 0) continue;
      number[k] = std::int32_t(found.sizes.size());
      found.sizes.push_back(sizes_[k]);
      for (Row i = 0; i < n_; ++i) found.cosines.push_back(cosine(i, k));
    }
    for (const std::int32_t k : label_) found.slots.push_back(number[k]);
    return found;
  }

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr double kLeastSquare = 1e-24;  // of a sum of unit rows: a shorter one is rounding error

  int count() const { return int(sizes_.size()); }
  double cosine(Row i, int k) const { return products_[std::size_t(k) * n_ + i] * share_[k]; }
  const float* pairs(Row i) const { return gram_ + i * n_; }

  void add(int k, Row i, int sign) {
    double* const products = &products_[std::size_t(k) * n_];
    const float* const of_row = pairs(i);
    squares_[k] += 2 * sign * products[i] + of_row[i];
    for_features(int(n_),
                 [=](int j) __attribute__((always_inline)) { products[j] += sign * double(of_row[j]); });
    share_[k] = 1 / std::sqrt(std::max(squares_[k], kLeastSquare));
    sizes_[k] += sign;
    if (sizes_[k] > 0) return;
    squares_[k] = 0;
    std::fill_n(products, n_, 0.0);
    free_.push_back(k);
  }

  int newborn() {
    if (free_.empty()) {
      sizes_.push_back(0);
      squares_.push_back(0);
      share_.push_back(0);
      products_.resize(products_.size() + n_);
      return count() - 1;
    }
    const int k = free_.back();
    free_.pop_back();
    return k;
  }

  // Eq. (sphere-label), where cosine_to(k) is that to a center; at equal cost, a row joins a cluster.
  template <class CosineTo>
  bool assign(Row i, const CosineTo& cosine_to) {
    poll_(n_ + count());
    const std::int32_t own = label_[i];
    double least = std::numeric_limits<double>::infinity();
    int slot = kNone;
    for (int k = 0; k < count(); ++k) {
      if (sizes_[k] == 0) continue;
      const double cost = 1 - cosine_to(k) - (k == own ? tolerance_ : 0.0);
      if (cost < least) least = cost, slot = k;
    }
    const bool birth = !(least <= birth_);
    if (!birth && slot == own) return false;
    if (birth) slot = newborn();
    if (own != kNone) add(own, i, -1);
    add(slot, i, +1);
    label_[i] = slot;
    return true;
  }

  // Moves every row to the nearest center and lists the rows for which a birth is cheaper; true if any moved.
  bool move_rows() {
    find_nearest();
    costly_.clear();
    bool moved = false;
    const std::vector<std::int32_t> before = label_;
    for (Row i = 0; i < n_; ++i) {
      if (best_[i] > own_[i] + tolerance_) label_[i] = nearest_[i];
      if (1 - (label_[i] == before[i] ? own_[i] : best_[i]) - tolerance_ > birth_) costly_.push_back(i);
    }
    for (Row i = 0; i < n_; ++i) {
      if (label_[i] == before[i]) continue;
      poll_(2 * n_);
      add(label_[i], i, +1);
      add(before[i], i, -1);
      moved = true;
    }
    return moved;
  }

  // The largest cosine of every row and the cosine to its own center.
  void find_nearest() {
    best_.assign(n_, -std::numeric_limits<double>::infinity());
    own_.assign(n_, 0);
    nearest_.assign(n_, kNone);
    for (int k = 0; k < count(); ++k) {
      if (sizes_[k] == 0) continue;
      poll_(n_);
      const double share = share_[k];
      const double* const products = &products_[std::size_t(k) * n_];
      for (Row i = 0; i < n_; ++i) {
        const double cosine = products[i] * share;
        nearest_[i] = cosine > best_[i] ? k : nearest_[i];
        best_[i] = cosine > best_[i] ? cosine : best_[i];
        own_[i] = label_[i] == k ? cosine : own_[i];
      }
    }
  }

  // The centers do not change; that of a newborn cluster is its first row.
  bool place_costly() {
    if (costly_.empty()) return false;
    const std::vector<double> products = products_, share = share_;
    std::vector<Row> founder(count(), kNone);
    bool moved = false;
    for (const Row i : costly_) {
      const auto fixed_cosine = [&](int k) {
        return founder[k] != kNone ? pairs(i)[founder[k]] : products[std::size_t(k) * n_ + i] * share[k];
      };
      if (!assign(i, fixed_cosine)) continue;
      founder.resize(count(), kNone);
      if (sizes_[label_[i]] == 1) founder[label_[i]] = i;
      moved = true;
    }
    return moved;
  }

  const float* gram_;
  Row n_;
  double tolerance_, birth_ = 0;
  std::vector<std::int32_t> label_;    // (n,)
  std::vector<std::int32_t> sizes_;    // (slots,)
  std::vector<double> squares_;        // (slots,) |A|^2
  std::vector<double> share_;          // (slots,) 1 / |A|
  std::vector<double> products_;       // (slots, n) x . A
  std::vector<int> free_;              // empty slots
  std::vector<double> best_, own_;     // (n,) cosines
  std::vector<std::int32_t> nearest_;  // (n,)
  std::vector<Row> costly_;
  Poll poll_;
};

}  // namespace dynmeans
