// Exact sum of doubles that are not negative, rounded once: the small superaccumulator of Neal (2015).
//
// The sum is a number in base 2^32 whose digits have 128 bits, so additions need no carries. It does not
// depend on the order of the terms, and sums of parts are merged by adding the digits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace dynmeans {

class ExactSum {
 public:
  void add(double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const int exponent = int(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
      overflow_ += x;
      return;
    }
    const std::uint64_t fraction = bits & kFraction,
                        mantissa = exponent ? fraction | (kFraction + 1) : fraction;
    const int position = exponent ? exponent - 1 : 0;
    digits_[position / 32] += static_cast<Wide>(mantissa) << position % 32;
  }

  void merge(const ExactSum& other) {
    for (std::size_t i = 0; i < kDigits; ++i) digits_[i] += other.digits_[i];
    overflow_ += other.overflow_;
  }

  static constexpr std::size_t kDigits = 68;  // 2,176 bits: the 2,098 of all doubles, and carries
  using Digits = std::array<std::uint64_t, kDigits>;

  // The digits of the sum, each below 2^32: the digits of a few sums may be added without a carry.
  Digits digits() const {
    Digits carried;
    Wide over = 0;
    for (std::size_t i = 0; i < kDigits; ++i) {
      over += digits_[i];
      carried[i] = static_cast<std::uint64_t>(over) & kDigit;
      over >>= 32;
    }
    return carried;
  }
  static ExactSum of_digits(const std::uint64_t* digits) {
    ExactSum sum;
    std::copy_n(digits, kDigits, sum.digits_.begin());
    return sum;
  }

  // The sum rounded to the nearest double.
  double value() const { return rounded(digits()) + overflow_; }

 private:
  using Wide = unsigned __int128;  // a term has 84 bits: room for 2^44 of them

  static constexpr std::uint64_t kFraction = (std::uint64_t(1) << 52) - 1, kDigit = 0xffffffff;

  // The leading 64 bits, the last of them set if anything follows.
  static double rounded(const Digits& digits) {
    int top = int(digits.size()) - 1;
    while (top > 0 && digits[top] == 0) --top;
    if (top < 2) return std::ldexp(double(digits[1] << 32 | digits[0]), kLowest);
    std::uint64_t leading = digits[top] << 32 | digits[top - 1];
    const int shift = std::countl_zero(leading);
    std::uint64_t rest = digits[top - 2];
    if (shift) {
      leading = leading << shift | rest >> (32 - shift);
      rest &= (std::uint64_t(1) << (32 - shift)) - 1;
    }
    for (int i = top - 3; i >= 0 && !rest; --i) rest = digits[i];
    return std::ldexp(double(leading | (rest != 0)), kLowest + 32 * (top - 1) - shift);
  }

  static constexpr int kLowest = -1074;  // exponent of the last bit

  std::array<Wide, kDigits> digits_{};  // multiples of 2^(32 i - 1074)
  double overflow_ = 0;                 // sum of the terms that are not finite
};

}  // namespace dynmeans
