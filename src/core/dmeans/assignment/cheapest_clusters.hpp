// The remembered cluster that would take each row at least cost if the row came alone (predict): Eq.
// (labelupdate) before any row is assigned, when all clusters sleep.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "simd/simd_kernels.hpp"
#include "support/equations.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

// The costs scale_k |y - c_k|^2 + offset_k of all sleeping clusters, as SlotLanes::cheapest takes them.
class SleepingClusters {
 public:
  SleepingClusters(const PriorView& prior, int d)
      : d_(d),
        stride_((prior.n + kSlotBlock - 1) / kSlotBlock * kSlotBlock),
        columns_(std::size_t(d) * stride_),
        scale_(stride_, 0.0),
        offset_(stride_, std::numeric_limits<double>::infinity()) {
    for (int k = 0; k < prior.n; ++k) {
      for (int j = 0; j < d; ++j)
        columns_[std::size_t(j) * stride_ + k] = prior.centers[std::size_t(k) * d + j];
      scale_[k] = merge_weight(prior.gammas[k], 1.0);
      offset_[k] = prior.revival[k];
    }
  }

  int cheapest(const double* row) const {
    return lanes()
        .slots.cheapest(row, d_, columns_.data(), stride_, scale_.data(), offset_.data(), stride_)
        .slot;
  }

 private:
  int d_, stride_;
  std::vector<double> columns_, scale_, offset_;  // (d, stride), (stride,), (stride,)
};

template <class T>
void cheapest_clusters(const T* data,           // in  (n, d)
                       Row n, int d,            // in
                       const PriorView& prior,  // in  K >= 1 clusters
                       int n_threads,           // in
                       std::int32_t* which) {   // out (n,)
  constexpr Row kRows = 4096;
  const SleepingClusters clusters(prior, d);
  ThreadPool pool(n_threads);
  pool.share(int((n + kRows - 1) / kRows), [&](int c) {
    std::vector<double> row(d);
    Poll poll;
    for (Row i = c * kRows; i < std::min(n, Row(c + 1) * kRows); ++i) {
      poll(std::int64_t(d) * prior.n);
      std::copy_n(data + i * d, d, row.begin());
      which[i] = clusters.cheapest(row.data());
    }
  });
}

}  // namespace dynmeans
