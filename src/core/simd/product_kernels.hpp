// Nearest centers by products: |y - c|^2 = |y|^2 + 2 (|c|^2 / 2 - y'c), in float32 with fused multiply-add.
//
// product_kernels.inl is compiled for the base instruction set, for AVX2 and for AVX-512. The results differ
// in their rounding errors: callers use them within bounds, and compute exact distances where those overlap.
#pragma once

#include <cstdint>

#include "simd/simd_kernels.hpp"

namespace dynmeans {

constexpr int kProductBlock = 8;  // centers that are packed side by side

// For a tile of points, the smallest |c|^2 / 2 - y'c of all centers, the second smallest, and which.
using NearestByProducts = void (*)(const float* tile,     // in  (d, kTile)
                                   int d,                 // in
                                   const float* packed,   // in  (blocks, d, kProductBlock) -c
                                   const float* half,     // in  (blocks, kProductBlock) |c|^2 / 2
                                   int n_blocks,          // in  >= 1
                                   float* best,           // out (kTile,)
                                   float* second,         // out (kTile,)
                                   std::int32_t* which);  // out (kTile,)

namespace base {
NearestByProducts nearest_by_products();
}
#ifdef DYNMEANS_X86
namespace avx2 {
NearestByProducts nearest_by_products();
}
namespace avx512 {
NearestByProducts nearest_by_products();
}
#endif

inline NearestByProducts widest_products() {
#ifdef DYNMEANS_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return avx512::nearest_by_products();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::nearest_by_products();
#endif
  return base::nearest_by_products();
}

}  // namespace dynmeans
