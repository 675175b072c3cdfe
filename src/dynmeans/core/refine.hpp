// A clustering of a batch made cheaper.
//
// The descent of the paper moves rows between the clusters that it has. It sees neither that one cluster had
// better be two, nor that two had better be one, nor that another old cluster fits better. Here every
// cluster whose parting pays is parted, every pair whose joining pays is joined, all are linked anew to the
// old ones, and rows move one by one, until nothing helps. No change raises the cost.
#pragma once

#include <algorithm>
#include <vector>

#include "feature_centers.hpp"
#include "kernel_descent.hpp"
#include "links.hpp"
#include "slots.hpp"

namespace dynmeans {

// Rows and old centres, read once for all restarts.
struct RefineRows {
  std::vector<double> y;        // (n, d)
  std::vector<double> weights;  // (n,)
  std::vector<double> phi;      // (K, d)
  std::vector<double> phi_phi;  // (K,)  squared lengths of phi
  int d = 0;
};

class Refinement {
 public:
  Refinement(const RefineRows& rows, const PriorView& prior, const KernelSearch& search)
      : rows_(rows), prior_(prior), search_(search), d_(rows.d) {}

  // in: labels (n,)  0 .. K-1 remembered, then newborn; out: the same of a clustering that costs no more
  std::vector<std::int32_t> run(const std::vector<std::int32_t>& labels) {
    labels_ = labels;
    for (int round = 0; round < search_.max_iter; ++round) {
      link();
      sweep();
      if (!change_clusters()) break;
    }
    return std::move(labels_);
  }

 private:
  static constexpr double kGrain = 1e-12;  // the least gain worth a change, as a share of what it changes
  static constexpr int kTurns = 16;        // most alternations of two means

  struct Group {
    std::int32_t slot = kNone;
    std::vector<Row> rows;
    double weight = 0, spread = 0;  // n; sum of m |y - mean|^2
    std::vector<double> mean;       // (d,)
  };

  const double* row(Row i) const { return &rows_.y[std::size_t(i) * d_]; }
  double gap(const double* a, const double* b) const { return squared_gap(Plain{a}, b, d_); }

  std::vector<Group> groups() const {
    std::vector<std::int32_t> place(1 + *std::max_element(labels_.begin(), labels_.end()), kNone);
    std::vector<Group> groups;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      std::int32_t& at = place[labels_[i]];
      if (at == kNone) {
        at = std::int32_t(groups.size());
        groups.emplace_back().slot = labels_[i];
      }
      groups[at].rows.push_back(Row(i));
    }
    for (Group& group : groups) measure(group);
    return groups;
  }

  void measure(Group& group) const {
    group.weight = group.spread = 0;
    group.mean.assign(d_, 0.0);
    for (const Row i : group.rows) {
      group.weight += rows_.weights[i];
      for (int j = 0; j < d_; ++j) group.mean[j] += rows_.weights[i] * row(i)[j];
    }
    for (double& x : group.mean) x /= group.weight;
    for (const Row i : group.rows) group.spread += rows_.weights[i] * gap(row(i), group.mean.data());
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
    const std::vector<Group> found = groups();
    std::vector<double> change;  // (groups, K)  of the cost, against a birth
    for (const Group& group : found)
      for (int k = 0; k < prior_.n; ++k) change.push_back(price(group, k) - search_.birth);
    const std::vector<std::int64_t> slots = Pairing(change.data(), int(found.size()), prior_.n).run();
    for (std::size_t g = 0; g < found.size(); ++g) move(found[g], std::int32_t(slots[g]));
  }

  void move(const Group& group, std::int32_t slot) {
    for (const Row i : group.rows) labels_[i] = slot;
  }

  // Single rows, by what a move really saves, as in KD-Means with the linear kernel.
  void sweep() {
    const KernelView view{rows_.weights.data(), nullptr,       nullptr,
                          rows_.phi_phi.data(), prior_.gammas, prior_.revival,
                          Row(labels_.size()),  prior_.n};
    KernelSearch search = search_;
    search.start = labels_.data();
    FeatureCenters centers(view, rows_.y.data(), rows_.phi.data(), d_);
    labels_ = KernelDescent<FeatureCenters>(view, search, std::move(centers)).run().labels;
  }

  // Parts and joins clusters, none of them twice, so that what each change saves is exact.
  bool change_clusters() {
    const std::vector<Group> found = groups();
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

  // One half stays; the other is born, or is an old cluster that sleeps.
  bool part(const Group& whole) {
    Group half[2];
    if (!halve(whole, half)) return false;
    const double before = cost(whole, whole.slot);
    double least = before - kGrain * before;
    const Group* leaver = nullptr;
    std::int32_t to = kNone;
    for (int h = 0; h < 2; ++h)
      for (std::int32_t k = 0; k <= prior_.n; ++k) {
        if (k < prior_.n && !asleep_[k]) continue;
        const double after = cost(half[1 - h], whole.slot) + cost(half[h], k);
        if (after < least) least = after, leaver = &half[h], to = k;
      }
    if (!leaver) return false;
    if (to < prior_.n) asleep_[to] = false;
    move(*leaver, to < prior_.n ? to : next_++);
    return true;
  }

  // Two means, begun on this side and on the far side of the middle, as the row farthest out sees it.
  bool halve(const Group& whole, Group half[2]) {
    const double* far = row(farthest(whole));
    side_.clear();
    for (const Row i : whole.rows) {
      double along = 0;
      for (int j = 0; j < d_; ++j) along += (row(i)[j] - whole.mean[j]) * (far[j] - whole.mean[j]);
      side_.push_back(along > 0);
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      for (int h = 0; h < 2; ++h) half[h].rows.clear();
      for (std::size_t r = 0; r < side_.size(); ++r) half[int(side_[r])].rows.push_back(whole.rows[r]);
      if (half[0].rows.empty() || half[1].rows.empty()) return false;
      for (int h = 0; h < 2; ++h) measure(half[h]);
      if (!change_sides(whole, half)) break;
    }
    return true;
  }

  Row farthest(const Group& group) const {
    Row which = group.rows[0];
    double most = 0;
    for (const Row i : group.rows) {
      const double out = gap(row(i), group.mean.data());
      if (out > most) most = out, which = i;
    }
    return which;
  }

  bool change_sides(const Group& whole, const Group half[2]) {
    bool moved = false;
    for (std::size_t r = 0; r < side_.size(); ++r) {
      const double* y = row(whole.rows[r]);
      const char nearer = gap(y, half[1].mean.data()) < gap(y, half[0].mean.data());
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
      const std::vector<double> mean = mean_of(a, b);
      for (const std::int32_t slot : {a.slot, b.slot}) {
        const double change = apart + price(slot, n, mean) - before;
        if (change < least - kGrain * before) least = change, with = h, to = slot;
      }
    }
    if (to == kNone) return false;
    busy[g] = busy[with] = true;
    move(a, to);
    move(found[with], to);
    return true;
  }

  std::vector<double> mean_of(const Group& a, const Group& b) const {
    std::vector<double> mean(d_);
    const double n = a.weight + b.weight;
    for (int j = 0; j < d_; ++j) mean[j] = (a.weight * a.mean[j] + b.weight * b.mean[j]) / n;
    return mean;
  }

  const RefineRows& rows_;
  PriorView prior_;
  KernelSearch search_;
  int d_;
  std::vector<std::int32_t> labels_;  // (n,)
  std::vector<char> asleep_;          // (K,)
  std::int32_t next_ = 0;             // slot of the next newborn
  std::vector<char> side_;            // of each row of a cluster that is to be parted
};

}  // namespace dynmeans
