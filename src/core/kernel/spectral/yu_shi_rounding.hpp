// Round unit rows to clusters (Yu and Shi 2003): alternate between nearest axes and the best rotation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "support/lapack.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct UnitRows {
  const double* rows;     // (R, c)  of unit length, or 0
  const double* lengths;  // (R,)  0 for rows that are 0
  const double* weights;  // m (R,)
  int n, c;               // R
};

struct Rounded {
  std::vector<std::int64_t> labels;  // (R,)  0 .. L-1 by first appearance
  int n_iter;
  double mean_cosine;  // mean cosine of rows and their axes, by weight
};

class YuShiRounding {
  using Labels = std::vector<std::int64_t>;

 public:
  YuShiRounding(const UnitRows& view, const Lapack& lapack)
      : view_(view), lapack_(lapack), scores_(size(view.n)) {}

  // Alternates while the distance of the rows from the axes decreases.
  Rounded run(int first, int max_iter) {
    Labels labels = nearest_axes(most_orthogonal_rows(first));
    double best = 0;
    int n_iter = 0;
    for (bool falls = true; falls && n_iter < max_iter; ++n_iter) {
      poll_(8 * std::int64_t(view_.n) * view_.c + 20 * std::int64_t(view_.c) * view_.c * view_.c);
      const Singular fit = singular(lapack_, overlap(labels), view_.c);
      const double agreement = std::accumulate(fit.values.begin(), fit.values.end(), 0.0);
      Labels nearest = nearest_axes(rotation(fit));
      falls = agreement > best && nearest != labels;
      labels = std::move(nearest);
      best = agreement;
    }
    return {by_first_appearance(labels), n_iter,
            best / std::accumulate(view_.weights, view_.weights + view_.n, 0.0)};
  }

 private:
  std::size_t size(int lines) const { return std::size_t(lines) * view_.c; }
  const double* row(int r) const { return view_.rows + size(r); }

  // Initial U (c, c): its columns are rows, each the most orthogonal to those before it.
  std::vector<double> most_orthogonal_rows(int first) {
    const int c = view_.c;
    std::vector<double> axes(size(c)), similarity(view_.n);
    for (int r = 0; r < view_.n; ++r)
      if (!(view_.lengths[r] > 0)) similarity[r] = std::numeric_limits<double>::infinity();
    for (int a = 0; a < c; ++a) {
      poll_(std::int64_t(view_.n) * c);
      for (int i = 0; i < c; ++i) axes[size(i) + a] = row(first)[i];
      for (int r = 0; r < view_.n && a + 1 < c; ++r)
        similarity[r] += std::abs(std::inner_product(row(r), row(r) + c, row(first), 0.0));
      first = int(std::min_element(similarity.begin(), similarity.end()) - similarity.begin());
    }
    return axes;
  }

  // Eq. (XUpdate): assign every row to its nearest axis.
  Labels nearest_axes(std::vector<double> rotation) {
    const int c = view_.c;
    multiply(lapack_, const_cast<double*>(view_.rows), rotation.data(), view_.n, c, c, scores_.data());
    Labels labels(view_.n);
    for (int r = 0; r < view_.n; ++r) {
      const double* scores = &scores_[size(r)];
      labels[r] = std::max_element(scores, scores + c) - scores;
    }
    return labels;
  }

  // X'V (c, c), where a row of weight m counts m times.
  std::vector<double> overlap(const Labels& labels) const {
    std::vector<double> sums(size(view_.c));
    for (int r = 0; r < view_.n; ++r)
      for (int i = 0; i < view_.c; ++i) sums[size(int(labels[r])) + i] += view_.weights[r] * row(r)[i];
    return sums;
  }

  // Eq. (UUpdate): the squared distance between indicators X and rows V U is a constant less twice the sum of
  // the singular values of X'V = left diag right, for U = right' left'.
  std::vector<double> rotation(const Singular& fit) const {
    const int c = view_.c;
    std::vector<double> product(size(c)), transposed(size(c));
    multiply(lapack_, const_cast<double*>(fit.left.data()), const_cast<double*>(fit.right.data()), c, c, c,
             product.data());
    for (int i = 0; i < c; ++i)
      for (int a = 0; a < c; ++a) transposed[size(i) + a] = product[size(a) + i];
    return transposed;
  }

  Labels by_first_appearance(Labels labels) const {
    Labels number(view_.c, -1);
    std::int64_t count = 0;
    for (std::int64_t& label : labels) {
      if (number[label] < 0) number[label] = count++;
      label = number[label];
    }
    return labels;
  }

  UnitRows view_;
  Lapack lapack_;
  std::vector<double> scores_;  // (R, c)
  Poll poll_;
};

}  // namespace dynmeans
