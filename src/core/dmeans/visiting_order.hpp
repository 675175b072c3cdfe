// Order in which the first pass visits the rows: a function of the seed alone.
#pragma once

#include <numeric>
#include <vector>

#include "dmeans/batch_view.hpp"
#include "support/random.hpp"

namespace dynmeans {

class VisitingOrder {
 public:
  VisitingOrder(Row n, Random& random) : n_(n) {
    if (n <= kShuffled) {
      rows_.resize(n);
      std::iota(rows_.begin(), rows_.end(), Row(0));
      random.shuffle(rows_);
      return;
    }
    stride_ = n / 4 + Row(random.below(n / 2));
    while (std::gcd(stride_, n) != 1) ++stride_;
    start_ = Row(random.below(n));
  }

  Row size() const { return n_; }
  Row operator[](Row visit) const { return rows_.empty() ? (start_ + visit * stride_) % n_ : rows_[visit]; }

 private:
  static constexpr Row kShuffled = 65536;  // larger batches are visited in great strides instead

  Row n_, start_ = 0, stride_ = 0;
  std::vector<Row> rows_;  // (n,) or empty
};

}  // namespace dynmeans
