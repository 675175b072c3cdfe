// Centres as sums over points: what is left of the old centre, and the rows that the cluster took.
#pragma once

#include <cstdint>
#include <vector>

namespace dynmeans {

struct Taken {
  const std::int64_t* slots;   // (P,)  of each point: kept points first, then rows of the batch
  const double* shares;        // (P,)  of each point in its centre
  const double* weight;        // (L,)  of the rows of each slot; slots without rows are left out
  const std::int64_t* places;  // (P,)  points at one place are equal; null if no two are
  std::int64_t n, n_slots, n_places;
  std::int64_t budget;  // points of slots with more than these become one at each place, the first
};

struct Expansion {
  std::vector<std::int64_t> points, slots;  // sorted by slot, then by point
  std::vector<double> coefficients;
};

inline Expansion expand(const Taken& in) {
  std::vector<std::int64_t> begin(in.n_slots + 1), order(in.n);
  for (std::int64_t i = 0; i < in.n; ++i) ++begin[in.slots[i] + 1];
  for (std::int64_t k = 0; k < in.n_slots; ++k) begin[k + 1] += begin[k];
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1), at(in.n_places, -1);
  for (std::int64_t i = 0; i < in.n; ++i) order[next[in.slots[i]]++] = i;
  Expansion out;
  for (std::int64_t k = 0; k < in.n_slots; ++k) {
    if (!(in.weight[k] > 0)) continue;
    const bool merges = in.places && begin[k + 1] - begin[k] > in.budget;
    const auto first = std::int64_t(out.points.size());
    for (std::int64_t s = begin[k]; s < begin[k + 1]; ++s) {
      const std::int64_t i = order[s];
      if (merges && at[in.places[i]] >= first) {
        out.coefficients[at[in.places[i]]] += in.shares[i];
        continue;
      }
      if (merges) at[in.places[i]] = std::int64_t(out.points.size());
      out.points.push_back(i);
      out.slots.push_back(k);
      out.coefficients.push_back(in.shares[i]);
    }
  }
  return out;
}

}  // namespace dynmeans
