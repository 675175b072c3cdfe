// Distinct rows in lexicographic order, each with the sum of the weights of its copies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support/signals.hpp"

namespace dynmeans {

struct UniqueRows {
  std::vector<double> rows;         // (m, d)
  std::vector<double> weights;      // (m,)
  std::vector<std::int64_t> which;  // (n,)  distinct row of each row
};

class UniqueRowSorter {
  using Row = std::int64_t;
  using Key = std::pair<double, Row>;  // the first coordinate decides in most cases

 public:
  // in: data (n, d), weights (n,) or null for ones
  UniqueRowSorter(const double* data, const double* weights, Row n, int d)
      : data_(data), weights_(weights), n_(n), d_(d), order_(n) {}

  UniqueRows run() {
    sort();
    UniqueRows result;
    result.which.resize(n_);
    result.rows.reserve(n_ * d_);
    result.weights.reserve(n_);
    for (Row s = 0; s < n_; ++s) {
      const Row i = order_[s].second;
      if (s == 0 || compare(order_[s - 1].second, i) != 0) {
        result.rows.insert(result.rows.end(), data_ + i * d_, data_ + (i + 1) * d_);
        result.weights.push_back(0);
      }
      result.weights.back() += weights_ ? weights_[i] : 1.0;
      result.which[i] = Row(result.weights.size()) - 1;
    }
    return result;
  }

 private:
  double first(Row i) const { return d_ > 0 ? data_[i * d_] : 0.0; }

  // -1, 0 or 1
  int compare(Row i, Row j) const {
    for (int c = 0; c < d_; ++c)
      if (data_[i * d_ + c] != data_[j * d_ + c]) return data_[i * d_ + c] < data_[j * d_ + c] ? -1 : 1;
    return 0;
  }

  bool is_before(const Key& a, const Key& b) const {
    poll_(16);
    if (a.first != b.first) return a.first < b.first;
    const int lexical = compare(a.second, b.second);
    return lexical != 0 ? lexical < 0 : a.second < b.second;
  }

  // As many bins of equal width as rows, in the first coordinate. Most bins have few rows, which leaves few
  // comparisons; the branch predictor cannot predict them. In the worst case all rows are in one bin.
  void sort() {
    const std::vector<Row> bins = bins_of_rows();
    std::vector<Row> begin(n_ + 1);
    for (const Row bin : bins) ++begin[bin + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Row> next(begin.begin(), begin.end() - 1);
    for (Row i = 0; i < n_; ++i) order_[next[bins[i]]++] = {first(i), i};
    for (Row bin = 0; bin < n_; ++bin)
      if (begin[bin + 1] - begin[bin] > 1)
        std::sort(order_.begin() + begin[bin], order_.begin() + begin[bin + 1],
                  [this](const Key& a, const Key& b) { return is_before(a, b); });
  }

  // A larger coordinate never has a smaller bin, also after rounding.
  std::vector<Row> bins_of_rows() const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Row i = 0; i < n_; ++i) {
      low = std::min(low, first(i));
      high = std::max(high, first(i));
    }
    const double density = double(n_) / (high - low);
    std::vector<Row> bins(n_);
    if (!(density > 0 && std::isfinite(density))) return bins;  // all are equal, or too far apart
    for (Row i = 0; i < n_; ++i) bins[i] = Row(std::min((first(i) - low) * density, double(n_ - 1)));
    return bins;
  }

  const double *data_, *weights_;
  Row n_;
  int d_;
  std::vector<Key> order_;
  mutable Poll poll_;
};

}  // namespace dynmeans
