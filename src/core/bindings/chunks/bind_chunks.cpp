// Python bindings: dmeans/chunks/chunk_descent.hpp, the rows of a batch on one of several machines. The
// arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include "bindings/chunks/chunk_arguments.hpp"
#include "dmeans/chunks/chunk_descent.hpp"

namespace dynmeans {
namespace {

nb::tuple rows_to_python(RowList&& list, std::size_t d) {
  const std::size_t n = list.rows.size(), n_costs = list.costs.size();
  return nb::make_tuple(to_numpy(std::move(list.rows), {n}), to_numpy(std::move(list.y), {n, d}),
                        to_numpy(std::move(list.weights), {n}), to_numpy(std::move(list.slots), {n}),
                        to_numpy(std::move(list.costs), {n_costs}));
}

// Sums of the slots that rows came to or left.
nb::tuple sums_to_python(const ClusterSums& sums, int n_slots) {
  std::vector<std::int32_t> touched;
  std::vector<double> numbers, weights;
  std::vector<std::int64_t> rows;
  for (int k = 0; k < n_slots; ++k) {
    if (sums.is_blank(k)) continue;
    touched.push_back(k);
    numbers.insert(numbers.end(), sums.numbers(k), sums.numbers(k) + sums.n_numbers());
    weights.insert(weights.end(), sums.weight_numbers(k), sums.weight_numbers(k) + sums.n_weight_numbers());
    rows.push_back(sums.rows(k));
  }
  const std::size_t n = touched.size();
  return nb::make_tuple(
      to_numpy(std::move(touched), {n}), to_numpy(std::move(numbers), {n, sums.n_numbers()}),
      to_numpy(std::move(weights), {n, sums.n_weight_numbers()}), to_numpy(std::move(rows), {n}));
}

template <class T>
class Chunk {
 public:
  Chunk(const Matrix<T>& X, const std::optional<Vector>& weights, const Vector& shift, double radius,
        const Vector& largest, const Vector& smallest, const Vector& weight_sizes, Row first, Row n_total,
        const Matrix<double>& centers, const Vector& gammas, const Vector& revival, double birth)
      : rows_(X),
        weights_(weights),
        n_total_(n_total),
        prior_(centers, gammas, revival),
        points_(rows_.data(), weights ? weights_->data() : nullptr, Row(X.shape(0)), int(X.shape(1)),
                batch_scale<T>(shift, radius, largest, smallest, weight_sizes, n_total)),
        descent_(points_, prior_.view(), birth, first) {
    require(shift.size() == X.shape(1) && centers.shape(1) == X.shape(1),
            "centers and shift must be as long as a row");
    require(!weights || weights->size() == X.shape(0), "a row must have a weight");
    require(first >= 0 && first + points_.n <= n_total, "the chunk must lie within the batch");
  }

  void set_slots(const Slots& active, const Matrix<double>& centers) {
    require(centers.shape(0) == active.size() && centers.shape(1) == std::size_t(points_.d),
            "a slot must have a center");
    require(int(active.size()) >= int(prior_.gammas.size()), "an old cluster must have a slot");
    descent_.slots().copy_slots(int(active.size()), active.data(), centers.data());
  }

  nb::tuple first_pass(const Slots& labels, std::uint64_t seed, std::uint64_t step, std::uint64_t restart,
                       Row validated_first, Row first, Row last, const Slots& activated,
                       const Numbers& activated_at, const Numbers& visits, const Slots& slots) {
    check_labels(labels);
    require(activated.size() == activated_at.size() && visits.size() == slots.size(),
            "a validated proposal must have a slot");
    std::vector<std::int32_t> found(labels.data(), labels.data() + labels.size());
    RowList proposals;
    {
      nb::gil_scoped_release unlocked;
      Random random(seed, step, restart);
      const VisitingOrder order(n_total_, random);
      ValidatedEpoch epoch{validated_first,
                           first,
                           {activated.data(), activated.data() + activated.size()},
                           {activated_at.data(), activated_at.data() + activated.size()},
                           visits.data(),
                           slots.data(),
                           visits.size()};
      descent_.label_epoch(order, epoch, found.data());
      proposals = descent_.compare_epoch(order, first, last, found.data());
    }
    return nb::make_tuple(to_numpy(std::move(found), {labels.size()}),
                          rows_to_python(std::move(proposals), points_.d));
  }

  nb::tuple sums(const Slots& labels) const {
    check_labels(labels);
    std::optional<ClusterSums> sums;
    {
      nb::gil_scoped_release unlocked;
      sums = descent_.sums(labels.data());
    }
    return sums_to_python(*sums, descent_.slots().count());
  }

  nb::tuple pass(const Slots& labels, const Matrix<std::uint16_t>& bounds, const Matrix<double>& before,
                 bool trusted, const Numbers& moved_rows, const Slots& moved_slots) {
    check_labels(labels);
    const std::size_t n = labels.size();
    require(bounds.shape(0) == 2 && bounds.shape(1) == n, "a row must have two bounds");
    require(
        before.shape(0) == std::size_t(descent_.slots().count()) && before.shape(1) == std::size_t(points_.d),
        "a slot must have a center before");
    require(moved_rows.size() == moved_slots.size(), "a row that moved must have a slot");
    for (std::size_t p = 0; p < moved_rows.size(); ++p)
      require(moved_rows(p) >= 0 && moved_rows(p) < points_.n, "a row that moved must be in the chunk");
    Assignment<T> assignment = descent_.assignment();
    std::optional<typename ChunkDescent<T>::Pass> found;
    {
      nb::gil_scoped_release unlocked;
      assignment.resume(labels.data(), bounds.data(), bounds.data() + n, before.data(), trusted,
                        descent_.slots());
      for (std::size_t p = 0; p < moved_rows.size(); ++p) assignment.relabel(moved_rows(p), moved_slots(p));
      found = descent_.pass(assignment);
    }
    const auto& upper = assignment.bounds().upper();
    std::vector<std::uint16_t> kept(upper.begin(), upper.end());
    kept.insert(kept.end(), assignment.bounds().lower().begin(), assignment.bounds().lower().end());
    return nb::make_tuple(to_numpy(std::vector<std::int32_t>(assignment.labels()), {n}),
                          to_numpy(std::move(kept), {2, n}),
                          sums_to_python(found->moved, descent_.slots().count()),
                          rows_to_python(std::move(found->proposals), points_.d));
  }

  nb::object cost(const Slots& labels) const {
    check_labels(labels);
    ExactSum cost;
    {
      nb::gil_scoped_release unlocked;
      cost = descent_.cost(labels.data());
    }
    const auto digits = cost.digits();
    return to_numpy(std::vector<std::int64_t>(digits.begin(), digits.end()), {digits.size()});
  }

 private:
  void check_labels(const Slots& labels) const {
    require(Row(labels.size()) == points_.n, "a row must have a label");
  }

  Matrix<T> rows_;
  std::optional<Vector> weights_;
  Row n_total_;
  OwnedPrior prior_;
  BatchView<T> points_;
  mutable ChunkDescent<T> descent_;
};

template <class T>
void bind_chunk(nb::module_& m, const char* name) {
  nb::class_<Chunk<T>>(m, name, "Some rows of a batch, for one pass of a descent.")
      .def(nb::init<const Matrix<T>&, const std::optional<Vector>&, const Vector&, double, const Vector&,
                    const Vector&, const Vector&, Row, Row, const Matrix<double>&, const Vector&,
                    const Vector&, double>(),
           "X"_a.noconvert(), "weights"_a.none(), "shift"_a, "radius"_a, "largest"_a, "smallest"_a,
           "weight_sizes"_a, "first"_a, "n_total"_a, "centers"_a, "gammas"_a, "revival"_a, "birth"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("set_slots", &Chunk<T>::set_slots, "active"_a, "centers"_a,
           "Compare with these slots from now on.")
      .def("first_pass", &Chunk<T>::first_pass, "labels"_a, "seed"_a, "step"_a, "restart"_a,
           "validated_first"_a, "first"_a, "last"_a, "activated"_a, "activated_at"_a, "visits"_a, "slots"_a,
           "Label the rows of a validated epoch and compare those of the next: (labels, proposals).")
      .def("sums", &Chunk<T>::sums, "labels"_a, "Sums of all rows: (slots, sums, weights, counts).")
      .def("run_pass", &Chunk<T>::pass, "labels"_a, "bounds"_a, "before"_a, "trusted"_a, "moved_rows"_a,
           "moved_slots"_a, "Move every row to its nearest active slot: (labels, bounds, sums, proposals).")
      .def("cost", &Chunk<T>::cost, "labels"_a, "Digits of the exact sum of the distances of all rows.");
}

}  // namespace

void bind_chunks(nb::module_& m) {
  bind_chunk<float>(m, "FloatChunk");
  bind_chunk<double>(m, "DoubleChunk");
}

}  // namespace dynmeans
