// Vector types of the GCC and Clang vector extensions, with unaligned loads and stores.
//
// They are typedefs, because Clang ignores `aligned` in an alias declaration and would emit aligned loads.
#pragma once

#include <cstdint>

namespace dynmeans {

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef std::uint64_t FourBits __attribute__((vector_size(32), aligned(8), may_alias));
// One register on every x86-64 machine; for loops that are not compiled for AVX2.
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

constexpr int kFour = sizeof(Four) / sizeof(double);
constexpr int kTwo = sizeof(Two) / sizeof(double);

[[gnu::always_inline]] inline Four load_four(const double* x) {
  return *reinterpret_cast<const Four*>(x);
}
[[gnu::always_inline]] inline void store_four(double* x, Four value) {
  *reinterpret_cast<Four*>(x) = value;
}

}  // namespace dynmeans
