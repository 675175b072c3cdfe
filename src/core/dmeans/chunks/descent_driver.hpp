// Serial part of one restart of D-Means on a batch whose rows are on other machines.
//
// The driver owns the clusters. Chunks (ChunkDescent) compare their rows with them; the driver validates
// proposals one by one, in the seeded order, adds up sums and updates the centers.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "dmeans/batch/batch_view.hpp"
#include "dmeans/clusters.hpp"
#include "dmeans/finished_clusters.hpp"
#include "dmeans/first_pass/serial_validation.hpp"
#include "dmeans/first_pass/visiting_order.hpp"
#include "dmeans/label_update.hpp"
#include "support/random.hpp"
#include "support/signals.hpp"

namespace dynmeans {

// Rows that a chunk sent, one after another.
struct SentRows {
  const std::int64_t* rows;   // (p,) ascending: rows of the batch, or visits
  const double* y;            // (p, d)
  const double* weights;      // (p,)
  const std::int32_t* slots;  // (p,)
  const double* costs;        // (p,) or null
  std::size_t n;
};

struct ReassignedRows {
  std::vector<std::int64_t> rows;   // (p,)
  std::vector<std::int32_t> slots;  // (p,)
};

class DescentDriver {
 public:
  // birth: lambda; n: rows of the whole batch; seed, step, restart: of the random order
  DescentDriver(const PriorView& prior, const BatchScale<double>& scale, double birth, Row n,
                std::uint64_t seed, std::uint64_t step, std::uint64_t restart)
      : birth_(birth),
        scale_(scale),
        slots_(prior, scale_),
        random_(seed, step, restart),
        order_(n, random_),
        validation_(slots_, birth),
        update_(slots_, birth) {
    slots_.reset();
  }

  const Clusters& slots() const { return slots_; }
  const ActivatedSlots& activated() const { return validation_.activated(); }

  // First pass, step 2 of an epoch: the slots of the rows that proposed a birth or a revival.
  std::vector<std::int32_t> validate(const SentRows& proposals) {
    validation_.begin_epoch();
    std::vector<std::int32_t> slots(proposals.n);
    Poll poll;
    for (std::size_t p = 0; p < proposals.n; ++p) {
      poll(slots_.d() * (validation_.activated().size() + 1));
      slots[p] = validation_
                     .validate(proposals.rows[p], {proposals.y + p * slots_.d(), proposals.weights[p], {}},
                               {proposals.costs[p], proposals.slots[p]})
                     .slot;
    }
    return slots;
  }

  Clusters& slots() { return slots_; }

  // Later passes: assigns the rows of proposals in random order; returns those that moved, ascending.
  ReassignedRows reassign(const SentRows& proposals) {
    std::vector<Row> order(proposals.n);
    std::iota(order.begin(), order.end(), Row(0));
    random_.shuffle(order);
    std::vector<std::int32_t> slots(proposals.slots, proposals.slots + proposals.n);
    Poll poll;
    for (const Row p : order) {
      poll(Row(slots_.d()) * (slots_.count() + 1));
      slots[p] =
          assign_row({proposals.y + p * slots_.d(), proposals.weights[p], {}}, slots[p], update_, slots_);
    }
    ReassignedRows moved;
    for (std::size_t p = 0; p < proposals.n; ++p)
      if (slots[p] != proposals.slots[p]) {
        moved.rows.push_back(proposals.rows[p]);
        moved.slots.push_back(slots[p]);
      }
    if (!moved.rows.empty()) slots_.update_centers();
    return moved;
  }

  // The objective, given the distances of all rows.
  double objective(ExactSum cost_of_rows) const {
    add_cost_of_clusters(slots_, birth_, cost_of_rows);
    return cost_of_rows.value();
  }
  FinishedClusters finish() const { return FinishedClusters(slots_, scale_); }

 private:
  double birth_;
  BatchScale<double> scale_;
  Clusters slots_;
  Random random_;
  VisitingOrder order_;
  SerialValidation validation_;
  LabelUpdate update_;
};

}  // namespace dynmeans
