// Rows that clusters of two consecutive steps share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace dynmeans {

struct ParentRows {
  const std::int32_t *parents, *slots;  // (n,), (n,)  of the rows
  const double* weights;                // (n,) or null for ones
  const std::int64_t*
      active;  // (A,)  slots with rows in the previous step, ascending; parents are indices into it
  const double* slot_weights;  // (L,)  weight of the rows of each slot
  std::int64_t n, n_active, n_old, n_slots;
  double min_share;  // of the rows that a piece of a split, or a source of a merge, must have
};

// Weight of the rows that each parent has in each slot. Only pairs with rows are stored.
class SharedRows {
 public:
  struct RowShare {
    std::int64_t slot;
    double weight;
  };
  using RowShares = std::span<const RowShare>;

  explicit SharedRows(const ParentRows& in) : starts_(in.n_active + 1) {
    const auto order = rows_by_parent(in);
    std::vector<double> sums(in.n_slots);
    std::vector<std::int64_t> user(in.n_slots, -1), touched;
    for (std::int64_t parent = 0, next = 0; parent < in.n_active; ++parent) {
      touched.clear();
      for (; next < in.n && in.parents[order[next]] == parent; ++next) {
        const std::int64_t i = order[next], slot = in.slots[i];
        if (std::exchange(user[slot], parent) != parent) {
          touched.push_back(slot);
          sums[slot] = 0;
        }
        sums[slot] += in.weights ? in.weights[i] : 1.0;
      }
      std::sort(touched.begin(), touched.end());
      for (const auto slot : touched) entries_.push_back({slot, sums[slot]});
      starts_[parent + 1] = static_cast<std::int64_t>(entries_.size());
    }
  }

  // The weights of one parent, sorted by slot.
  RowShares of(std::int64_t parent) const {
    return RowShares(entries_).subspan(starts_[parent], starts_[parent + 1] - starts_[parent]);
  }

  double weight(std::int64_t parent, std::int64_t slot) const {
    const auto line = of(parent);
    const auto at = std::ranges::lower_bound(line, slot, {}, &RowShare::slot);
    return at != line.end() && at->slot == slot ? at->weight : 0.0;
  }

 private:
  static std::vector<std::int64_t> rows_by_parent(const ParentRows& in) {
    std::vector<std::int64_t> offset(in.n_active + 1), order(in.n);
    for (std::int64_t i = 0; i < in.n; ++i) ++offset[in.parents[i] + 1];
    std::partial_sum(offset.begin(), offset.end(), offset.begin());
    for (std::int64_t i = 0; i < in.n; ++i) order[offset[in.parents[i]]++] = i;
    return order;
  }

  std::vector<std::int64_t> starts_;
  std::vector<RowShare> entries_;
};

}  // namespace dynmeans
