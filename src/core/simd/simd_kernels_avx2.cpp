#define DYNMEANS_ISA avx2
#define DYNMEANS_ISA_NAME "avx2"
#define DYNMEANS_BYTES 32
#include "simd/simd_kernels.inl"
