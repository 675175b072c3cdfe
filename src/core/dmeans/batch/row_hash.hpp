// Hash of the values of a row; equal rows have equal hashes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/dispatch.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

namespace hashing {

constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15ull;  // 2^64 / golden ratio, as in splitmix64
constexpr int kLanes = 4;                               // features of a row that are hashed side by side

template <class T>
void mix(std::uint64_t& h, T value) {
  value += T(0);  // -0 equals 0
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  h = (h ^ bits) * 0xff51afd7ed558ccdull;
  h ^= h >> 32;
}

// Hash of the features of a wide row that fill whole blocks.
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
      for (int l = 0; l < kFour; ++l) mix(*h, lane[l]);
  }
};

}  // namespace hashing

// in: row (d,)
template <class T>
std::uint64_t row_hash(const T* row, int d) {
  using namespace hashing;
  if constexpr (std::is_same_v<T, double>)
    if (d >= kWide) {
      std::uint64_t h = kSeed;
      run_wide(WideHash{row, d, &h});
      for (int j = d / kWide * kWide; j < d; ++j) mix(h, row[j]);
      return h;
    }
  if (d < kLanes) {
    std::uint64_t h = kSeed;
    for (int j = 0; j < d; ++j) mix(h, row[j]);
    return h;
  }
  std::uint64_t lanes[kLanes] = {kSeed, 1, 2, 3};  // independent chains, which run in parallel
  int j = 0;
  for (; j + kLanes <= d; j += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) mix(lanes[lane], row[j + lane]);
  for (; j < d; ++j) mix(lanes[0], row[j]);
  for (int lane = 1; lane < kLanes; ++lane) mix(lanes[0], lanes[lane]);
  return lanes[0];
}

}  // namespace dynmeans
