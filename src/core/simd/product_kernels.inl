// Included by product_kernels_*.cpp with DYNMEANS_ISA (a namespace) and DYNMEANS_BYTES (width of a register).
//
// As in simd_kernels.inl, nothing from the standard library with linkage may be used here.

#include <cstdint>

#include "simd/product_kernels.hpp"

namespace dynmeans::DYNMEANS_ISA {
namespace {

typedef float Values __attribute__((vector_size(DYNMEANS_BYTES)));
typedef std::int32_t Indices __attribute__((vector_size(DYNMEANS_BYTES)));
constexpr int kWidth = DYNMEANS_BYTES / sizeof(float);
constexpr int kPair = 2;  // registers of points
constexpr int kCenters =
    DYNMEANS_BYTES == 64 ? 8 : 4;  // compared together: as many as there are registers for

inline Values load(const float* from) {
  Values v;
  __builtin_memcpy(&v, from, sizeof(Values));
  return v;
}

struct Least {
  Values first = Values{} + __builtin_inff();
  Values second = Values{} + __builtin_inff();
  Indices which = Indices{};

  void update(Values value, int k) {
    const Indices less = value < first;
    const Values worse = less ? first : value;
    second = worse < second ? worse : second;
    first = less ? value : first;
    which = less ? Indices{} + k : which;
  }
};

// tile: the first of kPair registers of each feature; packed, half: the first of kCenters centers, number k
inline void update_centers(const float* tile, int d, const float* packed, const float* half, int k,
                           Least* least) {
  Values sum[kCenters][kPair];
  for (int q = 0; q < kCenters; ++q)
    for (int p = 0; p < kPair; ++p) sum[q][p] = Values{} + half[q];
  for (int j = 0; j < d; ++j, tile += kTile, packed += kProductBlock) {
    Values x[kPair];
    for (int p = 0; p < kPair; ++p) x[p] = load(tile + p * kWidth);
    for (int q = 0; q < kCenters; ++q)
      for (int p = 0; p < kPair; ++p) sum[q][p] += x[p] * packed[q];
  }
  for (int q = 0; q < kCenters; ++q)
    for (int p = 0; p < kPair; ++p) least[p].update(sum[q][p], k + q);
}

// Arguments as NearestByProducts.
void nearest(const float* tile, int d, const float* packed, const float* half, int n_blocks, float* best,
             float* second, std::int32_t* which) {
  static_assert(kTile % (kPair * kWidth) == 0 && kProductBlock % kCenters == 0);
  for (int b = 0; b < kTile; b += kPair * kWidth) {
    Least least[kPair];
    for (int block = 0; block < n_blocks; ++block)
      for (int q = 0; q < kProductBlock; q += kCenters)
        update_centers(tile + b, d, packed + static_cast<std::int64_t>(block) * d * kProductBlock + q,
                       half + block * kProductBlock + q, block * kProductBlock + q, least);
    for (int p = 0; p < kPair; ++p) {
      __builtin_memcpy(best + b + p * kWidth, &least[p].first, sizeof(Values));
      __builtin_memcpy(second + b + p * kWidth, &least[p].second, sizeof(Values));
      __builtin_memcpy(which + b + p * kWidth, &least[p].which, sizeof(Indices));
    }
  }
}

// rows: the first of `Rows`; panel: the first of kPair registers of centers; out: the first product of the first row
template <int Rows>
inline void multiply_rows(const float* rows, int d, const float* panel, std::int64_t stride, float* out) {
  Values sum[Rows][kPair] = {};
  for (int j = 0; j < d; ++j, panel += kPanel) {
    Values c[kPair];
    for (int p = 0; p < kPair; ++p) c[p] = load(panel + p * kWidth);
    for (int r = 0; r < Rows; ++r)
      for (int p = 0; p < kPair; ++p) sum[r][p] += c[p] * rows[static_cast<std::int64_t>(r) * d + j];
  }
  for (int r = 0; r < Rows; ++r)
    for (int p = 0; p < kPair; ++p) __builtin_memcpy(out + r * stride + p * kWidth, &sum[r][p], sizeof(Values));
}

void products(const float* rows, int n_rows, int d, const float* panels, int n_panels, float* out) {
  static_assert(kPanel % (kPair * kWidth) == 0);
  constexpr int together = 6;  // rows, as many as there are registers for
  const std::int64_t stride = static_cast<std::int64_t>(n_panels) * kPanel;
  for (std::int64_t k = 0; k < stride; k += kPair * kWidth) {
    const float* panel = panels + k / kPanel * kPanel * d + k % kPanel;
    int r = 0;
    for (; r + together <= n_rows; r += together)
      multiply_rows<together>(rows + static_cast<std::int64_t>(r) * d, d, panel, stride, out + r * stride + k);
    for (; r < n_rows; ++r)
      multiply_rows<1>(rows + static_cast<std::int64_t>(r) * d, d, panel, stride, out + r * stride + k);
  }
}

}  // namespace

ProductKernels product_kernels() {
  return {nearest, products};
}

}  // namespace dynmeans::DYNMEANS_ISA
