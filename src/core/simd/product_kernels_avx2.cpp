#define DYNMEANS_ISA avx2
#define DYNMEANS_BYTES 32
#include "simd/product_kernels.inl"
