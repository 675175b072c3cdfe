// Sizes and means of clusters from labels, with the newborn clusters in a canonical order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support/equations.hpp"
#include "support/newborn_order.hpp"

namespace dynmeans {

struct SlotRows {
  const std::int64_t* slots;  // (n,)  0 .. K-1 are remembered, then newborn, none of which is empty
  const double* weights;      // (n,)
  const double* data;         // (n, d)
  const double* centers;      // (K, d)
  const double* gammas;       // (K,)
  std::int64_t n, n_old;
  int d;
};

struct SlotMeans {
  std::vector<std::int32_t> slots;   // (n,)  in their final order
  std::vector<double> centers;       // (slots, d)
  std::vector<double> slot_weights;  // (slots,)  weight of the rows
};

class ClusterMeans {
 public:
  explicit ClusterMeans(const SlotRows& in) : in_(in) {
    n_slots_ = std::max(in.n_old, in.n > 0 ? 1 + *std::max_element(in.slots, in.slots + in.n) : 0);
    slot_weights_.resize(n_slots_);
    sums_.resize(n_slots_ * in.d);
    for (std::int64_t i = 0; i < in.n; ++i) {
      slot_weights_[in.slots[i]] += in.weights[i];
      for (int c = 0; c < in.d; ++c) sums_[in.slots[i] * in.d + c] += in.weights[i] * in.data[i * in.d + c];
    }
  }

  SlotMeans run() {
    const std::vector<double> mean = mean_of_rows();
    update_centers();
    const std::vector<std::int64_t> order = cluster_order(mean);
    SlotMeans out;
    std::vector<std::int32_t> number(n_slots_);
    for (std::int64_t s = 0; s < n_slots_; ++s) {
      const double* center = sums_.data() + order[s] * in_.d;
      number[order[s]] = std::int32_t(s);
      out.slot_weights.push_back(slot_weights_[order[s]]);
      out.centers.insert(out.centers.end(), center, center + in_.d);
    }
    out.slots.resize(in_.n);
    for (std::int64_t i = 0; i < in_.n; ++i) out.slots[i] = number[in_.slots[i]];
    return out;
  }

 private:
  std::vector<double> mean_of_rows() const {
    std::vector<double> mean(in_.d);
    for (std::size_t e = 0; e < sums_.size(); ++e) mean[e % in_.d] += sums_[e];
    const double total = std::accumulate(slot_weights_.begin(), slot_weights_.end(), 0.0);
    for (double& x : mean) x /= std::max(total, std::numeric_limits<double>::min());
    return mean;
  }

  // Eq. paramupdate: replace the sums by the centers.
  void update_centers() {
    for (std::int64_t k = 0; k < n_slots_; ++k) {
      const double gamma = k < in_.n_old ? in_.gammas[k] : 0.0;
      const double* phi = k < in_.n_old ? &in_.centers[k * in_.d] : nullptr;
      const double inverse = 1.0 / (gamma + slot_weights_[k]);
      for (int c = 0; c < in_.d; ++c) {
        double& x = sums_[k * in_.d + c];
        x = updated_center(gamma, phi ? phi[c] : 0.0, x, inverse);
      }
    }
  }

  // All clusters: the remembered ones in their order, then the newborn in theirs (newborn_order.hpp).
  std::vector<std::int64_t> cluster_order(const std::vector<double>& mean) const {
    std::vector<double> squared_distances(n_slots_);
    for (std::int64_t k = in_.n_old; k < n_slots_; ++k)
      for (int c = 0; c < in_.d; ++c) {
        const double difference = sums_[k * in_.d + c] - mean[c];
        squared_distances[k] += difference * difference;
      }
    std::vector<std::int64_t> newborn(n_slots_ - in_.n_old), order(in_.n_old);
    std::iota(newborn.begin(), newborn.end(), in_.n_old);
    std::iota(order.begin(), order.end(), 0);
    sort_newborn(newborn, slot_weights_, std::move(squared_distances));
    order.insert(order.end(), newborn.begin(), newborn.end());
    return order;
  }

  SlotRows in_;
  std::int64_t n_slots_;
  std::vector<double> slot_weights_, sums_;  // (slots,), (slots, d)
};

}  // namespace dynmeans
