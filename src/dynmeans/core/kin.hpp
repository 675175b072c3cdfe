// Splits and merges: which clusters came out of which, told from where the rows would have gone before.
//
// Every row has a home, the cluster of the step before whose forecast is nearest. A newborn cluster may be a
// piece of the cluster at whose home most of its rows are; a cluster may be a merger of those that are gone
// and whose homes left it most of their rows. Whether they are is a question of distances: the pieces of a
// split must lie around the old place, and the rows of a merger where the old clusters were.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace dynmeans {

struct HomeRows {
  const std::int32_t *homes, *slots;  // (n,), (n,)  of the rows
  const double* weights;              // (n,) or null for ones
  const std::int64_t* awake;          // (A,)  slots with rows in the step before: home h is slot awake[h]
  const double* taken;                // (L,)  weight of the rows of each slot
  std::int64_t n, n_awake, n_old, n_slots;
  double part;  // share of the rows of the whole: the least that a piece, or a source, has
};

// Distances between means of rows and forecasts.
template <class T>
class RowSpace {
 public:
  // rows (n, d), forecasts (K, d)
  RowSpace(const T* rows, const double* forecasts, int d, double around, const HomeRows& in)
      : rows_(rows), forecasts_(forecasts), d_(d), around_(around), in_(in) {}

  // The old place of the first is much nearer to the middle of all of them than to any.
  bool is_around(const std::vector<std::int64_t>& parts) const {
    const double* past = forecasts_ + parts[0] * d_;
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto part : parts)
      nearest = std::min(nearest, gap(mean([&](std::int64_t i) { return in_.slots[i] == part; }), past));
    const auto middle = mean(
        [&](std::int64_t i) { return std::find(parts.begin(), parts.end(), in_.slots[i]) != parts.end(); });
    return gap(middle, past) < around_ * nearest;
  }

  // The rows of a home in a slot are nearer to the old place than to the middle of the slot.
  bool is_at_home(std::int64_t home, std::int64_t slot) const {
    const auto here = mean([&](std::int64_t i) { return in_.slots[i] == slot && in_.homes[i] == home; });
    const auto all = mean([&](std::int64_t i) { return in_.slots[i] == slot; });
    return gap(here, forecasts_ + in_.awake[home] * d_) < gap(here, all.data());
  }

 private:
  template <class Belongs>
  std::vector<double> mean(Belongs belongs) const {
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
};

// Where only shared rows count, and somebody else will look at the distances.
struct Anywhere {
  bool is_around(const std::vector<std::int64_t>&) const { return true; }
  bool is_at_home(std::int64_t, std::int64_t) const { return true; }
};

using Family =
    std::vector<std::int64_t>;  // of a split: parent and newborn slots; of a merger: slot and homes

struct Families {
  std::vector<Family> splits, mergers;
};

template <class Space>
class KinFinder {
 public:
  KinFinder(const HomeRows& in, const Space& space)
      : in_(in), space_(space), shared_(in.n_awake * in.n_slots), total_(in.n_slots) {
    for (std::int64_t i = 0; i < in.n; ++i)
      shared_[in.homes[i] * in.n_slots + in.slots[i]] += in.weights ? in.weights[i] : 1.0;
    for (std::int64_t h = 0; h < in.n_awake; ++h)
      for (std::int64_t s = 0; s < in.n_slots; ++s) total_[s] += shared(h, s);
  }

  Families run() const {
    Families found;
    for (const auto& [home, born] : grouped(in_.n_old, in_.n_slots, [&](auto s) { return main_home(s); }))
      add_split(home, born, found.splits);
    for (const auto& [slot, gone] :
         grouped(0, in_.n_awake, [&](auto h) { return is_gone(h) ? main_slot(h) : kNobody; }))
      add_merger(slot, gone, found.mergers);
    return found;
  }

 private:
  static constexpr std::int64_t kNobody = -1;
  using Groups = std::vector<std::pair<std::int64_t, Family>>;

  double shared(std::int64_t home, std::int64_t slot) const { return shared_[home * in_.n_slots + slot]; }
  bool is_gone(std::int64_t home) const { return in_.taken[in_.awake[home]] == 0; }

  // The home of most rows of a slot, and the slot of most rows of a home; the first of equals.
  std::int64_t main_home(std::int64_t slot) const {
    std::int64_t best = 0;
    for (std::int64_t h = 1; h < in_.n_awake; ++h)
      if (shared(h, slot) > shared(best, slot)) best = h;
    return best;
  }
  std::int64_t main_slot(std::int64_t home) const {
    const double* line = &shared_[home * in_.n_slots];
    return std::max_element(line, line + in_.n_slots) - line;
  }

  // begin .. end-1 by their keys, in order of appearance.
  template <class Key>
  static Groups grouped(std::int64_t begin, std::int64_t end, Key key_of) {
    Groups groups;
    for (std::int64_t value = begin; value < end; ++value) {
      const std::int64_t key = key_of(value);
      if (key == kNobody) continue;
      auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == key; });
      if (at == groups.end()) at = groups.insert(at, {key, {}});
      at->second.push_back(value);
    }
    return groups;
  }

  // Adds the cluster of a home, which lives on, and the newborn slots that split off it, if it did split.
  void add_split(std::int64_t home, const Family& born, std::vector<Family>& splits) const {
    Family whole{in_.awake[home]}, parts;
    whole.insert(whole.end(), born.begin(), born.end());
    std::erase_if(whole, [&](auto s) { return !(shared(home, s) > 0.5 * total_[s]); });
    double sum = 0;
    for (const auto s : whole) sum += shared(home, s);
    for (const auto s : whole)
      if (shared(home, s) >= in_.part * sum) parts.push_back(s);
    if (parts.size() > 1 && parts[0] == in_.awake[home] && space_.is_around(parts)) splits.push_back(parts);
  }

  // Adds a slot and the homes whose clusters ended in it, its own among them, if it is a merger.
  void add_merger(std::int64_t slot, const Family& gone, std::vector<Family>& mergers) const {
    Family found{slot};
    const auto* own = std::find(in_.awake, in_.awake + in_.n_awake, slot);
    if (own != in_.awake + in_.n_awake && gives(own - in_.awake, slot)) found.push_back(own - in_.awake);
    for (const auto h : gone)
      if (gives(h, slot)) found.push_back(h);
    const auto is_there = [&](auto h) { return space_.is_at_home(h, slot); };
    if (found.size() > 2 && std::all_of(found.begin() + 1, found.end(), is_there)) mergers.push_back(found);
  }

  // Most rows of the home are in the slot, and are no small part of it.
  bool gives(std::int64_t home, std::int64_t slot) const {
    double sum = 0;
    for (std::int64_t s = 0; s < in_.n_slots; ++s) sum += shared(home, s);
    return shared(home, slot) >= in_.part * total_[slot] && shared(home, slot) > 0.5 * sum;
  }

  HomeRows in_;
  Space space_;
  std::vector<double> shared_;  // (A, L)  weight of the rows of each home in each slot
  std::vector<double> total_;   // (L,)
};

}  // namespace dynmeans
