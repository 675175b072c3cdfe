// Products of rows and centers, in float32 with fused multiply-add, and nearest centers by them:
// |y - c|^2 = |y|^2 + 2 (|c|^2 / 2 - y'c).
//
// product_kernels.inl is compiled for the base instruction set, for AVX2 and for AVX-512. The results differ
// in their rounding errors: callers use them within bounds, and compute exact distances where those overlap.
#pragma once

#include <cstdint>

#include "simd/dispatch.hpp"
#include "simd/simd_kernels.hpp"

namespace dynmeans {

constexpr int kProductBlock = 8;  // centers that are packed side by side
constexpr int kPanel = 32;        // the same, where all products are wanted

// For a tile of points, the smallest |c|^2 / 2 - y'c of all centers, the second smallest, and which.
using NearestByProducts = void (*)(const float* tile,     // in  (d, kTile)
                                   int d,                 // in
                                   const float* packed,   // in  (blocks, d, kProductBlock) -c
                                   const float* half,     // in  (blocks, kProductBlock) |c|^2 / 2
                                   int n_blocks,          // in  >= 1
                                   float* best,           // out (kTile,)
                                   float* second,         // out (kTile,)
                                   std::int32_t* which);  // out (kTile,)

// All products of some rows and all centers.
using ProductsOfRows = void (*)(const float* rows,    // in  (n, d)
                                int n_rows, int d,    // in
                                const float* panels,  // in  (panels, d, kPanel)
                                int n_panels,         // in
                                float* out);          // out (n, panels * kPanel)

struct ProductKernels {
  NearestByProducts nearest_by_products;
  ProductsOfRows products_of_rows;
};

namespace base {
ProductKernels product_kernels();
}
#ifdef DYNMEANS_X86
namespace avx2 {
ProductKernels product_kernels();
}
namespace avx512 {
ProductKernels product_kernels();
}
#endif

inline ProductKernels widest_product_kernels() {
#ifdef DYNMEANS_X86
  if (instruction_set() == InstructionSet::avx512) return avx512::product_kernels();
  if (instruction_set() == InstructionSet::avx2) return avx2::product_kernels();
#endif
  return base::product_kernels();
}

}  // namespace dynmeans
