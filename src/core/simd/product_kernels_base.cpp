#define DYNMEANS_ISA base
#define DYNMEANS_BYTES 16
#include "simd/product_kernels.inl"
