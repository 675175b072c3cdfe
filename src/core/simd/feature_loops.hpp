// Loops over the features of a row, with AVX2 for wide rows.
#pragma once

#include "simd/dispatch.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

// Calls work(j) for every feature; nothing may depend on their order.
template <class Work>
struct EachFeature {
  const Work& work;
  int d;

  [[gnu::always_inline]] void run() const {
    for (int j = 0; j < d; ++j) work(j);
  }
};

template <class Work>
void for_features(int d, const Work& work) {
  const EachFeature<Work> loop{work, d};
  d >= kWide ? run_wide(loop) : loop.run();
}

template <class T>
void copy_row(const double* from, T* to, int d) {
  for_features(d, [=](int j) __attribute__((always_inline)) { to[j] = static_cast<T>(from[j]); });
}

// sum = m y, as if added to zero
inline void set_row(double* sum, const double* y, double m, int d) {
  for_features(d, [=](int j) __attribute__((always_inline)) { sum[j] = 0.0 + m * y[j]; });
}

// sum += m y
inline void add_row(double* sum, const double* y, double m, int d) {
  for_features(d, [=](int j) __attribute__((always_inline)) { sum[j] += m * y[j]; });
}

}  // namespace dynmeans
