// Python bindings: dmeans/. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <limits>
#include <stdexcept>

#include "bindings/dmeans/batch_arguments.hpp"
#include "bindings/dmeans/step_parts.hpp"
#include "dmeans/assignment/cheapest_clusters.hpp"
#include "dmeans/assignment/exclusive_assignment.hpp"
#include "dmeans/assignment/nearest_centers.hpp"
#include "dmeans/batch/deduplicate.hpp"
#include "dmeans/descent.hpp"
#include "dmeans/refinement/merge_clusters.hpp"
#include "support/numpy_arrays.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {
namespace {

// Slots of a large batch take two bytes if they fit, since the ids that the lifecycle returns take eight.
nb::object slots_to_python(std::vector<std::int32_t> slots, std::size_t n_slots) {
  constexpr std::size_t kLarge = 1 << 16;  // rows; and the number of slots that two bytes distinguish
  const std::size_t n = slots.size();
  if (n < kLarge || n_slots > kLarge) return to_numpy(std::move(slots), {n});
  return to_numpy(std::vector<std::uint16_t>(slots.begin(), slots.end()), {n});
}

// The result as Python unpacks it.
nb::tuple to_python(DescentResult result, std::size_t d) {
  const std::size_t k = result.slot_weights.size(), n_restarts = result.restart_costs.size();
  return nb::make_tuple(slots_to_python(std::move(result.slots), k),
                        to_numpy(std::move(result.centers), {k, d}),
                        to_numpy(std::move(result.slot_weights), {k}), result.cost, result.n_iter,
                        to_numpy(std::move(result.restart_costs), {n_restarts}));
}

}  // namespace

template <class T>
nb::tuple descend(const Matrix<T>& X, const std::optional<Vector>& weights, const Matrix<double>& centers,
                  const Vector& gammas, const Vector& revival, double birth, std::uint64_t seed,
                  std::uint64_t step, int n_restarts, int max_iter, int n_threads, bool refine, int epoch) {
  const Row n = Row(X.shape(0));
  const int d = int(X.shape(1));
  const PriorView prior{centers.data(), gammas.data(), revival.data(), int(gammas.shape(0))};
  check_tables(X, weights, centers, gammas, revival);
  if (epoch < -1) throw std::invalid_argument("epoch must be -1, 0 or a number of rows");
  // A fixed epoch is for tests: they need threads on small batches too.
  const int threads =
      epoch > 0 ? std::max(n_threads, 1) : useful_threads(n_threads, double(n) * d * (prior.n + 16));
  const DescentOptions options{birth, seed, step, n_restarts, max_iter, refine, epoch};
  DescentResult result;
  {
    nb::gil_scoped_release unlocked;
    ThreadPool pool(threads);
    result = descend_distinct(X.data(), weights ? weights->data() : nullptr, n, d,
                              [&](const T* rows, const double* m, Row count) {
                                const BatchView<T> points(rows, m, count, d, pool);
                                return Descent<T>(points, prior, options, pool).run();
                              });
  }
  return to_python(std::move(result), d);
}

template nb::tuple descend(const Matrix<float>&, const std::optional<Vector>&, const Matrix<double>&,
                           const Vector&, const Vector&, double, std::uint64_t, std::uint64_t, int, int, int,
                           bool, int);
template nb::tuple descend(const Matrix<double>&, const std::optional<Vector>&, const Matrix<double>&,
                           const Vector&, const Vector&, double, std::uint64_t, std::uint64_t, int, int, int,
                           bool, int);

template <class T>
nb::tuple assign_exclusive(const Matrix<T>& X, const std::optional<Vector>& weights,
                           const Matrix<double>& centers, const Vector& gammas, const Vector& revival,
                           double birth) {
  const std::size_t n = X.shape(0), n_old = gammas.shape(0);
  check_tables(X, weights, centers, gammas, revival);
  if (n + n_old > std::size_t(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument("rows and clusters must be fewer than 2^31");
  const PriorView prior{centers.data(), gammas.data(), revival.data(), int(n_old)};
  DescentResult result;
  {
    nb::gil_scoped_release unlocked;
    const double* m = weights ? weights->data() : nullptr;
    result = ExclusiveAssignment<T>(X.data(), m, int(n), int(X.shape(1)), prior, birth).run();
  }
  return to_python(std::move(result), X.shape(1));
}

template nb::tuple assign_exclusive(const Matrix<float>&, const std::optional<Vector>&, const Matrix<double>&,
                                    const Vector&, const Vector&, double);
template nb::tuple assign_exclusive(const Matrix<double>&, const std::optional<Vector>&,
                                    const Matrix<double>&, const Vector&, const Vector&, double);

namespace {

nb::object merge_clusters(const Matrix<double>& centers, const Vector& slot_weights,
                          const Matrix<double>& old_centers, const Vector& gammas, const Vector& revival,
                          double birth) {
  const std::size_t n = slot_weights.shape(0), d = centers.shape(1), n_old = gammas.shape(0);
  if (centers.shape(0) != n || n_old > n || old_centers.shape(0) != n_old || revival.shape(0) != n_old ||
      (n_old > 0 && old_centers.shape(1) != d))
    throw std::invalid_argument(
        "a slot must have a center and a weight, and the first slots are the old ones");
  const PriorView prior{old_centers.data(), gammas.data(), revival.data(), int(n_old)};
  ClusterMerger found(
      {{centers.data(), centers.data() + n * d}, {slot_weights.data(), slot_weights.data() + n}}, int(d),
      prior, birth);
  bool has_merged = false;
  {
    nb::gil_scoped_release unlocked;
    has_merged = found.run();
  }
  if (!has_merged) return nb::none();
  const std::size_t k = found.clusters().slot_weights.size();
  std::vector<std::int32_t> numbers(found.numbers());
  return nb::make_tuple(to_numpy(std::move(numbers), {n}),
                        to_numpy(std::move(found.clusters().centers), {k, d}),
                        to_numpy(std::move(found.clusters().slot_weights), {k}), found.cost_change());
}

template <class T>
nb::ndarray<nb::numpy, std::int32_t> nearest(const Matrix<T>& X, const Matrix<double>& centers,
                                             int n_threads) {
  const Row n = Row(X.shape(0));
  const int d = int(X.shape(1)), k = int(centers.shape(0));
  if (centers.shape(1) != X.shape(1) || (k < 1 && n > 0))
    throw std::invalid_argument("there must be a center, and each must be as long as a row");
  std::vector<std::int32_t> which(n);
  {
    nb::gil_scoped_release unlocked;
    nearest_centers(X.data(), n, d, centers.data(), k, useful_threads(n_threads, double(n) * d * k),
                    which.data());
  }
  return to_numpy(std::move(which), {std::size_t(n)});
}

template <class T>
nb::ndarray<nb::numpy, std::int32_t> cheapest(const Matrix<T>& X, const Matrix<double>& centers,
                                              const Vector& gammas, const Vector& revival, int n_threads) {
  const Row n = Row(X.shape(0));
  const int d = int(X.shape(1));
  check_tables(X, std::nullopt, centers, gammas, revival);
  const PriorView prior{centers.data(), gammas.data(), revival.data(), int(gammas.shape(0))};
  if (prior.n < 1 && n > 0) throw std::invalid_argument("there must be a cluster");
  std::vector<std::int32_t> which(n);
  {
    nb::gil_scoped_release unlocked;
    cheapest_clusters(X.data(), n, d, prior, useful_threads(n_threads, double(n) * d * prior.n),
                      which.data());
  }
  return to_numpy(std::move(which), {std::size_t(n)});
}

template <class T>
void bind_rows(nb::module_& m) {
  m.def("descend", &descend<T>, "X"_a.noconvert(), "weights"_a.none(), "centers"_a, "gammas"_a, "revival"_a,
        "birth"_a, "seed"_a, "step"_a, "n_restarts"_a, "max_iter"_a, "n_threads"_a, "refine"_a = false,
        "epoch"_a = 0, "Cluster one batch: (slots, centers, slot weights, cost, n_iter, restart_costs).");
  m.def("assign_exclusive", &assign_exclusive<T>, "X"_a.noconvert(), "weights"_a.none(), "centers"_a,
        "gammas"_a, "revival"_a, "birth"_a,
        "Cluster one batch with at most one row per cluster; the result is as that of descend.");
  m.def("nearest_centers", &nearest<T>, "X"_a.noconvert(), "centers"_a, "n_threads"_a,
        "Index of the nearest center of every row.");
  m.def("cheapest_clusters", &cheapest<T>, "X"_a.noconvert(), "centers"_a, "gammas"_a, "revival"_a,
        "n_threads"_a, "Index of the cluster of least cost for each row in a batch of its own.");
}

}  // namespace

void bind_dmeans(nb::module_& m) {
  bind_rows<double>(m);
  bind_rows<float>(m);
  m.def(
      "merge_clusters", &merge_clusters, "centers"_a, "slot_weights"_a, "old_centers"_a, "gammas"_a,
      "revival"_a, "birth"_a,
      "Merge clusters that are not worth a birth into older ones: (new slots, centers, slot weights, change "
      "of the cost), or None if there are none.");
}

}  // namespace dynmeans
