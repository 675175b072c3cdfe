// First pass of D-Means in epochs, by optimistic concurrency control (Pan, Gonzalez, Jegelka, Broderick and
// Jordan 2013). The result equals that of the serial loop bit for bit.
//
// Centers stay fixed during a pass. A row whose cheapest slot is active and costs at most a birth therefore
// affects no other row: only births and revivals need the serial order. In each epoch
//   1. all rows are compared, in parallel, with the slots as they are at its start;
//   2. rows that propose a birth or a revival are validated one by one, in the visiting order;
//   3. the other rows are compared, in parallel, with the slots that were activated before them.
// The sums of the slots are computed at the end.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "dmeans/assignment/block_comparison.hpp"
#include "dmeans/assignment/hamerly_assignment.hpp"
#include "dmeans/assignment/prior_distances.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/cluster_sums.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/first_pass/serial_validation.hpp"
#include "dmeans/first_pass/visiting_order.hpp"
#include "support/signals.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {

template <class T>
class FirstPass {
 public:
  // birth: lambda; epoch: rows of every epoch, or 0 to let epochs grow; slots, assignment: in, out
  FirstPass(const BatchView<T>& points, const PriorDistances& prior_distances, double birth, Row epoch,
            Clusters& slots, Assignment<T>& assignment, ThreadPool& pool)
      : points_(points),
        prior_distances_(prior_distances),
        birth_(birth),
        epoch_(epoch),
        slots_(slots),
        assignment_(assignment),
        pool_(pool),
        slots_at_start_(points, prior_distances, birth, slots),
        validation_(slots, birth),
        y_(points.d) {}

  void run(const VisitingOrder& order) {
    order_ = &order;
    found_.reserve(std::min(order.size(), std::max(epoch_, kMaxRows)));
    Row count = epoch_ > 0 ? epoch_ : kMinRows;
    for (Row first = 0; first < order.size(); first += count_) {
      first_ = first;
      count_ = std::min(count, order.size() - first);
      const double compared = double(count_) * slots_.count();
      const double n_serial = run_epoch();
      if (validation_.activated().size() > 0 || !keeps_bounds()) bounded_from_ = first_ + count_;
      if (epoch_ == 0)
        count = std::clamp(kShare * n_serial < compared ? 2 * count : count / 2, kMinRows, kMaxRows);
    }
    keep_bounds();
    add_sums();
  }

 private:
  // Rows of an epoch; the results of the largest take 256 kB, so they stay in the cache of a core.
  static constexpr Row kMinRows = 64, kMaxRows = 16384;
  // Epochs grow while the serial work is less than 1 / kShare of the parallel work.
  static constexpr double kShare = 16;
  static constexpr std::int64_t kChunkWork = 1 << 16;  // multiplications, about 20 microseconds

  // For narrow rows, a comparison is as fast as storing a bound.
  bool keeps_bounds() const { return points_.d >= kWide && slots_at_start_.is_worth_it(); }

  // Rows that were compared with all slots, because none was activated later, start the next pass with
  // bounds: 100,000 rows of 384 features and 200 clusters then take 2.3 instead of 4.1 passes of FAISS.
  void keep_bounds() {
    if (bounded_from_ >= order_->size() || prior_distances_.is_known()) return;
    for (Row visit = 0; visit < bounded_from_; ++visit) assignment_.bound_others((*order_)[visit], 0);
    assignment_.accept_bounds(slots_);
  }

  // Returns the number of comparisons that were made serially.
  double run_epoch() {
    found_.resize(count_);
    const Row work = Row(points_.d) * (slots_.count() + 1);
    const int chunks = int(std::clamp<Row>(count_ * work / kChunkWork, 1, std::min<Row>(64, count_)));
    proposals_.resize(chunks);
    slots_at_start_.pack(count_);
    others_.resize(keeps_bounds() ? count_ : 0);
    if (keeps_bounds()) assignment_.open_bounds();
    pool_.run(chunks, [&](int c) { compare(c, chunks); });
    const double n_serial = validate();
    validation_.activated().freeze(slots_);
    pool_.run(chunks, [&](int c) { label(c, chunks); });
    return n_serial;
  }

  // Step 1.
  void compare(int chunk, int chunks) {
    const Row begin = count_ * chunk / chunks, end = count_ * (chunk + 1) / chunks;
    std::vector<Row>& proposals = proposals_[chunk];
    proposals.clear();
    Poll poll;
    slots_at_start_.compare(
        begin, end, [&](Row b) { return row(b); }, found_.data(), keeps_bounds() ? others_.data() : nullptr,
        poll);
    for (Row b = begin; b < end; ++b)
      if (is_birth(found_[b], birth_) || !slots_.is_active(found_[b].slot)) proposals.push_back(b);
  }

  // Step 2.
  double validate() {
    validation_.begin_epoch();
    Poll poll;
    for (const std::vector<Row>& proposals : proposals_)
      for (const Row b : proposals) {
        poll(points_.d * (validation_.activated().size() + 1));
        const double* y = points_.shifted(row(b), y_.data());
        found_[b] =
            validation_.validate(b, {y, points_.weight(row(b)), prior_distances_.of(row(b))}, found_[b]);
      }
    return validation_.n_compared();
  }

  // Step 3. The rows that were validated already keep their slot.
  void label(int chunk, int chunks) {
    std::vector<double> y(points_.d);
    const ActivatedSlots& activated = validation_.activated();
    auto validated = proposals_[chunk].begin();
    Poll poll;
    for (Row b = count_ * chunk / chunks; b < count_ * (chunk + 1) / chunks; ++b) {
      poll(points_.d * (activated.size() + 1));
      if (validated != proposals_[chunk].end() && *validated == b) {
        ++validated;
      } else if (activated.any_before(b)) {
        const double* x = points_.shifted(row(b), y.data());
        if (activated.may_be_cheaper(x, decision_weight(b), found_[b].cost))
          found_[b] = activated.cheapest_before(b, x, decision_weight(b), found_[b], slots_);
      }
      assignment_.relabel(row(b), found_[b].slot);
      if (keeps_bounds()) assignment_.bound_others(row(b), others_[b]);
    }
  }

  // The sums do not depend on the order of the rows, so rows are added as they lie in memory: for 300,000
  // rows of 3 features 10 times as fast as in the visiting order. Each worker has separate sums.
  void add_sums() {
    const int chunks = int(std::clamp<Row>(points_.n / kSummed, 1, 64));
    std::vector<ClusterSums> sums(pool_.size(), ClusterSums(points_.scale.terms, points_.scale.weights));
    for (ClusterSums& part : sums) part.grow(slots_.count());
    pool_.run_on_workers(chunks, [&](int c, int worker) {
      std::vector<double> y(points_.d);
      Poll poll;
      for (Row i = points_.n * c / chunks; i < points_.n * (c + 1) / chunks; ++i) {
        poll(2 * points_.d);
        sums[worker].add(assignment_.labels()[i], points_.shifted(i, y.data()), points_.weight(i), +1);
      }
    });
    for (const ClusterSums& part : sums) slots_.add_sums(part);
  }

  Row row(Row b) const { return (*order_)[first_ + b]; }
  double decision_weight(Row b) const { return std::min(points_.weight(row(b)), 1.0); }

  static constexpr Row kSummed = 1024;  // rows of a chunk of sums

  const BatchView<T>& points_;
  const PriorDistances& prior_distances_;
  double birth_;
  Row epoch_;
  Clusters& slots_;
  Assignment<T>& assignment_;
  ThreadPool& pool_;
  const VisitingOrder* order_ = nullptr;
  Row first_ = 0, count_ = 0;                // visits of this epoch
  Row bounded_from_ = 0;                     // first visit whose bounds hold for all slots
  std::vector<Cheapest> found_;              // (count,)
  std::vector<double> others_;               // (count,) lower bounds on squared distances to other slots
  std::vector<std::vector<Row>> proposals_;  // of each chunk, ascending
  BlockComparison<T> slots_at_start_;
  SerialValidation validation_;
  std::vector<double> y_;
};

}  // namespace dynmeans
