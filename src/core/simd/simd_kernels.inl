// Included by simd_kernels_*.cpp with DYNMEANS_ISA (a namespace) and DYNMEANS_BYTES (width of a register).
//
// Nothing from the standard library with linkage may be used here: the linker keeps one copy of such a
// function, and a copy compiled for AVX would then run on machines without it.

#include <cstdint>

#include "simd/simd_kernels.hpp"

namespace dynmeans::DYNMEANS_ISA {
namespace {

template <class T>
struct Register;
template <>
struct Register<float> {
  typedef float Values __attribute__((vector_size(DYNMEANS_BYTES)));
  typedef std::int32_t Indices __attribute__((vector_size(DYNMEANS_BYTES)));
  static constexpr int width = DYNMEANS_BYTES / sizeof(float);
};
template <>
struct Register<double> {
  typedef double Values __attribute__((vector_size(DYNMEANS_BYTES)));
  typedef std::int64_t Indices __attribute__((vector_size(DYNMEANS_BYTES)));
  static constexpr int width = DYNMEANS_BYTES / sizeof(double);
};

template <class V, class T>
inline V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}

template <class T>
constexpr T kInfinity = static_cast<T>(__builtin_inff());

// The running smallest of some lanes and, if Two, the second smallest.
template <class T, bool Two>
struct Best {
  using V = typename Register<T>::Values;
  using I = typename Register<T>::Indices;
  V first = V{} + kInfinity<T>;
  V second = V{} + kInfinity<T>;
  I which = I{};

  void update(V value, int k) {
    const I less = value < first;
    if constexpr (Two) {
      const V worse = less ? first : value;
      second = worse < second ? worse : second;
    }
    first = less ? value : first;
    which = less ? I{} + k : which;
  }
};

// Compare `Pair` registers of points with `Block` consecutive centers. tile (d, kTile), centers (K, d), k:
// first of the block; D: d if known at compile time, else 0; best: in, out
template <class T, bool Two, int Pair, int Block, int D>
inline void update_block(const T* tile, int d, const T* centers, int k, Best<T, Two>* best) {
  using V = typename Register<T>::Values;
  const int dim = D ? D : d;
  V sum[Block][Pair] = {};
  for (int j = 0; j < dim; ++j) {
    V x[Pair];
    for (int p = 0; p < Pair; ++p) x[p] = load<V>(tile + j * kTile + p * Register<T>::width);
    for (int q = 0; q < Block; ++q) {
      const T c = centers[static_cast<std::int64_t>(k + q) * dim + j];
      for (int p = 0; p < Pair; ++p) {
        const V difference = x[p] - c;
        sum[q][p] += difference * difference;
      }
    }
  }
  for (int q = 0; q < Block; ++q)
    for (int p = 0; p < Pair; ++p) best[p].update(sum[q][p], k + q);
}

// Arguments as TileLanes::nearest_two; D: d if known at compile time, else 0.
template <class T, bool Two, int D>
void nearest_dim(const T* tile, int d, const T* centers, int n_centers, T* first, T* second,
                 std::int32_t* which) {
  constexpr int width = Register<T>::width;
  constexpr int pair = 2;
  // In few dimensions the points stay in registers; in many, four centers share each load of them.
  constexpr int block = D ? 2 : 4;
  static_assert(kTile % (pair * width) == 0);
  for (int b = 0; b < kTile; b += pair * width) {
    Best<T, Two> best[pair];
    int k = 0;
    for (; k + block <= n_centers; k += block)
      update_block<T, Two, pair, block, D>(tile + b, d, centers, k, best);
    for (; k < n_centers; ++k) update_block<T, Two, pair, 1, D>(tile + b, d, centers, k, best);
    for (int p = 0; p < pair; ++p) {
      for (int i = 0; i < width; ++i) {
        first[b + p * width + i] = best[p].first[i];
        if constexpr (Two) second[b + p * width + i] = best[p].second[i];
        which[b + p * width + i] = static_cast<std::int32_t>(best[p].which[i]);
      }
    }
  }
}

template <class T, int D>
void spread_dim(const T* __restrict rows, int d, const T* __restrict shift, T* __restrict tile) {
  const int dim = D ? D : d;
  for (int b = 0; b < kTile; ++b)
    for (int j = 0; j < dim; ++j) tile[j * kTile + b] = rows[b * dim + j] - shift[j];
}

template <class T>
void spread(const T* rows, int d, const T* shift, T* tile) {
  switch (d) {
    case 1:
      return spread_dim<T, 1>(rows, d, shift, tile);
    case 2:
      return spread_dim<T, 2>(rows, d, shift, tile);
    case 3:
      return spread_dim<T, 3>(rows, d, shift, tile);
    default:
      return spread_dim<T, 0>(rows, d, shift, tile);
  }
}

// Arguments as TileLanes::nearest_two; Two: whether to find the second nearest.
template <class T, bool Two>
void nearest_some(const T* tile, int d, const T* centers, int n_centers, T* best, T* second,
                  std::int32_t* which) {
  switch (d) {
    case 1:
      return nearest_dim<T, Two, 1>(tile, d, centers, n_centers, best, second, which);
    case 2:
      return nearest_dim<T, Two, 2>(tile, d, centers, n_centers, best, second, which);
    case 3:
      return nearest_dim<T, Two, 3>(tile, d, centers, n_centers, best, second, which);
    default:
      return nearest_dim<T, Two, 0>(tile, d, centers, n_centers, best, second, which);
  }
}

// Arguments as TileLanes::nearest_two.
template <class T>
void nearest_two(const T* tile, int d, const T* centers, int n_centers, T* best, T* second,
                 std::int32_t* which) {
  if (second) return nearest_some<T, true>(tile, d, centers, n_centers, best, second, which);
  nearest_some<T, false>(tile, d, centers, n_centers, best, second, which);
}

// The cheapest of all lanes; ties go to the first.
template <int Pair>
inline Cheapest first_cheapest(const Best<double, false>* best) {
  constexpr int width = Register<double>::width;
  typename Register<double>::Indices lane, slot;
  for (int i = 0; i < width; ++i) lane[i] = i;
  auto cost = best[0].first;
  slot = best[0].which + lane;
  for (int p = 1; p < Pair; ++p) {
    const auto other = best[p].which + lane;
    const auto less = (best[p].first < cost) | ((best[p].first == cost) & (other < slot));
    cost = less ? best[p].first : cost;
    slot = less ? other : slot;
  }
  Cheapest found{cost[0], static_cast<int>(slot[0])};
  for (int i = 1; i < width; ++i) {
    const bool less = (cost[i] < found.cost) | ((cost[i] == found.cost) & (slot[i] < found.slot));
    found.cost = less ? cost[i] : found.cost;
    found.slot = less ? static_cast<int>(slot[i]) : found.slot;
  }
  return found;
}

// Arguments as SlotLanes::cheapest; D: d if known at compile time, else 0.
template <int D>
Cheapest cheapest_dim(const double* y, int d, const double* columns, int stride, const double* scale,
                      const double* offset, int n_slots) {
  using V = typename Register<double>::Values;
  constexpr int width = Register<double>::width;
  constexpr int pair = 2;
  static_assert(kSlotBlock % (pair * width) == 0);
  const int dim = D ? D : d;
  Best<double, false> best[pair];
  for (int k = 0; k < n_slots; k += pair * width) {
    V sum[pair] = {};
    for (int j = 0; j < dim; ++j) {
      const double* column = columns + static_cast<std::int64_t>(j) * stride + k;
      for (int p = 0; p < pair; ++p) {
        const V difference = load<V>(column + p * width) - y[j];
        sum[p] += difference * difference;
      }
    }
    for (int p = 0; p < pair; ++p) {
      const V cost = sum[p] * load<V>(scale + k + p * width) + load<V>(offset + k + p * width);
      best[p].update(cost, k + p * width);
    }
  }
  return first_cheapest<pair>(best);
}

// Arguments as SlotLanes::cheapest.
Cheapest cheapest(const double* y, int d, const double* columns, int stride, const double* scale,
                  const double* offset, int n_slots) {
  switch (d) {
    case 1:
      return cheapest_dim<1>(y, d, columns, stride, scale, offset, n_slots);
    case 2:
      return cheapest_dim<2>(y, d, columns, stride, scale, offset, n_slots);
    case 3:
      return cheapest_dim<3>(y, d, columns, stride, scale, offset, n_slots);
    default:
      return cheapest_dim<0>(y, d, columns, stride, scale, offset, n_slots);
  }
}

constexpr int kDotBytes = 128;  // of partial sums per dot product, in every instruction set

// Sum of the lanes of one register, by halves: lane i and lane i + half.
template <class T>
inline T sum_of_lanes(typename Register<T>::Values values) {
  typedef T Small __attribute__((vector_size(16)));
  constexpr int n_small = DYNMEANS_BYTES / 16;
  Small small[n_small];
  __builtin_memcpy(small, &values, sizeof(values));
  for (int half = n_small / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) small[i] += small[i + half];
  if constexpr (sizeof(T) == sizeof(double))
    return small[0][0] + small[0][1];
  else
    return (small[0][0] + small[0][2]) + (small[0][1] + small[0][3]);
}

// Dot products with `Block` rows. The partial sums and their order are those of every instruction set.
template <class T, int Block>
inline void dot_block(const T* row, int d, const T* rows, T* out) {
  using V = typename Register<T>::Values;
  constexpr int width = Register<T>::width, parts = kDotBytes / DYNMEANS_BYTES, lanes = parts * width;
  V sum[Block][parts] = {};
  int j = 0;
  for (; j + lanes <= d; j += lanes)
    for (int p = 0; p < parts; ++p) {
      const V x = load<V>(row + j + p * width);
      for (int q = 0; q < Block; ++q)
        sum[q][p] += x * load<V>(rows + static_cast<std::int64_t>(q) * d + j + p * width);
    }
  for (int q = 0; q < Block; ++q) {
    for (int half = parts / 2; half > 0; half /= 2)
      for (int p = 0; p < half; ++p) sum[q][p] += sum[q][p + half];
    T total = sum_of_lanes<T>(sum[q][0]);
    for (int i = j; i < d; ++i) total += row[i] * rows[static_cast<std::int64_t>(q) * d + i];
    out[q] = total;
  }
}

// Arguments as DotLanes::dots.
template <class T>
void dots(const T* row, int d, const T* rows, int n, T* out) {
  constexpr int block = DYNMEANS_BYTES / 16;  // as many as the registers hold
  int k = 0;
  for (; k + block <= n; k += block)
    dot_block<T, block>(row, d, rows + static_cast<std::int64_t>(k) * d, out + k);
  for (; k < n; ++k) dot_block<T, 1>(row, d, rows + static_cast<std::int64_t>(k) * d, out + k);
}

}  // namespace

Lanes lanes() {
  return {{spread<float>, nearest_two<float>},
          {spread<double>, nearest_two<double>},
          {cheapest},
          {dots<float>},
          {dots<double>},
          DYNMEANS_ISA_NAME};
}

}  // namespace dynmeans::DYNMEANS_ISA
