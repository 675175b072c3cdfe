// A finished clustering of a stream, and what one step of it looks like: size, mean and scatter of each id.
#pragma once

#include <cstdint>
#include <vector>

#include "small_matrix.hpp"

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
  double n = 0.0;            // weight of its points
  std::vector<double> mean;  // m (d,)
  Square scatter;            // S = sum of w (y - m)(y - m)'
};

// The groups of one step after another, in order of appearance.
class Grouping {
 public:
  explicit Grouping(const ResultView& result) : result_(result), slot_(result.n_ids, -1) {}

  std::vector<Group> of_step(int t) {
    std::vector<Group> groups;
    for (auto i = result_.starts[t]; i < result_.starts[t + 1]; ++i) add_to_mean(groups, i);
    for (Group& group : groups)
      for (double& value : group.mean) value /= group.n;
    for (auto i = result_.starts[t]; i < result_.starts[t + 1]; ++i) add_to_scatter(groups, i);
    for (const Group& group : groups) slot_[group.id] = -1;
    return groups;
  }

 private:
  double weight(std::int64_t i) const { return result_.weights ? result_.weights[i] : 1.0; }

  void add_to_mean(std::vector<Group>& groups, std::int64_t i) {
    const int d = result_.d;
    int& slot = slot_[result_.ids[i]];
    if (slot < 0) {
      slot = int(groups.size());
      groups.push_back({result_.ids[i], 0.0, std::vector<double>(d), Square(std::size_t(d) * d)});
    }
    groups[slot].n += weight(i);
    for (int j = 0; j < d; ++j) groups[slot].mean[j] += weight(i) * result_.rows[i * d + j];
  }

  void add_to_scatter(std::vector<Group>& groups, std::int64_t i) {
    const int d = result_.d;
    Group& group = groups[slot_[result_.ids[i]]];
    offset_.resize(d);
    for (int j = 0; j < d; ++j) offset_[j] = result_.rows[i * d + j] - group.mean[j];
    for (int p = 0; p < d; ++p)
      for (int q = 0; q < d; ++q) group.scatter[p * d + q] += weight(i) * offset_[p] * offset_[q];
  }

  ResultView result_;
  std::vector<int> slot_;
  std::vector<double> offset_;
};

}  // namespace dynmeans
