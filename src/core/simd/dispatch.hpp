// The instruction set of the processor, found once, and loops that are compiled for more than one set.
//
// Short loops are templates that run_wide compiles twice. Longer ones are tables of functions, compiled once
// per set (simd_kernels.hpp, product_kernels.hpp).
#pragma once

#include "simd/vector.hpp"

namespace dynmeans {

enum class InstructionSet { base, avx2, avx512 };

inline InstructionSet find_instruction_set() {
#ifdef DYNMEANS_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
#endif
  return InstructionSet::base;
}

// The widest set that the processor supports.
inline InstructionSet instruction_set() {
  static const InstructionSet found = find_instruction_set();
  return found;
}

#ifdef DYNMEANS_X86
template <class Loop>
[[gnu::target("avx2")]] void run_avx2(const Loop& loop) {
  loop.run();
}
#endif

// Call loop.run(), whose body is inlined here. Both versions add in the same order, so the results are equal
// bit for bit.
template <class Loop>
void run_wide(const Loop& loop) {
#ifdef DYNMEANS_X86
  if (instruction_set() != InstructionSet::base) return run_avx2(loop);
#endif
  loop.run();
}

}  // namespace dynmeans
