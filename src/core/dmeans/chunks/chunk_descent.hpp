// Passes of D-Means over one chunk of a batch whose other chunks are on other machines.
//
// The clusters do not change. The changes by the rows of the chunk are returned: proposals of births and
// revivals, and sums of the rows that moved. DescentDriver applies them.
#pragma once

#include <algorithm>
#include <vector>

#include "dmeans/assignment/block_comparison.hpp"
#include "dmeans/assignment/hamerly_assignment.hpp"
#include "dmeans/assignment/prior_distances.hpp"
#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/finished_clusters.hpp"
#include "dmeans/first_pass/serial_validation.hpp"
#include "dmeans/first_pass/visiting_order.hpp"

namespace dynmeans {

// Rows of a chunk, with the values that the driver needs to assign them.
struct RowList {
  std::vector<Row> rows;            // (p,) in the batch, or visits
  std::vector<double> y;            // (p, d) less the shift
  std::vector<double> weights;      // (p,)
  std::vector<std::int32_t> slots;  // (p,) own slot, or the cheapest one
  std::vector<double> costs;        // (p,) of that slot, for proposals

  // row: its number in the batch, or its visit; coordinates (d,)
  void add(Row row, const double* coordinates, int d, double weight, std::int32_t slot) {
    rows.push_back(row);
    y.insert(y.end(), coordinates, coordinates + d);
    weights.push_back(weight);
    slots.push_back(slot);
  }
};

// An epoch that the driver has validated.
struct ValidatedEpoch {
  Row first, last;                         // its visits: first .. last - 1
  std::vector<std::int32_t> activated;     // (w,) slots that became active
  std::vector<std::int64_t> activated_at;  // (w,) and the visits that activated them
  const std::int64_t* visits;              // (s,) of the rows that were validated, ascending
  const std::int32_t* slots;               // (s,) and their slots
  std::size_t n_validated;
};

template <class T>
class ChunkDescent {
 public:
  // first: number of the first row of the chunk in the batch
  ChunkDescent(const BatchView<T>& points, const PriorView& prior, double birth, Row first)
      : points_(points), birth_(birth), first_(first), slots_(prior, points.scale) {}

  Clusters& slots() { return slots_; }

  // First pass, step 3 of an epoch: final labels (n,) of its rows.
  void label_epoch(const VisitingOrder& order, const ValidatedEpoch& epoch, std::int32_t* labels) const {
    ActivatedSlots activated(points_.d);
    for (std::size_t w = 0; w < epoch.activated.size(); ++w)
      activated.add(epoch.activated[w], epoch.activated_at[w]);
    activated.freeze(slots_);
    std::vector<double> scratch(points_.d);
    Poll poll;
    order.for_visits(first_, first_ + points_.n, epoch.first, epoch.last, [&](Row row, Row visit) {
      const Row i = row - first_;
      poll(points_.d * (activated.size() + 1));
      if (labels[i] == kNone) {
        const auto* found = std::lower_bound(epoch.visits, epoch.visits + epoch.n_validated, visit);
        labels[i] = epoch.slots[found - epoch.visits];
      } else if (activated.any_before(visit)) {
        const double m = decision_weight(i), *y = points_.shifted(i, scratch.data());
        const Cheapest found{m * points_.squared_distance(i, slots_.center(labels[i])), labels[i]};
        if (activated.may_be_cheaper(y, m, found.cost))
          labels[i] = activated.cheapest_before(visit, y, m, found, slots_).slot;
      }
    });
  }

  // First pass, step 1 of an epoch: labels (n,) of its rows with the slots at its start, -1 for proposals.
  RowList compare_epoch(const VisitingOrder& order, Row first, Row last, std::int32_t* labels) const {
    std::vector<Row> rows, visits;
    order.for_visits(first_, first_ + points_.n, first, last, [&](Row row, Row visit) {
      rows.push_back(row - first_);
      visits.push_back(visit);
    });
    const Row count = Row(rows.size());
    std::vector<Cheapest> found(count);
    BlockComparison<T> comparison(points_, nothing_, birth_, slots_);
    comparison.pack(count);
    Poll poll;
    comparison.compare(0, count, [&](Row b) { return rows[b]; }, found.data(), nullptr, poll);
    RowList proposals;  // rows for which a birth or a revival is cheaper than their slot
    std::vector<double> scratch(points_.d);
    for (Row b = 0; b < count; ++b) {
      const Row i = rows[b];
      const bool is_proposal = is_birth(found[b], birth_) || !slots_.is_active(found[b].slot);
      labels[i] = is_proposal ? kNone : found[b].slot;
      if (!is_proposal) continue;
      proposals.add(visits[b], points_.shifted(i, scratch.data()), points_.d, points_.weight(i),
                    found[b].slot);
      proposals.costs.push_back(found[b].cost);
    }
    return proposals;
  }

  // Sums of the rows of every slot.
  ClusterSums sums(const std::int32_t* labels) const {
    ClusterSums sums(points_.scale.terms, points_.scale.weights);
    sums.grow(slots_.count());
    std::vector<double> scratch(points_.d);
    Poll poll;
    for (Row i = 0; i < points_.n; ++i) {
      poll(2 * points_.d);
      sums.add(labels[i], points_.shifted(i, scratch.data()), points_.weight(i), +1);
    }
    return sums;
  }

  // A later pass. `assignment` has the labels and bounds.
  struct Pass {
    ClusterSums moved;  // sums of the rows that joined, minus those that left
    RowList proposals;  // rows for which a birth or a revival is cheaper than their slot
  };

  Pass pass(Assignment<T>& assignment) const {
    ThreadPool pool(1);
    Pass result{{points_.scale.terms, points_.scale.weights}, {}};
    result.moved.grow(slots_.count());
    std::vector<double> scratch(points_.d);
    for (const WorkerUpdate<T>& moves : assignment.compare_all(slots_, pool)) {
      for (int k = 0; moves.any && k < slots_.count(); ++k) result.moved.merge(k, moves.sums, k);
      for (const Row i : moves.proposals)
        result.proposals.add(first_ + i, points_.shifted(i, scratch.data()), points_.d, points_.weight(i),
                             assignment.labels()[i]);
    }
    return result;
  }

  // Distances of the rows in the objective.
  ExactSum cost(const std::int32_t* labels) const {
    ExactSum cost;
    add_cost_of_rows(points_, 0, points_.n, labels, slots_, cost);
    return cost;
  }

  Assignment<T> assignment() const { return Assignment<T>(points_, nothing_, birth_); }

 private:
  double decision_weight(Row i) const { return std::min(points_.weight(i), 1.0); }

  const BatchView<T>& points_;
  const PriorDistances nothing_;
  double birth_;
  Row first_;
  Clusters slots_;
};

}  // namespace dynmeans
