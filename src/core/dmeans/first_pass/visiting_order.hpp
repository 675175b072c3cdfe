// Order in which the first pass visits the rows: a function of the seed alone.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "support/random.hpp"

namespace dynmeans {

class VisitingOrder {
 public:
  VisitingOrder(Row n, Random& random) : n_(n) {
    if (n <= kShuffled) {
      rows_.resize(n);
      std::iota(rows_.begin(), rows_.end(), std::uint16_t(0));
      random.shuffle(rows_);
      return;
    }
    stride_ = n / 4 + Row(random.below(n / 2));
    while (std::gcd(stride_, n) != 1) ++stride_;
    start_ = Row(random.below(n));
  }

  // Calls take(row, visit) for each of the rows begin .. end - 1 that is visited as first .. last - 1.
  template <class Take>
  void for_visits(Row begin, Row end, Row first, Row last, const Take& take) const {
    if (!rows_.empty()) {
      for (Row visit = first; visit < last; ++visit)
        if (rows_[visit] >= begin && rows_[visit] < end) take(Row(rows_[visit]), visit);
      return;
    }
    const Row step = inverse_stride();  // between the visits of two consecutive rows
    Row visit = Row(static_cast<unsigned __int128>((begin - start_ + n_) % n_) * step % n_);
    for (Row i = begin; i < end; ++i) {
      if (visit >= first && visit < last) take(i, visit);
      visit = visit >= n_ - step ? visit - (n_ - step) : visit + step;
    }
  }

  Row size() const { return n_; }
  Row operator[](Row visit) const { return rows_.empty() ? (start_ + visit * stride_) % n_ : rows_[visit]; }

 private:
  // Extended Euclidean algorithm.
  Row inverse_stride() const {
    Row a = stride_, b = n_, x = 1, y = 0;
    while (b != 0) {
      const Row quotient = a / b;
      a = std::exchange(b, a - quotient * b);
      x = std::exchange(y, x - quotient * y);
    }
    return x < 0 ? x + n_ : x;
  }

  // Larger batches are visited with a constant stride. Numbers of 16 bits stay in the cache of a core.
  static constexpr Row kShuffled = 65536;

  Row n_, start_ = 0, stride_ = 0;
  std::vector<std::uint16_t> rows_;  // (n,) or empty
};

}  // namespace dynmeans
