// Sufficient statistics of a clustered stream: size, mean and scatter of each id in each step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "code_length/cholesky.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct ResultView {
  const double* rows;          // (N, d)  all points, step after step
  const double* weights;       // (N,)    or null for ones
  const std::int64_t* ids;     // (N,)    0 .. n_ids - 1
  const std::int64_t* starts;  // (n_steps + 1,)  first row of each step
  const double* times;         // (n_steps,)  in usual steps, so that the median step is 1
  int n_steps, d, n_ids;
};

struct Group {
  std::int64_t id;
  std::vector<std::int64_t> rows{};  // its points, from which outliers are removed
  double n = 0.0;                    // their weight
  std::vector<double> mean{};        // m (d,)
  Square scatter{};                  // S = sum of w (y - m)(y - m)'
};

// The groups of one step after another, in order of appearance.
class Grouping {
 public:
  // floor: (d,) smallest variance, because a point is known only to the resolution of the data
  Grouping(const ResultView& result, const double* floor)
      : result_(result), floor_(floor), slot_(result.n_ids, -1), last_step_(result.n_ids) {
    for (int t = 0; t < result.n_steps; ++t)
      for (auto i = result.starts[t]; i < result.starts[t + 1]; ++i) last_step_[result.ids[i]] = t;
  }

  int last_step(std::int64_t id) const { return last_step_[id]; }

  std::vector<Group> of_step(int t) {
    std::vector<Group> groups;
    for (auto i = result_.starts[t]; i < result_.starts[t + 1]; ++i) {
      int& slot = slot_[result_.ids[i]];
      if (slot < 0) {
        slot = int(groups.size());
        groups.push_back({result_.ids[i]});
      }
      groups[slot].rows.push_back(i);
    }
    for (Group& group : groups) {
      slot_[group.id] = -1;
      measure(group);
    }
    return groups;
  }

  double weight(std::int64_t i) const { return result_.weights ? result_.weights[i] : 1.0; }

  // Weight, mean and scatter of the rows of a group.
  void measure(Group& group) const {
    const int d = result_.d;
    group.n = 0.0;
    group.mean.assign(d, 0.0);
    group.scatter.assign(std::size_t(d) * d, 0.0);
    for (const auto i : group.rows) {
      group.n += weight(i);
      for (int j = 0; j < d; ++j) group.mean[j] += weight(i) * result_.rows[i * d + j];
    }
    for (double& value : group.mean) value /= group.n;
    std::vector<double> offset(d);
    for (const auto i : group.rows) {
      poll_(std::int64_t(d) * d);
      for (int j = 0; j < d; ++j) offset[j] = result_.rows[i * d + j] - group.mean[j];
      for (int p = 0; p < d; ++p)
        for (int q = 0; q < d; ++q) group.scatter[p * d + q] += weight(i) * offset[p] * offset[q];
    }
    for (int j = 0; j < d; ++j) group.scatter[j * d + j] += std::max(group.n - 1.0, 0.0) * floor_[j];
  }

 private:
  ResultView result_;
  const double* floor_;
  std::vector<int> slot_, last_step_;
  mutable Poll poll_;
};

}  // namespace dynmeans
