// Merge equal rows, such as pixels of one color, into one row with the sum of their weights.
#pragma once

#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "dmeans/batch_view.hpp"
#include "simd/avx2_dispatch.hpp"
#include "support/signals.hpp"

namespace dynmeans {

template <class T>
struct Distinct {
  std::vector<T> rows;           // (m, d) in the order of first appearance
  std::vector<double> weights;   // (m,)
  std::vector<std::int32_t> of;  // (n,) which distinct row each row is
};

namespace repeats {

constexpr Row kAlwaysLook = 4096;  // batches up to this size are searched whole
constexpr Row kSample = 1024;      // of larger ones so many rows are searched first
constexpr int kLanes = 4;          // features of a row that are hashed side by side

template <class T>
void stir(std::uint64_t& h, T value) {
  value += T(0);  // -0 equals 0
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  h = (h ^ bits) * 0xff51afd7ed558ccdull;
  h ^= h >> 32;
}

// Of the features of a wide row that fill whole blocks.
struct WideHash {
  const double* row;
  int d;
  std::uint64_t* h;  // in, out

  [[gnu::always_inline]] void run() const {
    FourBits lanes[kWide / kFour] = {};
    for (int j = 0; j + kWide <= d; j += kWide)
      for (int q = 0; q < kWide / kFour; ++q) {
        const Four value = load_four(row + j + q * kFour) + Four{};  // -0 equals 0
        lanes[q] = (lanes[q] << 5 | lanes[q] >> 59) ^ FourBits(value);
      }
    for (const FourBits& lane : lanes)
      for (int l = 0; l < kFour; ++l) stir(*h, lane[l]);
  }
};

template <class T>
std::uint64_t hash(const T* row, int d) {
  if constexpr (std::is_same_v<T, double>)
    if (d >= kWide) {
      std::uint64_t h = 0x9e3779b97f4a7c15ull;
      run_wide(WideHash{row, d, &h});
      for (int j = d / kWide * kWide; j < d; ++j) stir(h, row[j]);
      return h;
    }
  std::uint64_t lanes[kLanes] = {0x9e3779b97f4a7c15ull, 1, 2, 3};  // do not wait for each other
  int j = 0;
  for (; j + kLanes <= d; j += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) stir(lanes[lane], row[j + lane]);
  for (; j < d; ++j) stir(lanes[0], row[j]);
  for (int lane = 1; lane < kLanes && d >= kLanes; ++lane) stir(lanes[0], lanes[lane]);
  return lanes[0];
}

template <class T>
bool equal(const T* a, const T* b, int d) {
  for (int j = 0; j < d; ++j)
    if (a[j] != b[j]) return false;
  return true;
}

// Numbers the distinct ones of some rows in order of first appearance: open addressing, half full at most.
template <class T, class RowAt, class Found>
std::int32_t number(std::int64_t count, int d, RowAt row_at, Found found) {
  std::size_t size = 16;
  while (size < 2 * static_cast<std::size_t>(count)) size *= 2;
  std::vector<std::int32_t> table(size, -1);
  std::vector<std::int64_t> first;
  Poll poll;
  for (std::int64_t i = 0; i < count; ++i) {
    poll(16 + d);  // a row that is not in the cache takes longer than a few multiplications
    const T* row = row_at(i);
    std::size_t at = hash(row, d) & (size - 1);
    while (table[at] >= 0 && !equal(row_at(first[table[at]]), row, d)) at = (at + 1) & (size - 1);
    const bool is_new = table[at] < 0;
    if (is_new) {
      table[at] = static_cast<std::int32_t>(first.size());
      first.push_back(i);
    }
    found(i, table[at], is_new);
  }
  return static_cast<std::int32_t>(first.size());
}

}  // namespace repeats

// Merges equal rows if at least half of the rows go away, or a quarter of a sample of a large batch.
// A row of weight m >= 1 stands for m copies that decide alike, so merging them changes no decision;
// fractions of a point decide for themselves, and are left alone.
template <class T>
std::optional<Distinct<T>> deduplicate(const T* data, const double* weights, Row n, int d) {
  using namespace repeats;
  for (Row i = 0; weights && i < n; ++i)
    if (weights[i] < 1) return std::nullopt;
  if (n > kAlwaysLook) {
    const auto sampled = [&](std::int64_t s) { return data + (s * n / kSample) * d; };
    if (number<T>(kSample, d, sampled, [](auto, auto, auto) {}) == kSample) return std::nullopt;
  }
  Distinct<T> distinct;
  distinct.of.resize(n);
  const auto row_at = [&](std::int64_t i) { return data + i * d; };
  const Row most = n > kAlwaysLook ? n / 2 : n - 1;
  const auto count = number<T>(n, d, row_at, [&](Row i, std::int32_t k, bool is_new) {
    distinct.of[i] = k;
    if (is_new) distinct.weights.push_back(0);
    distinct.weights[k] += weights ? weights[i] : 1;
  });
  if (count > most) return std::nullopt;
  distinct.rows.resize(static_cast<std::size_t>(count) * d);
  for (Row i = 0; i < n; ++i)
    std::copy_n(row_at(i), d, distinct.rows.data() + static_cast<std::size_t>(distinct.of[i]) * d);
  return distinct;
}

}  // namespace dynmeans
