// Inner loops over many points or many clusters at once, compiled for several instruction sets.
//
// simd_kernels.inl is compiled for the base instruction set, for AVX2 and for AVX-512; the widest set that
// the processor supports is chosen when the module is loaded. The order of the additions within a distance
// is the same in each, so the results are equal bit for bit.
#pragma once

#include <cstdint>

#include "simd/dispatch.hpp"

namespace dynmeans {

constexpr int kTile = 32;       // points that are compared together
constexpr int kSlotBlock = 16;  // slots are padded to a multiple of this

template <class T>
struct TileLanes {
  // A tile of consecutive rows, side by side, less the shift.
  void (*spread)(const T* rows,   // in  (kTile, d)
                 int d,           // in
                 const T* shift,  // in  (d,)
                 T* tile);        // out (d, kTile)

  // Squared distances of a tile of points to K centers: the smallest, the second smallest, and which.
  void (*nearest_two)(const T* tile,         // in  (d, kTile)
                      int d,                 // in
                      const T* centers,      // in  (K, d)
                      int n_centers,         // in  K >= 1
                      T* best,               // out (kTile,)
                      T* second,             // out (kTile,), or null if not needed
                      std::int32_t* which);  // out (kTile,)
};

struct Cheapest {
  double cost;
  int slot;
};

struct SlotLanes {
  // The label update of one point: the least of scale_k |y - c_k|^2 + offset_k; ties go to the first slot.
  Cheapest (*cheapest)(const double* y,        // in (d,)
                       int d,                  // in
                       const double* columns,  // in (d, stride) centers, one row per feature
                       int stride,             // in, a multiple of kSlotBlock
                       const double* scale,    // in (stride,)
                       const double* offset,   // in (stride,) infinite for empty slots
                       int n_slots);           // in
};

template <class T>
struct DotLanes {
  // Dot products of one row with n others, which lie one after another.
  void (*dots)(const T* row,   // in  (d,)
               int d,          // in
               const T* rows,  // in  (n, d)
               int n,          // in
               T* out);        // out (n,)
};

struct Lanes {
  TileLanes<float> f32;
  TileLanes<double> f64;
  SlotLanes slots;
  DotLanes<float> dots32;
  DotLanes<double> dots64;
  const char* name;
};

namespace base {
Lanes lanes();
}
#ifdef DYNMEANS_X86
namespace avx2 {
Lanes lanes();
}
namespace avx512 {
Lanes lanes();
}
#endif

inline Lanes widest_lanes() {
#ifdef DYNMEANS_X86
  if (instruction_set() == InstructionSet::avx512) return avx512::lanes();
  if (instruction_set() == InstructionSet::avx2) return avx2::lanes();
#endif
  return base::lanes();
}

inline const Lanes& lanes() {
  static const Lanes chosen = widest_lanes();
  return chosen;
}

template <class T>
const TileLanes<T>& tile_lanes();
template <>
inline const TileLanes<float>& tile_lanes<float>() {
  return lanes().f32;
}
template <>
inline const TileLanes<double>& tile_lanes<double>() {
  return lanes().f64;
}

template <class T>
const DotLanes<T>& dot_lanes();
template <>
inline const DotLanes<float>& dot_lanes<float>() {
  return lanes().dots32;
}
template <>
inline const DotLanes<double>& dot_lanes<double>() {
  return lanes().dots64;
}

// Dot product with sixteen partial sums.
template <class T>
T dot_product(const T* a, const T* b, int d) {
  T out;
  dot_lanes<T>().dots(a, d, b, 1, &out);
  return out;
}

}  // namespace dynmeans
