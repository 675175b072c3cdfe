// Remembered clusters, predicted to the time of the batch.
#pragma once

namespace dynmeans {

struct PriorView {
  const double* centers;  // phi   (K, d)
  const double* gammas;   // gamma (K,)
  const double* revival;  // Q dt  (K,)
  int n;                  // K
};

}  // namespace dynmeans
