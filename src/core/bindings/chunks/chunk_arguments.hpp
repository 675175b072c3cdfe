// Arguments that the parts of a descent over several machines share: bind_chunks.cpp,
// bind_descent_driver.cpp.
#pragma once

#include <stdexcept>
#include <vector>

#include "dmeans/batch/batch_scale.hpp"
#include "dmeans/clusters.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {

using Slots = Column<std::int32_t>;
using Numbers = Column<std::int64_t>;

inline void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

// Prior of a descent that owns its arrays.
struct OwnedPrior {
  std::vector<double> centers, gammas, revival;

  OwnedPrior(const Matrix<double>& c, const Vector& g, const Vector& r)
      : centers(c.data(), c.data() + c.size()),
        gammas(g.data(), g.data() + g.size()),
        revival(r.data(), r.data() + r.size()) {
    require(c.shape(0) == g.size() && g.size() == r.size(),
            "an old cluster must have a center, a gamma and a revival");
  }

  PriorView view() const { return {centers.data(), gammas.data(), revival.data(), int(gammas.size())}; }
};

// Scale of a whole batch.
template <class T>
BatchScale<T> batch_scale(const Vector& shift, double radius, const Vector& largest, const Vector& smallest,
                          const Vector& weights, Row n_total) {
  const int d = int(shift.size());
  require(largest.size() == shift.size() && smallest.size() == shift.size(), "a column must have a size");
  require(weights.size() == 0 || weights.size() == 2, "weights must be the largest and the smallest one");
  RowExtent extent(static_cast<const double*>(nullptr), nullptr, 0, d, shift.data());
  extent.radius = radius;
  extent.terms.largest.assign(largest.data(), largest.data() + d);
  extent.terms.smallest.assign(smallest.data(), smallest.data() + d);
  ColumnExtent weight(1);
  if (weights.size()) weight.largest[0] = weights(0), weight.smallest[0] = weights(1);
  return {{shift.data(), shift.data() + d},
          extent,
          n_total,
          weights.size() ? SumGrid(weight, n_total) : SumGrid::of_counts()};
}

}  // namespace dynmeans
