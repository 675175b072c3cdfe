// Squared Euclidean distance. Wide rows use sixteen partial sums, so that additions do not wait for each
// other.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "simd/dispatch.hpp"

namespace dynmeans {

constexpr int kWide = 16;  // rows with at least this many features are wide

// A row of doubles as it is.
struct Plain {
  const double* x;

  double at(int j) const { return x[j]; }
  [[gnu::always_inline]] Four four(int j) const { return load_four(x + j); }
};

// A row as it lies in the batch, less the shift.
template <class T>
struct Shifted {
  const T* x;
  const T* shift;

  double at(int j) const { return x[j] - shift[j]; }
  [[gnu::always_inline]] Four four(int j) const {
    if constexpr (std::is_same_v<T, double>) return load_four(x + j) - load_four(shift + j);
    return Four{at(j), at(j + 1), at(j + 2), at(j + 3)};
  }
};

template <class Reader>
struct WideSquaredDistance {
  Reader row;
  const double* center;  // (d,)
  int d;
  double limit;     // a sum that exceeds it may stay unfinished
  double* squared;  // out

  [[gnu::always_inline]] void run() const {
    Four sums[kWide / kFour] = {};
    double total = 0;
    int j = 0;
    while (j + kWide <= d && total <= limit) {
      const int rest = std::min(j + kCheckEvery, d);
      for (; j + kWide <= rest; j += kWide)
        for (int q = 0; q < kWide / kFour; ++q) {
          const Four difference = row.four(j + q * kFour) - load_four(center + j + q * kFour);
          sums[q] += difference * difference;
        }
      const Four sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    for (; j < d && total <= limit; ++j) total += (row.at(j) - center[j]) * (row.at(j) - center[j]);
    *squared = total;
  }

 private:
  static constexpr int kCheckEvery = 5 * kWide;  // features between two comparisons of the sum with the limit
};

// Squared distance, or a lower bound that exceeds `limit`.
template <class Reader>
double squared_distance(Reader row, const double* center, int d,
                        double limit = std::numeric_limits<double>::infinity()) {
  double sum = 0;
  if (d >= kWide) {
    run_wide(WideSquaredDistance<Reader>{row, center, d, limit, &sum});
    return sum;
  }
  for (int j = 0; j < d; ++j) {
    const double difference = row.at(j) - center[j];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace dynmeans
