// Sums of rows that do not depend on the order of the rows: reproducible summation by pre-rounding (Demmel
// and Nguyen 2013).
//
// With |v| <= 2^e for all terms and at most 2^k terms, adding and subtracting 1.5 * 2^52 * g, where
// g = 2^(e + k - 52), rounds v to a multiple of g. Sums of such multiples are exact in double precision, in
// any order. The remainder, at most g / 2, is summed in the same way in the next fold. A sum is an array of
// such folds: rows that leave are subtracted exactly, and sums of parts of a batch are merged by adding the
// folds. The last fold drops the remainder below its grid: see kBitsOfLargest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "simd/feature_loops.hpp"
#include "simd/vector.hpp"

namespace dynmeans {

// Largest and smallest absolute value of each column of some terms, zeros left out.
struct ColumnExtent {
  std::vector<double> largest;   // (columns,) 0 if there are none
  std::vector<double> smallest;  // (columns,) infinity if there are none

  explicit ColumnExtent(int columns)
      : largest(columns), smallest(columns, std::numeric_limits<double>::infinity()) {}

  // Sizes of one more row of terms: size_of(j) >= 0.
  template <class SizeOf>
  void extend(const SizeOf& size_of) {
    double *const high = largest.data(), *const low = smallest.data();
    for_features(int(largest.size()), [=](int j) __attribute__((always_inline)) {
      const double size = size_of(j);
      high[j] = size > high[j] ? size : high[j];
      low[j] = size < low[j] && size > 0 ? size : low[j];
    });
  }

  void merge(const ColumnExtent& other) {
    for (std::size_t j = 0; j < largest.size(); ++j) {
      largest[j] = std::max(largest[j], other.largest[j]);
      smallest[j] = std::min(smallest[j], other.smallest[j]);
    }
  }
};

class SumGrid {
 public:
  // Grid of sums of whole numbers, whose absolute values add up to less than 2^52.
  static SumGrid of_counts() {
    SumGrid grid;
    grid.n_columns_ = grid.n_folds_ = 1;
    grid.anchors_ = {anchor(0)};
    return grid;
  }

  SumGrid() = default;
  SumGrid(const ColumnExtent& extent, std::int64_t n_terms) : n_columns_(int(extent.largest.size())) {
    const int k = std::max(2, int(std::bit_width(std::uint64_t(n_terms)))), bits_per_fold = 53 - k;
    for (int j = 0; j < n_columns_; ++j) {
      const int e = exponent_above(extent.largest[j]);
      const int finest = std::max(
          kFinest, std::min(e - kBitsOfLargest, exponent_below(extent.smallest[j]) - kBitsOfSmallest));
      n_folds_ = std::max(n_folds_, (e - finest + bits_per_fold) / bits_per_fold);
    }
    anchors_.resize(size());
    for (int f = 0; f < n_folds_; ++f)
      for (int j = 0; j < n_columns_; ++j)
        anchors_[std::size_t(f) * n_columns_ + j] =
            anchor(std::max(kFinest, exponent_above(extent.largest[j]) - (f + 1) * bits_per_fold + 1));
  }

  // Numbers of one sum: (folds, columns).
  std::size_t size() const { return std::size_t(n_folds_) * n_columns_; }

  // sum (folds, columns) += m y, where y is (columns,); adding -m y undoes it exactly
  void add(const double* y, double m, double* sum) const {
    const int columns = n_columns_, folds = n_folds_;
    const double* const anchor = anchors_.data();
    if (folds == 2) {
      if (columns == 2) return TwoFolds<TwoColumns>{y, anchor, sum, m, 2}(0);
      if (columns == 3) return EachFeature<TwoFolds<OneColumn>>{{y, anchor, sum, m, 3}, 3}.run();
      return for_features(columns, TwoFolds<OneColumn>{y, anchor, sum, m, columns});
    }
    for (int j = 0; j < columns; ++j) {
      double rest = m * y[j];
      for (int at = j; at < folds * columns; at += columns) {
        const double part = (rest + anchor[at]) - anchor[at];
        sum[at] += part;
        rest -= part;
      }
    }
  }

  // The same for a single column.
  void add_number(double number, double* sum) const {
    if (n_folds_ > 1) return add(&number, 1.0, sum);
    sum[0] += (number + anchors_[0]) - anchors_[0];
  }

  // sum += other; both (folds, columns)
  void merge(const double* other, double* sum) const {
    for_features(int(size()), [=](int at) __attribute__((always_inline)) { sum[at] += other[at]; });
  }

  // out (columns,): the folds of a sum in one number each
  void total(const double* sum, double* out) const {
    const int columns = n_columns_, last = (n_folds_ - 1) * columns;
    for_features(columns, [=](int j) __attribute__((always_inline)) {
      double total = sum[last + j];
      for (int at = last - columns; at >= 0; at -= columns) total += sum[at + j];
      out[j] = total;
    });
  }

 private:
  // Members, because a template argument would lose the alignment of a vector type.
  struct OneColumn {
    typedef double Values;
  };
  struct TwoColumns {
    typedef Two Values;
  };

  // One or two columns of a row that are added to both of two folds.
  template <class Columns>
  struct TwoFolds {
    typedef typename Columns::Values V;

    const double* y;       // (columns,)
    const double* anchor;  // (2, columns)
    double* sum;           // (2, columns)
    double m;
    int columns;

    [[gnu::always_inline]] void operator()(int j) const {
      const auto load = [](const double* x) { return *reinterpret_cast<const V*>(x); };
      const V first = load(anchor + j), second = load(anchor + columns + j), term = m * load(y + j),
              high = (term + first) - first, low = ((term - high) + second) - second;
      *reinterpret_cast<V*>(sum + j) += high;
      *reinterpret_cast<V*>(sum + columns + j) += low;
    }
  };

  static constexpr int kFinest = -1074;  // every double is a multiple of 2^-1074
  // The last fold reaches 2^-54 times the largest term and 2^-32 times the smallest one. Terms that happen to
  // be near zero keep 32 bits, and all terms keep 53 bits where a few outliers are much larger than the rest.
  static constexpr int kBitsOfLargest = 54, kBitsOfSmallest = 32;

  // Rounds to multiples of 2^exponent when added and subtracted; exponent >= kFinest.
  static double anchor(int exponent) {
    const int shown = std::min(exponent + 52, 1023) + 1023;
    return std::bit_cast<double>(std::uint64_t(shown) << 52 | std::uint64_t(1) << 51);
  }

  static int exponent_bits(double x) { return int(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff); }
  // e with x <= 2^e, for x >= 0
  static int exponent_above(double x) { return std::max(exponent_bits(x), 1) - 1022; }
  // e with x >= 2^e, for x > 0
  static int exponent_below(double x) { return exponent_bits(x) ? exponent_bits(x) - 1023 : kFinest; }

  int n_columns_ = 0, n_folds_ = 1;
  std::vector<double> anchors_;  // (folds, columns) 1.5 * 2^52 * g
};

}  // namespace dynmeans
