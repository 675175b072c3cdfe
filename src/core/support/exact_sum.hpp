// Exact sum of doubles that are not negative, rounded once: the small superaccumulator of Neal (2015).
//
// The sum is a number in base 2^32 whose digits may exceed their range, so additions carry nothing. It does
// not depend on the order of the terms, and sums of parts are merged by adding the digits.
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
    const int position = exponent ? exponent - 1 : 0, shift = position % 32;
    std::uint64_t* digit = &digits_[position / 32];
    const std::uint64_t low = mantissa << shift;
    digit[0] += low & kDigit;
    digit[1] += low >> 32;
    digit[2] += shift ? mantissa >> (64 - shift) : 0;
    if (++n_added_ == kMaxAdded) carry();
  }

  void merge(const ExactSum& other) {
    ExactSum carried = other;
    carried.carry();
    carry();
    for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += carried.digits_[i];
    overflow_ += other.overflow_;
    carry();
  }

  static constexpr std::size_t kDigits = 68;

  // The digits of the sum, each below 2^32: the digits of a few sums may be added without a carry.
  std::array<std::uint64_t, kDigits> digits() const {
    ExactSum carried = *this;
    carried.carry();
    return carried.digits_;
  }
  static ExactSum of_digits(const std::uint64_t* digits) {
    ExactSum sum;
    std::copy_n(digits, kDigits, sum.digits_.begin());
    sum.carry();
    return sum;
  }

  // The sum rounded to the nearest double.
  double value() const {
    ExactSum carried = *this;
    carried.carry();
    return carried.rounded() + overflow_;
  }

 private:
  static constexpr std::uint64_t kFraction = (std::uint64_t(1) << 52) - 1, kDigit = 0xffffffff;
  static constexpr std::int64_t kMaxAdded = std::int64_t(1) << 30;

  void carry() {
    std::uint64_t over = 0;
    for (std::uint64_t& digit : digits_) {
      digit += over;
      over = digit >> 32;
      digit &= kDigit;
    }
    n_added_ = 0;
  }

  // The leading 64 bits, the last of them set if anything follows.
  double rounded() const {
    int top = int(digits_.size()) - 1;
    while (top > 0 && digits_[top] == 0) --top;
    if (top < 2) return std::ldexp(double(digits_[1] << 32 | digits_[0]), kLowest);
    std::uint64_t leading = digits_[top] << 32 | digits_[top - 1];
    const int shift = std::countl_zero(leading);
    std::uint64_t rest = digits_[top - 2];
    if (shift) {
      leading = leading << shift | rest >> (32 - shift);
      rest &= (std::uint64_t(1) << (32 - shift)) - 1;
    }
    for (int i = top - 3; i >= 0 && !rest; --i) rest = digits_[i];
    return std::ldexp(double(leading | (rest != 0)), kLowest + 32 * (top - 1) - shift);
  }

  static constexpr int kLowest = -1074;  // exponent of the last bit

  std::array<std::uint64_t, kDigits> digits_{};  // multiples of 2^(32 i - 1074)
  std::int64_t n_added_ = 0;                     // since the last carry
  double overflow_ = 0;                          // sum of the terms that are not finite
};

}  // namespace dynmeans
