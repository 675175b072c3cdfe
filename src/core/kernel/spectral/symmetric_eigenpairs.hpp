// Eigenpairs of a symmetric matrix above a threshold, by LAPACK.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/lapack.hpp"

namespace dynmeans {

struct Eigenpairs {
  std::vector<double> values;   // (c,)  descending
  std::vector<double> vectors;  // (n, c)  of unit length, one per column

  // The first count of them.
  void keep(int count) {
    const std::size_t c = values.size(), n = vectors.size() / c;
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(vectors.begin() + i * c, count, vectors.begin() + i * count);
    values.resize(count);
    vectors.resize(n * count);
  }
};

class SymmetricMatrix {
  static constexpr int kTiny = 40;  // up to this size, computing all eigenpairs is faster than computing some

 public:
  // in: matrix (n, n), of which one triangle is read
  SymmetricMatrix(std::vector<double> matrix, int n, const Lapack& lapack)
      : n_(n), matrix_(std::move(matrix)), lapack_(lapack), values_(n) {}

  // All eigenpairs above the threshold, and at least `at_least`.
  Eigenpairs above(double threshold, int at_least) {
    for (const double x : matrix_)  // LAPACK does not terminate, or finds nothing, on NaN
      if (!std::isfinite(x)) throw std::invalid_argument("the matrix of the relaxed problem overflows");
    if (n_ <= kTiny) {
      all();
      const auto first = std::upper_bound(values_.begin(), values_.end(), threshold);
      return descending(n_, std::max(int(values_.end() - first), at_least));
    }
    const std::vector<double> kept = matrix_;
    int found = range('V', threshold, 0);
    if (found < at_least) {
      matrix_ = kept;
      found = range('I', 0, n_ - at_least + 1);
      if (found < at_least) check(1);
    }
    return descending(found, found);
  }

 private:
  void all() {
    char vectors = 'V', triangle = 'L';
    int info = 0, n_work = 36 * n_;
    std::vector<double> work(n_work);
    lapack_.dsyev(&vectors, &triangle, &n_, matrix_.data(), &n_, values_.data(), work.data(), &n_work, &info);
    check(info);
    vectors_ = std::move(matrix_);
  }

  // 'V': values above the threshold; 'I': those from number `first` on, counted from 1, ascending. Returns
  // their number.
  int range(char which, double threshold, int first) {
    char vectors = 'V', triangle = 'L';
    double high = std::numeric_limits<double>::infinity(), tolerance = 0;
    int info = 0, found = 0, last = n_, n_work = 70 * n_, n_more = 10 * n_;
    std::vector<double> work(n_work);
    std::vector<int> more(n_more), support(2 * n_);
    vectors_.resize(std::size_t(n_) * n_);
    lapack_.dsyevr(&vectors, &which, &triangle, &n_, matrix_.data(), &n_, &threshold, &high, &first, &last,
                   &tolerance, &found, values_.data(), vectors_.data(), &n_, support.data(), work.data(),
                   &n_work, more.data(), &n_more, &info);
    check(info);
    return found;
  }

  static void check(int info) {
    if (info != 0) throw std::runtime_error("the eigenvalues did not converge");
  }

  // The last `count` of the pairs found, which LAPACK returns in ascending order.
  Eigenpairs descending(int found, int count) const {
    Eigenpairs out{std::vector<double>(count), std::vector<double>(std::size_t(n_) * count)};
    for (int c = 0; c < count; ++c) {
      out.values[c] = values_[found - 1 - c];
      const double* vector = &vectors_[std::size_t(found - 1 - c) * n_];
      for (int i = 0; i < n_; ++i) out.vectors[std::size_t(i) * count + c] = vector[i];
    }
    return out;
  }

  int n_;
  std::vector<double> matrix_;  // (n, n)
  const Lapack& lapack_;
  std::vector<double> values_, vectors_;  // (n,) ascending; (n, n) one vector per line
};

}  // namespace dynmeans
