#define DYNMEANS_ISA avx512
#define DYNMEANS_BYTES 64
#include "simd/product_kernels.inl"
