#define DYNMEANS_ISA base
#define DYNMEANS_ISA_NAME "base"
#define DYNMEANS_BYTES 16
#include "simd/simd_kernels.inl"
