// Run a loop with AVX2 instructions where the processor has them; the loop is compiled twice.
#pragma once

#include "simd/vector.hpp"

namespace dynmeans {

// Call loop.run(), whose body is inlined here. Both versions add in the same order, so the results are equal
// bit for bit.
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
