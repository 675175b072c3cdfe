// Rows of a batch grouped by cluster: weight, mean and sum of squared deviations of each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "simd/squared_distance.hpp"

namespace dynmeans {

constexpr double kMinRelativeGain = 1e-12;  // smaller gains may be rounding errors

// Rows and old centers, read once for all restarts.
struct RefineRows {
  std::vector<double> y;        // (n, d)
  std::vector<double> weights;  // (n,)
  std::vector<double> phi;      // (K, d)
  std::vector<double> phi_phi;  // (K,)  squared lengths of phi
  int d = 0;

  const double* at(Row i) const { return &y[std::size_t(i) * d]; }
};

struct RowRange {
  const Row* first;
  const Row* last;

  const Row* begin() const { return first; }
  const Row* end() const { return last; }
  std::size_t size() const { return std::size_t(last - first); }
};

struct RowGroup {
  std::int32_t slot = -1;
  RowRange rows{};
  double weight = 0, spread = 0;  // n; sum of m |y - mean|^2
  std::vector<double> mean;       // (d,)

  void measure(const RefineRows& from) {
    weight = spread = 0;
    mean.assign(from.d, 0.0);
    for (const Row i : rows) {
      weight += from.weights[i];
      for (int j = 0; j < from.d; ++j) mean[j] += from.weights[i] * from.at(i)[j];
    }
    for (double& x : mean) x /= weight;
    for (const Row i : rows)
      spread += from.weights[i] * squared_distance(Plain{from.at(i)}, mean.data(), from.d);
  }
};

// A group of rows that gets another slot.
struct Relabel {
  std::size_t group;
  std::int32_t slot;
};

// The groups of the last labels.
class RowGroups {
 public:
  explicit RowGroups(const RefineRows& rows) : rows_(rows), members_(rows.weights.size()) {}

  // In the order of their first rows.
  const std::vector<RowGroup>& of(const std::vector<std::int32_t>& labels) {
    if (labels == labels_) return groups_;
    labels_ = labels;
    count(labels);
    groups_.resize(begin_.size() - 1);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      groups_[g].rows = {members_.data() + begin_[g], members_.data() + begin_[g + 1]};
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::int32_t g = group_of_label_[labels[i]];
      groups_[g].slot = labels[i];
      members_[begin_[g]++] = Row(i);
    }
    for (RowGroup& group : groups_) group.measure(rows_);
    return groups_;
  }

 private:
  // Where the members of each group begin.
  void count(const std::vector<std::int32_t>& labels) {
    group_of_label_.assign(1 + *std::max_element(labels.begin(), labels.end()), -1);
    begin_.assign(1, 0);
    for (const std::int32_t label : labels) {
      if (group_of_label_[label] < 0) {
        group_of_label_[label] = std::int32_t(begin_.size()) - 1;
        begin_.push_back(0);
      }
      ++begin_[group_of_label_[label] + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }

  const RefineRows& rows_;
  std::vector<std::int32_t> labels_;  // (n,)  those of the groups
  std::vector<RowGroup> groups_;
  std::vector<Row> members_;                  // (n,)  rows of all groups, one group after the other
  std::vector<std::int32_t> group_of_label_;  // (labels,)  index of the group of each label, or -1
  std::vector<Row> begin_;                    // (groups + 1,)
};

}  // namespace dynmeans
