#define DYNMEANS_ISA avx512
#define DYNMEANS_ISA_NAME "avx512"
#define DYNMEANS_BYTES 64
#include "simd/simd_kernels.inl"
