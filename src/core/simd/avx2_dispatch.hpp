// Loops over four numbers at a time, compiled twice: for every machine, and for those with AVX2.
#pragma once

#include <cstdint>

namespace dynmeans {

// A typedef, because Clang ignores `aligned` in an alias declaration and would emit aligned loads.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef std::uint64_t FourBits __attribute__((vector_size(32), aligned(8), may_alias));

constexpr int kFour = sizeof(Four) / sizeof(double);

[[gnu::always_inline]] inline Four load_four(const double* x) {
  return *reinterpret_cast<const Four*>(x);
}
[[gnu::always_inline]] inline void store_four(double* x, Four value) {
  *reinterpret_cast<Four*>(x) = value;
}

// Calls loop.run(), whose body is inlined here, with the widest instructions that this machine has. The
// order of the additions is the same in both, and so are the bits.
#ifdef DYNMEANS_X86
template <class Loop>
[[gnu::target("avx2")]] void run_avx2(const Loop& loop) {
  loop.run();
}
#endif
template <class Loop>
void run_wide(const Loop& loop) {
#ifdef DYNMEANS_X86
  static const bool has_avx2 = (__builtin_cpu_init(), __builtin_cpu_supports("avx2"));
  if (has_avx2) return run_avx2(loop);
#endif
  loop.run();
}

}  // namespace dynmeans
