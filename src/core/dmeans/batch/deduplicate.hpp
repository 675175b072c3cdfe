// Merge equal rows, such as pixels of one color, into one row with the sum of their weights.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/batch/row_hash.hpp"
#include "simd/reproducible_sum.hpp"
#include "support/signals.hpp"

namespace dynmeans {

template <class T>
struct Distinct {
  std::vector<T> rows;           // (m, d) in the order of first appearance
  std::vector<double> weights;   // (m,)
  std::vector<std::int32_t> of;  // (n,) which distinct row each row is
};

namespace deduplication {

constexpr Row kAlwaysSearch = 4096;  // batches up to this size are searched whole
constexpr Row kSample = 1024;        // sample of a larger batch that is searched first

template <class T>
bool equal(const T* a, const T* b, int d) {
  for (int j = 0; j < d; ++j)
    if (a[j] != b[j]) return false;
  return true;
}

// Numbers distinct rows in order of first appearance: open addressing, at most half full. Calls found(i, k)
// for every row i with the number k of its distinct row.
template <class T, class RowAt, class Found>
std::int32_t number(std::int64_t count, int d, RowAt row_at, Found found) {
  std::size_t size = 16;
  while (size < 2 * static_cast<std::size_t>(count)) size *= 2;
  std::vector<std::int32_t> table(size, -1);
  std::vector<std::int64_t> first;
  first.reserve(std::min<std::int64_t>(count, kAlwaysSearch));
  Poll poll;
  for (std::int64_t i = 0; i < count; ++i) {
    poll(16 + d);  // a row that is not in the cache takes longer than a few multiplications
    const T* row = row_at(i);
    std::size_t at = row_hash(row, d) & (size - 1);
    while (table[at] >= 0 && !equal(row_at(first[table[at]]), row, d)) at = (at + 1) & (size - 1);
    if (table[at] < 0) {
      table[at] = static_cast<std::int32_t>(first.size());
      first.push_back(i);
    }
    found(i, table[at]);
  }
  return static_cast<std::int32_t>(first.size());
}

}  // namespace deduplication

// Merges equal rows of a small batch, or of a large one if this removes at least half of its rows. A row of
// weight m >= 1 stands for m copies with the same label, so merging changes no label. Rows of weight below 1
// are decided one by one, so batches with such rows are not merged.
template <class T>
std::optional<Distinct<T>> deduplicate(const T* data, const double* weights, Row n, int d) {
  using namespace deduplication;
  for (Row i = 0; weights && i < n; ++i)
    if (weights[i] < 1) return std::nullopt;
  if (n > kAlwaysSearch) {
    const auto sampled = [&](std::int64_t s) { return data + (s * n / kSample) * d; };
    if (number<T>(kSample, d, sampled, [](auto, auto) {}) == kSample) return std::nullopt;
  }
  Distinct<T> distinct;
  distinct.of.resize(n);
  const auto row_at = [&](std::int64_t i) { return data + i * d; };
  const Row limit = n > kAlwaysSearch ? n / 2 : n - 1;
  const auto count = number<T>(n, d, row_at, [&](Row i, std::int32_t k) { distinct.of[i] = k; });
  if (count > limit) return std::nullopt;
  const SumGrid grid = weight_grid(weights, n);
  std::vector<double> sums(count * grid.size());  // (distinct, folds) of weights
  for (Row i = 0; i < n; ++i) {
    const double m = weights ? weights[i] : 1;
    grid.add(&m, 1.0, &sums[distinct.of[i] * grid.size()]);
  }
  distinct.weights.resize(count);
  for (std::int32_t k = 0; k < count; ++k) grid.total(&sums[k * grid.size()], &distinct.weights[k]);
  distinct.rows.resize(static_cast<std::size_t>(count) * d);
  for (Row i = 0; i < n; ++i)
    std::copy_n(row_at(i), d, distinct.rows.data() + static_cast<std::size_t>(distinct.of[i]) * d);
  return distinct;
}

// Result of a descent with equal rows merged, with the slots of all rows. `descend` takes rows, weights or
// null, and the number of rows.
template <class T, class Descend>
auto descend_distinct(const T* data, const double* weights, Row n, int d, const Descend& descend) {
  const auto distinct = deduplicate(data, weights, n, d);
  if (!distinct) return descend(data, weights, n);
  auto result = descend(distinct->rows.data(), distinct->weights.data(), Row(distinct->weights.size()));
  std::vector<std::int32_t> slots(n);
  for (Row i = 0; i < n; ++i) slots[i] = result.slots[distinct->of[i]];
  result.slots = std::move(slots);
  return result;
}

}  // namespace dynmeans
