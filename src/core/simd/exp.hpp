// exp(-x) of four numbers: range reduction to |f| <= ln 2 / 2, then a Taylor polynomial (Cody and Waite
// 1980).
//
// Two precisions, because each has its use. Kernel matrices need all digits: exp_minus. The alignment of old
// clusters computes one exponential per row, support point and iteration, and seven digits suffice there:
// coarse_exp_minus has half the terms.
#pragma once

#include "simd/vector.hpp"

namespace dynmeans {

constexpr double kLog2E = 1.4426950408889634;
// 1.5 * 2^52: adding it rounds to an integer, which is then in the low bits.
constexpr double kRoundToInteger = 6755399441055744.0;

// 2^k, where `shifted` is k + kRoundToInteger and 2^k is a normal number.
[[gnu::always_inline]] inline Four power_of_two(Four shifted) {
  return Four((FourBits(shifted) + 1023) << 52);
}

// exp(-x) for x >= 0, accurate to the last digits; 0 for x >= 708, where it is below every normal number.
[[gnu::always_inline]] inline Four exp_minus(Four x) {
  constexpr double kSmallest = 708.0;
  // ln 2 in two parts; the first has trailing zeros, so that its product with k is exact.
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  const Four limit = Four{} + kSmallest;
  const Four t = x < limit ? -x : -limit;
  const Four shifted = t * kLog2E + kRoundToInteger;
  const Four k = shifted - kRoundToInteger;
  const Four f = (t - k * kLn2High) - k * kLn2Low;
  const Four f2 = f * f, f4 = f2 * f2, f8 = f4 * f4;
  const Four low = (1.0 + f) + f2 * (1.0 / 2 + f * (1.0 / 6));
  const Four mid = (1.0 / 24 + f * (1.0 / 120)) + f2 * (1.0 / 720 + f * (1.0 / 5040));
  const Four high = (1.0 / 40320 + f * (1.0 / 362880)) + f2 * (1.0 / 3628800 + f * (1.0 / 39916800));
  const Four top = 1.0 / 479001600 + f * (1.0 / 6227020800);
  const Four series = (low + f4 * mid) + f8 * (high + f4 * top);
  return x < limit ? series * power_of_two(shifted) : Four{};
}

// exp(-x) for x >= 0, accurate to seven digits; exp(-700) for x >= 700.
[[gnu::always_inline]] inline Four coarse_exp_minus(Four x) {
  constexpr double kLn2 = 0.6931471805599453;
  const Four limit = Four{} + 700.0;
  const Four t = (x < limit ? x : limit) * -kLog2E;
  const Four shifted = t + kRoundToInteger;
  const Four f = (t - (shifted - kRoundToInteger)) * kLn2;
  const Four series =
      1.0 + f * (1.0 + f * (1.0 / 2 + f * (1.0 / 6 + f * (1.0 / 24 + f * (1.0 / 120 + f * (1.0 / 720))))));
  return series * power_of_two(shifted);
}

}  // namespace dynmeans
