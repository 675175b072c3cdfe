// Squared distances of one row to the old centers.
#pragma once

#include <cstdint>
#include <span>

namespace dynmeans {

struct PriorDistanceRow {
  const double* squared = nullptr;     // (K,) or lower bounds, where a birth is cheaper than the return
  std::span<const std::int32_t> near;  // clusters with exact distances, ascending
  double rest = 0;                     // the least of the bounds

  bool is_known() const { return squared != nullptr; }
};

}  // namespace dynmeans
