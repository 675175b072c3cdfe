// Random numbers that are a function of (seed, step, restart) only.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace dynmeans {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t step, std::uint64_t restart)
      : state_(mix(mix(mix(seed) ^ step) ^ restart)) {}

  // Uniform in 0 .. n-1, for n below 2^32; the bias of at most n / 2^64 is negligible.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }

  // Uniform in [0, 1), in steps of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Standard normal (Marsaglia's polar method); the second one is kept for the next call.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, s;
    do {
      u = 2 * uniform() - 1;
      v = 2 * uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }

  template <class V>
  void shuffle(std::vector<V>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  // splitmix64 (Steele, Lea, Flood 2014)
  static std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ull); }

  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace dynmeans
