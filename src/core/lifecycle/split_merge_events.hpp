// Detect splits and merges between two steps from the rows that clusters share.
//
// The home of a row is its parent cluster: the cluster of the previous step whose forecast is nearest. A
// newborn cluster is a candidate split of the parent of most of its rows. A cluster is a candidate merge of
// the ended clusters that gave most of their rows to it. Distances confirm a candidate: the parts of a
// split lie around the forecast of the parent, and the rows of a merge lie at the forecasts of the ended
// clusters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "support/signals.hpp"

namespace dynmeans {

struct HomeRows {
  const std::int32_t *homes, *slots;  // (n,), (n,)  of the rows
  const double* weights;              // (n,) or null for ones
  const std::int64_t* awake;  // (A,)  slots with rows in the step before, ascending: those of the homes
  const double* taken;        // (L,)  weight of the rows of each slot
  std::int64_t n, n_awake, n_old, n_slots;
  double part;  // share of the rows of the whole: the least that a piece, or a source, has
};

// Distances between means of rows and forecasts.
template <class T>
class RowSpace {
 public:
  // rows (n, d), forecasts (K, d); around: maximum ratio of squared distances in is_around; in: rows and
  // parents
  RowSpace(const T* rows, const double* forecasts, int d, double around, const HomeRows& in)
      : rows_(rows), forecasts_(forecasts), d_(d), around_(around), in_(in) {}

  // The forecast of the first is much nearer to the mean of all of them than to the mean of any.
  bool is_around(const std::vector<std::int64_t>& parts) const {
    const double* past = forecasts_ + parts[0] * d_;
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto part : parts)
      nearest = std::min(nearest, gap(mean([&](std::int64_t i) { return in_.slots[i] == part; }), past));
    const auto middle = mean(
        [&](std::int64_t i) { return std::find(parts.begin(), parts.end(), in_.slots[i]) != parts.end(); });
    return gap(middle, past) < around_ * nearest;
  }

  // The rows of a parent in a slot are nearer to the forecast of the parent than to the mean of the slot.
  bool is_at_home(std::int64_t home, std::int64_t slot) const {
    const auto here = mean([&](std::int64_t i) { return in_.slots[i] == slot && in_.homes[i] == home; });
    const auto all = mean([&](std::int64_t i) { return in_.slots[i] == slot; });
    return gap(here, forecasts_ + in_.awake[home] * d_) < gap(here, all.data());
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

  double gap(const std::vector<double>& a, const double* b) const {
    double sum = 0;
    for (int j = 0; j < d_; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
  }

  const T* rows_;
  const double* forecasts_;
  int d_;
  double around_;
  HomeRows in_;
  mutable Poll poll_;
};

// Accepts all candidates, for kernels: the caller compares the distances.
struct Anywhere {
  bool is_around(const std::vector<std::int64_t>&) const { return true; }
  bool is_at_home(std::int64_t, std::int64_t) const { return true; }
};

// Of a split: parent and newborn slots; of a merger: slot and homes.
using Family = std::vector<std::int64_t>;

struct SplitMergeGroups {
  std::vector<Family> splits, mergers;
};

// Weight of the rows that each home has in each slot, where there are any: no more than there are rows.
class SharedRows {
 public:
  struct Entry {
    std::int64_t slot;
    double weight;
  };
  using Entries = std::span<const Entry>;

  explicit SharedRows(const HomeRows& in) : starts_(in.n_awake + 1) {
    const auto order = rows_by_home(in);
    std::vector<double> sums(in.n_slots);
    std::vector<std::int64_t> user(in.n_slots, -1), touched;
    for (std::int64_t home = 0, next = 0; home < in.n_awake; ++home) {
      touched.clear();
      for (; next < in.n && in.homes[order[next]] == home; ++next) {
        const std::int64_t i = order[next], slot = in.slots[i];
        if (std::exchange(user[slot], home) != home) {
          touched.push_back(slot);
          sums[slot] = 0;
        }
        sums[slot] += in.weights ? in.weights[i] : 1.0;
      }
      std::sort(touched.begin(), touched.end());
      for (const auto slot : touched) entries_.push_back({slot, sums[slot]});
      starts_[home + 1] = static_cast<std::int64_t>(entries_.size());
    }
  }

  // Of one home, by slot.
  Entries of(std::int64_t home) const {
    return Entries(entries_).subspan(starts_[home], starts_[home + 1] - starts_[home]);
  }

  double weight(std::int64_t home, std::int64_t slot) const {
    const auto line = of(home);
    const auto at = std::ranges::lower_bound(line, slot, {}, &Entry::slot);
    return at != line.end() && at->slot == slot ? at->weight : 0.0;
  }

 private:
  static std::vector<std::int64_t> rows_by_home(const HomeRows& in) {
    std::vector<std::int64_t> place(in.n_awake + 1), order(in.n);
    for (std::int64_t i = 0; i < in.n; ++i) ++place[in.homes[i] + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (std::int64_t i = 0; i < in.n; ++i) order[place[in.homes[i]]++] = i;
    return order;
  }

  std::vector<std::int64_t> starts_;
  std::vector<Entry> entries_;
};

template <class Space>
class SplitMergeFinder {
 public:
  SplitMergeFinder(const HomeRows& in, const Space& space)
      : in_(in), space_(space), shared_(in), total_(in.n_slots), most_(in.n_slots), main_home_(in.n_slots) {
    for (std::int64_t home = 0; home < in.n_awake; ++home) {
      for (const auto& [slot, weight] : shared_.of(home)) {
        total_[slot] += weight;
        if (weight <= most_[slot]) continue;
        most_[slot] = weight;
        main_home_[slot] = home;
      }
    }
  }

  SplitMergeGroups run() const {
    SplitMergeGroups found;
    const auto home_of = [&](std::int64_t slot) { return main_home_[slot]; };
    const auto ended_in = [&](std::int64_t home) { return is_gone(home) ? main_slot(home) : kNone; };
    for (const auto& [home, born] : grouped(in_.n_old, in_.n_slots, in_.n_awake, home_of))
      add_split(home, born, found.splits);
    for (const auto& [slot, gone] : grouped(0, in_.n_awake, in_.n_slots, ended_in))
      add_merger(slot, gone, found.mergers);
    return found;
  }

 private:
  static constexpr std::int64_t kNone = -1;
  using Groups = std::vector<std::pair<std::int64_t, Family>>;

  bool is_gone(std::int64_t home) const { return in_.taken[in_.awake[home]] == 0; }

  // The slot of most rows of a home; the first of equals.
  std::int64_t main_slot(std::int64_t home) const {
    const auto line = shared_.of(home);
    return line.empty() ? kNone : std::ranges::max_element(line, {}, &SharedRows::Entry::weight)->slot;
  }

  // begin .. end-1 by their keys below n_keys, in order of appearance.
  template <class Key>
  static Groups grouped(std::int64_t begin, std::int64_t end, std::int64_t n_keys, Key key_of) {
    Groups groups;
    std::vector<std::int64_t> place(n_keys, kNone);
    for (std::int64_t value = begin; value < end; ++value) {
      const std::int64_t key = key_of(value);
      if (key == kNone) continue;
      if (place[key] == kNone) {
        place[key] = static_cast<std::int64_t>(groups.size());
        groups.push_back({key, {}});
      }
      groups[place[key]].second.push_back(value);
    }
    return groups;
  }

  // Adds the cluster of a home, which lives on, and the newborn slots that split off it, if it did split.
  void add_split(std::int64_t home, const Family& born, std::vector<Family>& splits) const {
    Family whole{in_.awake[home]}, parts;
    whole.insert(whole.end(), born.begin(), born.end());
    std::erase_if(whole, [&](auto s) { return !(shared_.weight(home, s) > 0.5 * total_[s]); });
    double sum = 0;
    for (const auto s : whole) sum += shared_.weight(home, s);
    for (const auto s : whole)
      if (shared_.weight(home, s) >= in_.part * sum) parts.push_back(s);
    if (parts.size() > 1 && parts[0] == in_.awake[home] && space_.is_around(parts)) splits.push_back(parts);
  }

  // Adds a slot and the homes whose clusters ended in it, its own among them, if it is a merger.
  void add_merger(std::int64_t slot, const Family& gone, std::vector<Family>& mergers) const {
    Family found{slot};
    const auto *end = in_.awake + in_.n_awake, *own = std::lower_bound(in_.awake, end, slot);
    if (own != end && *own == slot && gives(own - in_.awake, slot)) found.push_back(own - in_.awake);
    for (const auto h : gone)
      if (gives(h, slot)) found.push_back(h);
    const auto is_there = [&](auto h) { return space_.is_at_home(h, slot); };
    if (found.size() > 2 && std::all_of(found.begin() + 1, found.end(), is_there)) mergers.push_back(found);
  }

  // Most rows of the home are in the slot, and are no small part of it.
  bool gives(std::int64_t home, std::int64_t slot) const {
    double sum = 0;
    for (const auto& entry : shared_.of(home)) sum += entry.weight;
    const double given = shared_.weight(home, slot);
    return given >= in_.part * total_[slot] && given > 0.5 * sum;
  }

  HomeRows in_;
  Space space_;
  SharedRows shared_;
  std::vector<double> total_, most_;     // (L,)  weight of all rows of a slot, and of those of one home
  std::vector<std::int64_t> main_home_;  // (L,)  the home of most rows of a slot; the first of equals
};

}  // namespace dynmeans
