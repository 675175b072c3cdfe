// One pass of the label update on the sphere against fixed centers, with the bounds of Hamerly (2010) on
// chords.
//
// A row is skipped if its bounds (chord_bounds.hpp) prove that it keeps its label. Rows for which a birth or
// a revival is cheaper are only listed, as proposals; the descent assigns them one by one.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "sphere/center_products.hpp"
#include "sphere/chord_bounds.hpp"
#include "sphere/sphere_clusters.hpp"
#include "sphere/sphere_rows.hpp"
#include "support/signals.hpp"

namespace dynmeans {

template <class T>
class SphereAssignment {
 public:
  SphereAssignment(const SphereRows<T>& points, const PriorCosines& prior_cosines, double birth)
      : points_(points),
        prior_cosines_(prior_cosines),
        birth_(birth),
        tolerance_(points.rounding()),
        label_(points.n),
        bounds_(points.n, points.d) {}

  void reset() {
    std::fill(label_.begin(), label_.end(), kNone);
    bounds_.invalidate();
  }

  double tolerance() const { return tolerance_; }
  const std::vector<std::int32_t>& labels() const { return label_; }
  const std::vector<Row>& proposals() const { return proposals_; }

  void relabel(Row i, std::int32_t slot) {
    label_[i] = slot;
    bounds_.clear_upper(i);
  }

  // Moves every row to its nearest active cluster, then the centers; true if any row moved.
  bool pass(SphereClusters<T>& slots) {
    prepare(slots);
    proposals_.clear();
    bool moved = false;
    uncertain_.clear();
    for (Row i = 0; i < points_.n; ++i) {
      if ((bounds_.hold() || bound_by_prior(slots, i)) && stays(slots, i)) continue;
      uncertain_.push_back(i);
      if (int(uncertain_.size()) == CenterProducts::kRows) moved |= compare_uncertain(slots);
    }
    if (!uncertain_.empty()) moved |= compare_uncertain(slots);
    bounds_.accept(slots, active_);
    if (moved) slots.update_centers();
    return moved;
  }

 private:
  static constexpr double kMargin = 0.25;  // chord beyond the own center up to which others are bounded

  // Updates the bounds, and lists the active and the sleeping clusters with their centers.
  void prepare(const SphereClusters<T>& slots) {
    bounds_.update(slots);
    active_.clear();
    asleep_.clear();
    safe_cost_ = birth_;
    for (int k = 0; k < slots.count(); ++k) {
      if (slots.is_active(k)) {
        active_.push_back(k);
      } else if (slots.is_old(k)) {
        asleep_.push_back(k);
        safe_cost_ = std::min(safe_cost_, slots.revival(k));
      }
    }
    pack(slots, active_, active_centers_);
    pack(slots, asleep_, asleep_centers_);
    dots_.resize(std::max(active_.size(), asleep_.size()));
    products_.clear();
    first_newborn_ = int(std::lower_bound(active_.begin(), active_.end(), slots.n_old()) - active_.begin());
  }

  void pack(const SphereClusters<T>& slots, const std::vector<std::int32_t>& which, RawVector<T>& out) const {
    const std::size_t d = points_.d;
    out.resize(which.size() * d);
    for (std::size_t a = 0; a < which.size(); ++a) std::copy_n(slots.center(which[a]), d, &out[a * d]);
  }

  // Computes the bounds of a row from its cosines to the old centers, if these are known.
  bool bound_by_prior(const SphereClusters<T>& slots, Row i) {
    const float* const to_prior = prior_cosines_.of(i);
    const double rounding = prior_cosines_.rounding();
    const std::int32_t own = label_[i];
    if (!to_prior || own == kNone) return false;
    const double chord = chord_up(slots.dot(points_.row(i), slots.center(own)), tolerance_) + kMargin;
    double lower = chord;
    for (int a = 0; a < first_newborn_; ++a) {
      const int k = active_[a];
      if (k != own && !slots.is_beyond(k, to_prior[k], chord, rounding))
        lower = std::min(lower, chord_down(to_prior[k], rounding) - slots.displacement(k));
    }
    const int n = int(active_.size()) - first_newborn_;
    dot_lanes<T>().dots(points_.row(i), points_.d,
                        active_centers_.data() + std::size_t(first_newborn_) * points_.d, n, dots_.data());
    for (int a = 0; a < n; ++a)
      if (active_[first_newborn_ + a] != own) lower = std::min(lower, chord_down(dots_[a], tolerance_));
    bounds_.clear_upper(i);
    bounds_.set_lower(i, lower);
    return true;
  }

  // True if the bounds prove that the row keeps its label.
  bool stays(const SphereClusters<T>& slots, Row i) {
    poll_(points_.d);
    const std::int32_t own = label_[i];
    if (own == kNone) return false;
    const double lower = bounds_.lower(i, own);
    double upper = bounds_.upper(i, own);
    bounds_.keep_lower(i, lower);
    if (!(upper <= lower && 0.5 * upper * upper <= safe_cost_)) {
      const double cosine = slots.dot(points_.row(i), slots.center(own));
      upper = chord_up(cosine, tolerance_);
      if (upper > lower) return false;
      list_if_proposal(slots, i, cosine);
    }
    bounds_.set_upper(i, upper);
    return true;
  }

  // Compares the listed rows with all active clusters; true if any moves.
  bool compare_uncertain(SphereClusters<T>& slots) {
    const int n = int(active_.size()), count = int(uncertain_.size());
    poll_(std::int64_t(points_.d) * n * count);
    if (products_.size() == 0)
      products_.pack(n, points_.d, [&](int a) { return &active_centers_[std::size_t(a) * points_.d]; });
    products_.compare(count, [&](int b) { return points_.row(uncertain_[b]); });
    bool moved = false;
    for (int b = 0; b < count; ++b) moved |= decide(slots, uncertain_[b], products_.cosines(b));
    for (const auto& [i, cosine] : costly_) list_if_proposal(slots, i, cosine);
    costly_.clear();
    uncertain_.clear();
    return moved;
  }

  // The nearest active cluster by approximate cosines (active,), and exact ones of all that may be nearest;
  // true if the row moves there.
  bool decide(SphereClusters<T>& slots, Row i, const float* cosines) {
    const int n = int(active_.size());
    const double error_bound = products_.rounding() + tolerance_;
    const float limit = static_cast<float>(*std::max_element(cosines, cosines + n) - 2.1 * error_bound);
    const std::int32_t own = label_[i];
    double best = -std::numeric_limits<double>::infinity(), second = best;
    std::int32_t which = kNone;
    for (int a = 0; a < n; ++a) {
      const bool is_near = cosines[a] >= limit;
      const double cosine = is_near ? cosine_to(slots, i, active_[a]) : cosines[a] + error_bound;
      if (!is_near || !(cosine > best)) {
        second = std::max(second, cosine);
        continue;
      }
      second = std::max(second, best);
      best = cosine;
      which = active_[a];
    }
    bool moves = which != own;
    if (moves && own != kNone) {
      const double mine = cosine_to(slots, i, own);
      moves = best > mine + tolerance_;
      if (!moves) {
        second = std::max(second, best);
        best = mine;
      }
    }
    bounds_.set_upper(i, chord_up(best, tolerance_));
    bounds_.set_lower(i, chord_down(std::max(second, -1.0), tolerance_));
    if (moves) move(slots, i, which);
    if (1 - best > safe_cost_) costly_.emplace_back(i, best);
    return moves;
  }

  double cosine_to(const SphereClusters<T>& slots, Row i, int k) const {
    return slots.dot(points_.row(i), slots.center(k));
  }

  void move(SphereClusters<T>& slots, Row i, std::int32_t to) {
    slots.remove(label_[i], points_.row(i), points_.weight(i));
    slots.add_to_active(to, points_.row(i), points_.weight(i));
    label_[i] = to;
  }

  // Lists a row for which a birth, or the revival of a sleeping cluster, is cheaper than its present slot.
  void list_if_proposal(const SphereClusters<T>& slots, Row i, double cosine) {
    const double m = points_.deciding_weight(i), stay = m * (1 - cosine) - tolerance_;
    if (stay <= safe_cost_) return;
    bool is_proposal = stay > birth_;
    if (!is_proposal && !asleep_.empty()) {
      const int n = int(asleep_.size());
      poll_(std::int64_t(points_.d) * n);
      const float* const to_prior = prior_cosines_.of(i);
      if (!to_prior) dot_lanes<T>().dots(points_.row(i), points_.d, asleep_centers_.data(), n, dots_.data());
      for (int a = 0; !is_proposal && a < n; ++a) {
        const int k = asleep_[a];
        if (to_prior && !slots.may_return(k, m, to_prior[k] + prior_cosines_.rounding(), stay)) continue;
        is_proposal = slots.revival_cost(k, m, to_prior ? cosine_to(slots, i, k) : double(dots_[a])) < stay;
      }
    }
    if (is_proposal) proposals_.push_back(i);
  }

  const SphereRows<T>& points_;
  const PriorCosines& prior_cosines_;
  double birth_, tolerance_;
  std::vector<std::int32_t> label_;  // (n,) slot of each row
  ChordBounds<T> bounds_;
  std::vector<std::int32_t> active_, asleep_;
  RawVector<T> active_centers_, asleep_centers_;  // their centers, one after another
  double safe_cost_ = 0;                          // cost up to which neither a birth nor a revival is cheaper
  int first_newborn_ = 0;                         // among the active
  std::vector<T> dots_;
  CenterProducts products_;  // of rows and active centers; packed when the first row of a pass needs it
  std::vector<Row> proposals_, uncertain_;
  std::vector<std::pair<Row, double>> costly_;  // rows that may be proposals, and the cosine to their center
  Poll poll_;
};

}  // namespace dynmeans
