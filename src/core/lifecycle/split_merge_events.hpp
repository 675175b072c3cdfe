// Detect splits and merges between two steps from the rows that clusters share.
//
// The parent of a row is the cluster of the previous step whose forecast is nearest. A newborn cluster is a
// candidate split of the parent of the majority of its rows. A cluster is a candidate merge of the ended
// clusters that gave the majority of their rows to it. Distances confirm a candidate: the pieces of a
// split lie around the forecast of the parent, and the rows of a merge lie at the forecasts of the ended
// clusters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "lifecycle/shared_rows.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Distances between means of rows and forecasts.
template <class T>
class RowSpace {
 public:
  // rows (n, d), forecasts (K, d); max_ratio: of squared distances in is_around; in: rows and parents
  RowSpace(const T* rows, const double* forecasts, int d, double max_ratio, const ParentRows& in)
      : rows_(rows), forecasts_(forecasts), d_(d), max_ratio_(max_ratio), in_(in) {}

  // The forecast of the first is much nearer to the mean of all of them than to the mean of any.
  bool is_around(const std::vector<std::int64_t>& pieces) const {
    const double* forecast = forecasts_ + pieces[0] * d_;
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto piece : pieces)
      nearest = std::min(
          nearest, squared_distance(mean([&](std::int64_t i) { return in_.slots[i] == piece; }), forecast));
    const auto middle = mean([&](std::int64_t i) {
      return std::find(pieces.begin(), pieces.end(), in_.slots[i]) != pieces.end();
    });
    return squared_distance(middle, forecast) < max_ratio_ * nearest;
  }

  // The rows of a parent in a slot are nearer to the forecast of the parent than to the mean of the slot.
  bool is_at_parent(std::int64_t parent, std::int64_t slot) const {
    const auto here = mean([&](std::int64_t i) { return in_.slots[i] == slot && in_.parents[i] == parent; });
    const auto all = mean([&](std::int64_t i) { return in_.slots[i] == slot; });
    return squared_distance(here, forecasts_ + in_.active[parent] * d_) < squared_distance(here, all.data());
  }

 private:
  template <class Belongs>
  std::vector<double> mean(Belongs belongs) const {
    poll_(in_.n);
    std::vector<double> sum(d_);
    double total = 0;
    for (std::int64_t i = 0; i < in_.n; ++i) {
      if (!belongs(i)) continue;
      const double m = in_.weights ? in_.weights[i] : 1.0;
      total += m;
      for (int j = 0; j < d_; ++j) sum[j] += m * rows_[i * d_ + j];
    }
    for (double& x : sum) x /= total;
    return sum;
  }

  double squared_distance(const std::vector<double>& a, const double* b) const {
    double sum = 0;
    for (int j = 0; j < d_; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
  }

  const T* rows_;
  const double* forecasts_;
  int d_;
  double max_ratio_;
  ParentRows in_;
  mutable Poll poll_;
};

// Accepts all candidates. For kernels the caller compares the distances.
struct AcceptAll {
  bool is_around(const std::vector<std::int64_t>&) const { return true; }
  bool is_at_parent(std::int64_t, std::int64_t) const { return true; }
};

// Parent and newborn slots of a split, or slot and parents of a merge.
using SlotGroup = std::vector<std::int64_t>;

struct SplitMergeGroups {
  std::vector<SlotGroup> splits, merges;
};

template <class Space>
class SplitMergeFinder {
 public:
  SplitMergeFinder(const ParentRows& in, const Space& space)
      : in_(in),
        space_(space),
        shared_(in),
        total_(in.n_slots),
        largest_(in.n_slots),
        main_parent_(in.n_slots) {
    for (std::int64_t parent = 0; parent < in.n_active; ++parent) {
      for (const auto& [slot, weight] : shared_.of(parent)) {
        total_[slot] += weight;
        if (weight <= largest_[slot]) continue;
        largest_[slot] = weight;
        main_parent_[slot] = parent;
      }
    }
  }

  SplitMergeGroups run() const {
    SplitMergeGroups found;
    const auto parent_of = [&](std::int64_t slot) { return main_parent_[slot]; };
    const auto ended_in = [&](std::int64_t parent) { return is_gone(parent) ? main_slot(parent) : kNone; };
    for (const auto& [parent, born] : grouped(in_.n_old, in_.n_slots, in_.n_active, parent_of))
      add_split(parent, born, found.splits);
    for (const auto& [slot, gone] : grouped(0, in_.n_active, in_.n_slots, ended_in))
      add_merge(slot, gone, found.merges);
    return found;
  }

 private:
  static constexpr std::int64_t kNone = -1;
  using Groups = std::vector<std::pair<std::int64_t, SlotGroup>>;

  bool is_gone(std::int64_t parent) const { return in_.slot_weights[in_.active[parent]] == 0; }

  // The slot with the largest weight of rows of a parent; ties go to the first.
  std::int64_t main_slot(std::int64_t parent) const {
    const auto line = shared_.of(parent);
    return line.empty() ? kNone : std::ranges::max_element(line, {}, &SharedRows::RowShare::weight)->slot;
  }

  // Groups the values begin .. end-1 by their keys, which are below n_keys, in order of appearance.
  template <class Key>
  static Groups grouped(std::int64_t begin, std::int64_t end, std::int64_t n_keys, Key key_of) {
    Groups groups;
    std::vector<std::int64_t> offset(n_keys, kNone);
    for (std::int64_t value = begin; value < end; ++value) {
      const std::int64_t key = key_of(value);
      if (key == kNone) continue;
      if (offset[key] == kNone) {
        offset[key] = static_cast<std::int64_t>(groups.size());
        groups.push_back({key, {}});
      }
      groups[offset[key]].second.push_back(value);
    }
    return groups;
  }

  // Add a parent that still has rows, and the newborn slots that split off it, if it is a split.
  void add_split(std::int64_t parent, const SlotGroup& born, std::vector<SlotGroup>& splits) const {
    SlotGroup whole{in_.active[parent]}, pieces;
    whole.insert(whole.end(), born.begin(), born.end());
    std::erase_if(whole, [&](auto s) { return !(shared_.weight(parent, s) > 0.5 * total_[s]); });
    double sum = 0;
    for (const auto s : whole) sum += shared_.weight(parent, s);
    for (const auto s : whole)
      if (shared_.weight(parent, s) >= in_.min_share * sum) pieces.push_back(s);
    if (pieces.size() > 1 && pieces[0] == in_.active[parent] && space_.is_around(pieces))
      splits.push_back(pieces);
  }

  // Add a slot and the parents that ended in it, including its own, if it is a merge.
  void add_merge(std::int64_t slot, const SlotGroup& gone, std::vector<SlotGroup>& merges) const {
    SlotGroup found{slot};
    const auto *end = in_.active + in_.n_active, *own = std::lower_bound(in_.active, end, slot);
    if (own != end && *own == slot && gives(own - in_.active, slot)) found.push_back(own - in_.active);
    for (const auto h : gone)
      if (gives(h, slot)) found.push_back(h);
    const auto is_there = [&](auto h) { return space_.is_at_parent(h, slot); };
    if (found.size() > 2 && std::all_of(found.begin() + 1, found.end(), is_there)) merges.push_back(found);
  }

  // The majority of the rows of the parent are in the slot, and are at least min_share of it.
  bool gives(std::int64_t parent, std::int64_t slot) const {
    double sum = 0;
    for (const auto& entry : shared_.of(parent)) sum += entry.weight;
    const double given = shared_.weight(parent, slot);
    return given >= in_.min_share * total_[slot] && given > 0.5 * sum;
  }

  ParentRows in_;
  Space space_;
  SharedRows shared_;
  std::vector<double> total_,
      largest_;  // (L,)  weight of all rows of a slot, and of those of its main parent
  std::vector<std::int64_t> main_parent_;  // (L,)  the parent of most rows of a slot; ties go to the first
};

}  // namespace dynmeans
