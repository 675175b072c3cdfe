// A clustering of a batch made cheaper.
//
// The descent of the paper moves rows between the clusters that it has. It sees neither that one cluster had
// better be two, nor that two had better be one, nor that another old cluster fits better. Here every
// cluster whose parting pays is parted, every pair whose joining pays is joined, all are linked anew to the
// old ones, and rows move one by one, until nothing helps. No change raises the cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "feature_centers.hpp"
#include "kernel_descent.hpp"
#include "links.hpp"
#include "row_groups.hpp"
#include "slots.hpp"

namespace dynmeans {

class Refinement {
  using Group = RowGroup;

 public:
  Refinement(const RefineRows& rows, const PriorView& prior, const KernelSearch& search)
      : rows_(rows),
        prior_(prior),
        search_(search),
        d_(rows.d),
        groups_(rows),
        descent_(view(), search, FeatureCenters(view(), rows.y.data(), rows.phi.data(), rows.d)),
        axis_(rows.d),
        joint_(rows.d) {}

  // in: labels (n,)  0 .. K-1 remembered, then newborn; out: the same of a clustering that costs no more
  std::vector<std::int32_t> run(const std::vector<std::int32_t>& labels) {
    labels_ = labels;
    for (int round = 0; round < search_.max_iter; ++round) {
      link();
      descent_.descend(labels_);  // single rows, by what a move really saves
      labels_ = descent_.labels();
      if (!change_clusters()) break;
    }
    return std::move(labels_);
  }

 private:
  static constexpr double kGrain = 1e-12;  // the least gain worth a change, as a share of what it changes
  static constexpr int kTurns = 16;        // most alternations of two means
  static constexpr int kFew = 8;           // features with which a matrix of all pairs is quickly made

  double gap(const double* a, const double* b) const { return squared_gap(Plain{a}, b, d_); }

  // The linear kernel, for the descent by single rows.
  KernelView view() const {
    return {rows_.weights.data(),      nullptr, nullptr, rows_.phi_phi.data(), prior_.gammas, prior_.revival,
            Row(rows_.weights.size()), prior_.n};
  }

  // What a group pays besides its spread: a birth, or a return and the pull of the past.
  double price(std::int32_t slot, double weight, const std::vector<double>& mean) const {
    if (slot >= prior_.n) return search_.birth;
    const double gamma = prior_.gammas[slot], d2 = gap(mean.data(), &rows_.phi[std::size_t(slot) * d_]);
    return prior_.revival[slot] + gamma * weight / (gamma + weight) * d2;
  }

  double price(const Group& group, std::int32_t slot) const { return price(slot, group.weight, group.mean); }
  double cost(const Group& group, std::int32_t slot) const { return group.spread + price(group, slot); }

  // The cheapest links to the old clusters.
  void link() {
    const std::vector<Group>& found = groups_.of(labels_);
    std::vector<double> change;  // (groups, K)  of the cost, against a birth
    change.reserve(found.size() * prior_.n);
    for (const Group& group : found)
      for (int k = 0; k < prior_.n; ++k) change.push_back(price(group, k) - search_.birth);
    const std::vector<std::int64_t> slots = Pairing(change.data(), int(found.size()), prior_.n).run();
    for (std::size_t g = 0; g < found.size(); ++g) move(found[g], std::int32_t(slots[g]));
  }

  void move(const Group& group, std::int32_t slot) {
    for (const Row i : group.rows) labels_[i] = slot;
  }

  // Parts and joins clusters, none of them twice, so that what each change saves is exact.
  bool change_clusters() {
    const std::vector<Group>& found = groups_.of(labels_);
    asleep_.assign(prior_.n, true);
    next_ = prior_.n;
    for (const Group& group : found) {
      if (group.slot < prior_.n) asleep_[group.slot] = false;
      next_ = std::max(next_, group.slot + 1);
    }
    bool changed = false;
    std::vector<char> busy(found.size());
    for (std::size_t g = 0; g < found.size(); ++g) changed |= busy[g] = part(found[g]);
    for (std::size_t g = 0; g < found.size(); ++g) changed |= !busy[g] && join(found, g, busy);
    return changed;
  }

  // In two halves by two means, begun on both sides of the middle: along the row that lies farthest out, and
  // where that does not pay, across.
  bool part(const Group& whole) {
    const double before = cost(whole, whole.slot);
    if (before - cheapest_two(whole) <= whole.spread - most_saved(whole)) return false;
    point_out(whole);
    if (halve(whole) && part_with(whole, before)) return true;
    return point_across(whole) && halve(whole) && part_with(whole, before);
  }

  // One half stays; the other is born, or is an old cluster that sleeps.
  bool part_with(const Group& whole, double before) {
    double least = before - kGrain * before;
    const Group* leaver = nullptr;
    std::int32_t to = kNone;
    for (int h = 0; h < 2; ++h) {
      const double stay = cost(half_[1 - h], whole.slot);
      for (std::int32_t k = 0; k <= prior_.n; ++k) {
        if (k < prior_.n && !asleep_[k]) continue;
        const double after = stay + cost(half_[h], k);
        if (after < least) least = after, leaver = &half_[h], to = k;
      }
    }
    if (!leaver) return false;
    if (to < prior_.n) asleep_[to] = false;
    move(*leaver, to < prior_.n ? to : next_++);
    return true;
  }

  // No two clusters cost less, one of which stays: their prices without spread and pull.
  double cheapest_two(const Group& whole) const {
    double other = search_.birth;
    for (std::int32_t k = 0; k < prior_.n; ++k)
      if (asleep_[k]) other = std::min(other, prior_.revival[k]);
    return other + (whole.slot < prior_.n ? prior_.revival[whole.slot] : search_.birth);
  }

  // No cut takes away more of the spread than lies along one axis: the largest eigenvalue of the scatter
  // matrix, which is at most as large as the root of the sum of its squared entries.
  double most_saved(const Group& whole) {
    if (d_ > kFew) return whole.spread;
    scatter_.assign(std::size_t(d_) * d_, 0.0);
    for (const Row i : whole.rows)
      for (int a = 0; a < d_; ++a)
        for (int b = 0; b < d_; ++b)
          scatter_[a * d_ + b] +=
              rows_.weights[i] * (rows_.at(i)[a] - whole.mean[a]) * (rows_.at(i)[b] - whole.mean[b]);
    return (1 + kGrain) * std::sqrt(squared_length(scatter_));
  }

  // The axis from the middle to the row that is farthest from it.
  void point_out(const Group& whole) {
    const double* far = rows_.at(farthest(whole, [&](const double* y) { return gap(y, whole.mean.data()); }));
    for (int j = 0; j < d_; ++j) axis_[j] = far[j] - whole.mean[j];
  }

  // The axis at right angles to the last one, to the row that is farthest from that; false if all are on it.
  bool point_across(const Group& whole) {
    const double length = squared_length(axis_);
    const double* far = rows_.at(farthest(whole, [&](const double* y) {
      const double along = along_axis(y, whole);
      return gap(y, whole.mean.data()) - along * along / length;
    }));
    const double share = along_axis(far, whole) / length;
    for (int j = 0; j < d_; ++j) axis_[j] = far[j] - whole.mean[j] - share * axis_[j];
    return squared_length(axis_) > kGrain * length;
  }

  static double squared_length(const std::vector<double>& x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  }

  double along_axis(const double* y, const Group& whole) const {
    double along = 0;
    for (int j = 0; j < d_; ++j) along += (y[j] - whole.mean[j]) * axis_[j];
    return along;
  }

  // False if all rows are on one side.
  bool halve(const Group& whole) {
    side_.clear();
    side_.reserve(whole.rows.size());
    for (const Row i : whole.rows) side_.push_back(along_axis(rows_.at(i), whole) > 0);
    halves_.resize(whole.rows.size());
    for (int turn = 0; turn < kTurns; ++turn) {
      sort_sides(whole);
      if (half_[0].rows.size() == 0 || half_[1].rows.size() == 0) return false;
      for (Group& half : half_) half.measure(rows_);
      if (!change_sides(whole)) break;
    }
    return true;
  }

  // Rows of the near side from the front, those of the far side from the back.
  void sort_sides(const Group& whole) {
    Row *front = halves_.data(), *back = front + halves_.size();
    for (std::size_t r = 0; r < side_.size(); ++r) *(side_[r] ? --back : front++) = whole.rows.first[r];
    half_[0].rows = {halves_.data(), front};
    half_[1].rows = {front, halves_.data() + halves_.size()};
  }

  template <class Distance>
  Row farthest(const Group& group, Distance distance) const {
    Row which = *group.rows.first;
    double most = 0;
    for (const Row i : group.rows) {
      const double out = distance(rows_.at(i));
      if (out > most) most = out, which = i;
    }
    return which;
  }

  bool change_sides(const Group& whole) {
    bool moved = false;
    for (std::size_t r = 0; r < side_.size(); ++r) {
      const double* y = rows_.at(whole.rows.first[r]);
      const char nearer = gap(y, half_[1].mean.data()) < gap(y, half_[0].mean.data());
      moved |= nearer != side_[r];
      side_[r] = nearer;
    }
    return moved;
  }

  // Joins a group with that other one with which it saves most, under the slot of either.
  bool join(const std::vector<Group>& found, std::size_t g, std::vector<char>& busy) {
    const Group& a = found[g];
    double least = 0;
    std::size_t with = g;
    std::int32_t to = kNone;
    for (std::size_t h = g + 1; h < found.size(); ++h) {
      if (busy[h]) continue;
      const Group& b = found[h];
      const double before = price(a, a.slot) + price(b, b.slot), n = a.weight + b.weight;
      const double apart = a.weight * b.weight / n * gap(a.mean.data(), b.mean.data());
      if (!(apart < before)) continue;
      for (int j = 0; j < d_; ++j) joint_[j] = (a.weight * a.mean[j] + b.weight * b.mean[j]) / n;
      for (const std::int32_t slot : {a.slot, b.slot}) {
        const double change = apart + price(slot, n, joint_) - before;
        if (change < least - kGrain * before) least = change, with = h, to = slot;
      }
    }
    if (to == kNone) return false;
    busy[g] = busy[with] = true;
    move(a, to);
    move(found[with], to);
    return true;
  }

  const RefineRows& rows_;
  PriorView prior_;
  KernelSearch search_;
  int d_;
  RowGroups groups_;
  KernelDescent<FeatureCenters> descent_;
  std::vector<std::int32_t> labels_;  // (n,)
  std::vector<char> asleep_;          // (K,)
  std::int32_t next_ = 0;             // slot of the next newborn

  Group half_[2];                // of the cluster that is to be parted
  std::vector<char> side_;       // of each of its rows
  std::vector<Row> halves_;      // its rows, one half after the other
  std::vector<double> scatter_;  // (d, d)
  std::vector<double> axis_;     // (d,)  along which it is cut at first
  std::vector<double> joint_;    // (d,)  mean of two clusters that may be joined
};

}  // namespace dynmeans
