// Squared distances of one row to the old centers.
#pragma once

#include <cstdint>
#include <span>

namespace dynmeans {

struct PriorDistanceRow {
  const double* squared = nullptr;     // (K,) exact, or lower bounds where a birth is cheaper than a revival
  std::span<const std::int32_t> near;  // clusters with exact distances, ascending
  double rest = 0;                     // the smallest of the lower bounds

  bool is_known() const { return squared != nullptr; }
};

}  // namespace dynmeans
