// Cluster centers in the space of a kernel, which is given as a full or as a sparse matrix of inner products.
// (For explicit features see feature_centers.hpp.)
//
// The center of slot k follows from its members, theta = (gamma phi + sum of m_i omega(y_i)) / mass with
// mass = gamma + n (Eq. nonlineartheta). The center of a slot without rows is phi, or undefined if newborn.
// Each representation provides
//   squared_distances  squared distances |omega(y_i) - theta_k|^2 of one row to all centers
//   add      adds a row to a slot, or removes it with a negative weight; the center follows
//   clear    a slot without rows
//   within   sums of m_i m_j K_YY_ij over pairs of rows of one label, for any labels
//   work     approximate number of multiplications to compare a row with all centers, or to add it
//   scale    magnitude of the numbers whose difference a squared distance is, for its rounding error
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct KernelView {
  const double* weights;   // m            (R,)
  const double* diagonal;  // of K_YY      (R,)
  const double* y_phi;     // K_YPhi       (R, K)
  const double* phi_phi;   // of K_PhiPhi  (K,) its diagonal
  const double* gammas;    // gamma        (K,)
  const double* revival;   // Q dt         (K,)
  Row n;                   // R
  int n_old;               // K
};

// Base of both forms of K_YY. The term that depends on the row is its score with a slot,
// omega(y_i) . (mass theta) = gamma K_YPhi + sum of m_j K_ij over the members j.
class ImpliedCenters {
 public:
  explicit ImpliedCenters(const KernelView& view) : view_(view) {}

  double mass(int k) const { return mass_[k]; }
  double scale(Row i, int k) const { return std::abs(view_.diagonal[i]) + std::abs(norm_[k]); }

  // |omega(y_i) - phi_k|^2
  double squared_distance_to_old(Row i, int k) const {
    return view_.diagonal[i] - 2 * view_.y_phi[i * view_.n_old + k] + view_.phi_phi[k];
  }

  // |theta_k - phi_k|^2
  double squared_displacement(int k) const {
    return norm_[k] - 2 * phi_product_[k] / mass_[k] + view_.phi_phi[k];
  }

 protected:
  double old_score(Row i, int k) const {
    return k < view_.n_old ? view_.gammas[k] * view_.y_phi[i * view_.n_old + k] : 0.0;
  }

  double squared_distance(Row i, int k, double score) const {
    return view_.diagonal[i] - 2 * score * inverse_[k] + norm_[k];
  }

  void grow(int count) {
    for (auto* column : {&mass_, &square_, &phi_product_, &inverse_, &norm_}) column->resize(count, 0.0);
  }

  void clear(int k) {
    const bool old = k < view_.n_old;
    mass_[k] = old ? view_.gammas[k] : 0.0;
    phi_product_[k] = old ? view_.gammas[k] * view_.phi_phi[k] : 0.0;
    square_[k] = mass_[k] * phi_product_[k];
    update_norm(k);
  }

  void add(int k, Row i, double m, double score) {
    square_[k] += m * (2 * score + m * view_.diagonal[i]);
    mass_[k] += m;
    if (k < view_.n_old) phi_product_[k] += m * view_.y_phi[i * view_.n_old + k];
    update_norm(k);
  }

  KernelView view_;

 private:
  void update_norm(int k) {
    inverse_[k] = mass_[k] > 0 ? 1 / mass_[k] : 0.0;
    norm_[k] = square_[k] * inverse_[k] * inverse_[k];
  }

  // All (slots,): mass, |mass theta|^2, mass theta . phi, 1 / mass, |theta|^2
  std::vector<double> mass_, square_, phi_product_, inverse_, norm_;
};

// K_YY as a full matrix: all scores are stored in a table, and a row that moves changes one line of it.
class DenseCenters : public ImpliedCenters {
 public:
  DenseCenters(const KernelView& view, const double* matrix) : ImpliedCenters(view), matrix_(matrix) {}

  void grow(int count) {
    ImpliedCenters::grow(count);
    scores_.resize(static_cast<std::size_t>(count) * view_.n);
  }

  void clear(int k) {
    ImpliedCenters::clear(k);
    double* scores = line(k);
    for (Row i = 0; i < view_.n; ++i) scores[i] = old_score(i, k);
  }

  std::int64_t work(Row, int count) const { return count + view_.n; }

  void add(int k, Row i, double m, const std::vector<std::int32_t>&) {
    double* scores = line(k);
    const double* similar = matrix_ + i * view_.n;
    ImpliedCenters::add(k, i, m, scores[i]);
    for (Row j = 0; j < view_.n; ++j) scores[j] += m * similar[j];
  }

  void squared_distances(Row i, int count, const std::vector<std::int32_t>&, double* out) const {
    for (int k = 0; k < count; ++k)
      out[k] = squared_distance(i, k, scores_[static_cast<std::size_t>(k) * view_.n + i]);
  }

  // in: labels (R,); in, out: sums (labels,)
  void within(const std::int64_t* labels, double* sums) const {
    std::vector<std::vector<Row>> members;
    for (Row i = 0; i < view_.n; ++i) {
      if (labels[i] >= std::int64_t(members.size())) members.resize(labels[i] + 1);
      members[labels[i]].push_back(i);
    }
    Poll poll;
    for (const auto& rows : members)
      for (const Row i : rows) {
        poll(2 * std::int64_t(rows.size()));
        const double* similar = matrix_ + i * view_.n;
        double similarity = 0;
        for (const Row j : rows) similarity += view_.weights[j] * similar[j];
        sums[labels[i]] += view_.weights[i] * similarity;
      }
  }

 private:
  double* line(int k) { return scores_.data() + static_cast<std::size_t>(k) * view_.n; }

  const double* matrix_;        // (R, R)
  std::vector<double> scores_;  // (slots, R)
};

// K_YY as compressed sparse rows: scores are summed over the neighbors of a row when they are needed.
class SparseCenters : public ImpliedCenters {
 public:
  SparseCenters(const KernelView& view, const std::int64_t* begin, const std::int32_t* neighbors,
                const double* values)
      : ImpliedCenters(view), begin_(begin), neighbors_(neighbors), values_(values) {}

  std::int64_t work(Row i, int count) const { return 2 * count + 4 * (begin_[i + 1] - begin_[i]); }

  void grow(int count) { ImpliedCenters::grow(count); }
  void clear(int k) { ImpliedCenters::clear(k); }

  void add(int k, Row i, double m, const std::vector<std::int32_t>& labels) {
    double score = old_score(i, k);
    for (std::int64_t e = begin_[i]; e < begin_[i + 1]; ++e)
      if (labels[neighbors_[e]] == k) score += view_.weights[neighbors_[e]] * values_[e];
    ImpliedCenters::add(k, i, m, score);
  }

  void squared_distances(Row i, int count, const std::vector<std::int32_t>& labels, double* out) const {
    for (int k = 0; k < count; ++k) out[k] = old_score(i, k);
    for (std::int64_t e = begin_[i]; e < begin_[i + 1]; ++e) {
      const std::int32_t k = labels[neighbors_[e]];
      if (k >= 0) out[k] += view_.weights[neighbors_[e]] * values_[e];
    }
    for (int k = 0; k < count; ++k) out[k] = squared_distance(i, k, out[k]);
  }

  void within(const std::int64_t* labels, double* sums) const {
    for (Row i = 0; i < view_.n; ++i)
      for (std::int64_t e = begin_[i]; e < begin_[i + 1]; ++e)
        if (labels[neighbors_[e]] == labels[i])
          sums[labels[i]] += view_.weights[i] * view_.weights[neighbors_[e]] * values_[e];
  }

 private:
  const std::int64_t* begin_;      // (R + 1,)
  const std::int32_t* neighbors_;  // (entries,)
  const double* values_;           // (entries,)
};

}  // namespace dynmeans
