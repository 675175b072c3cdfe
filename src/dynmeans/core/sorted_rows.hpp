// Distinct rows in lexical order, each with the sum of the weights of its copies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace dynmeans {

struct SortedRows {
  std::vector<double> rows;         // (m, d)
  std::vector<double> weights;      // (m,)
  std::vector<std::int64_t> which;  // (n,)  distinct row of each row
};

// in: data (n, d), weights (n,) or null for ones
inline SortedRows sort_rows(const double* data, const double* weights, std::int64_t n, int d) {
  const auto compare = [&](std::int64_t i, std::int64_t j) {  // -1, 0 or 1
    for (int c = 0; c < d; ++c)
      if (data[i * d + c] != data[j * d + c]) return data[i * d + c] < data[j * d + c] ? -1 : 1;
    return 0;
  };
  using Key = std::pair<double, std::int64_t>;  // the first coordinate decides in most cases
  std::vector<Key> order(n);
  for (std::int64_t i = 0; i < n; ++i) order[i] = {d > 0 ? data[i * d] : 0.0, i};
  std::sort(order.begin(), order.end(), [&](const Key& a, const Key& b) {
    if (a.first != b.first) return a.first < b.first;
    const int lexical = compare(a.second, b.second);
    return lexical != 0 ? lexical < 0 : a.second < b.second;
  });
  SortedRows result;
  result.which.resize(n);
  result.rows.reserve(n * d);
  result.weights.reserve(n);
  for (std::int64_t s = 0; s < n; ++s) {
    const std::int64_t i = order[s].second;
    if (s == 0 || compare(order[s - 1].second, i) != 0) {
      result.rows.insert(result.rows.end(), data + i * d, data + (i + 1) * d);
      result.weights.push_back(0);
    }
    result.weights.back() += weights ? weights[i] : 1.0;
    result.which[i] = std::int64_t(result.weights.size()) - 1;
  }
  return result;
}

}  // namespace dynmeans
