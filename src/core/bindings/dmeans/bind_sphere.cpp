// Python bindings: sphere/. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <stdexcept>

#include "bindings/dmeans/batch_arguments.hpp"
#include "dmeans/batch/deduplicate.hpp"
#include "sphere/gram_descent.hpp"
#include "sphere/sphere_descent.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

template <class T>
nb::tuple descend_sphere(const Matrix<T>& X, const std::optional<Vector>& weights,
                         const Matrix<double>& centers, const Vector& gammas, const Vector& revival,
                         double birth, std::uint64_t seed, std::uint64_t step, int n_restarts, int max_iter,
                         bool refine) {
  const Row n = Row(X.shape(0));
  const int d = int(X.shape(1));
  check_tables(X, weights, centers, gammas, revival);
  const PriorView prior{centers.data(), gammas.data(), revival.data(), int(gammas.shape(0))};
  const DescentOptions options{birth, seed, step, n_restarts, max_iter, refine};
  SphereResult result;
  {
    nb::gil_scoped_release unlocked;
    result = descend_distinct(X.data(), weights ? weights->data() : nullptr, n, d,
                              [&](const T* rows, const double* m, Row count) {
                                const SphereRows<T> points{rows, m, count, d};
                                return SphereDescent<T>(points, prior, options).run();
                              });
  }
  const std::size_t k = result.slot_weights.size();
  return nb::make_tuple(to_numpy(std::move(result.slots), {std::size_t(n)}),
                        to_numpy(std::move(result.centers), {k, std::size_t(d)}),
                        to_numpy(std::move(result.slot_weights), {k}), result.cost, result.n_iter,
                        to_numpy(std::move(result.restart_costs), {std::size_t(n_restarts)}),
                        to_numpy(std::move(result.lengths), {k}), result.whole_cost);
}

NumpyArray<float> gram(const Matrix<float>& X) {
  const std::size_t n = X.shape(0);
  std::vector<float> found(n * n);
  {
    nb::gil_scoped_release unlocked;
    gram_matrix(X.data(), Row(n), int(X.shape(1)), found.data());
  }
  return to_numpy(std::move(found), {n, n});
}

nb::tuple descend_gram(const Matrix<float>& gram, double tolerance, double birth, std::uint64_t seed,
                       int max_iter) {
  const std::size_t n = gram.shape(0);
  if (gram.shape(1) != n) throw std::invalid_argument("a Gram matrix must be square");
  GramClusters found;
  {
    nb::gil_scoped_release unlocked;
    GramDescent descent(gram.data(), Row(n), tolerance);
    descent.run(birth, seed, max_iter);
    found = descent.result();
  }
  const std::size_t k = found.sizes.size();
  return nb::make_tuple(to_numpy(std::move(found.slots), {n}), to_numpy(std::move(found.cosines), {k, n}),
                        to_numpy(std::move(found.sizes), {k}));
}

template <class T>
void bind_rows(nb::module_& m) {
  m.def(
      "descend_sphere", &descend_sphere<T>, "X"_a.noconvert(), "weights"_a.none(), "centers"_a, "gammas"_a,
      "revival"_a, "birth"_a, "seed"_a, "step"_a, "n_restarts"_a, "max_iter"_a, "refine"_a = false,
      "Cluster one batch of unit rows: (slots, centers, slot weights, cost, n_iter, restart_costs, lengths, "
      "whole_cost).");
}

}  // namespace

void bind_sphere(nb::module_& m) {
  bind_rows<float>(m);
  bind_rows<double>(m);
  m.def("gram_matrix", &gram, "X"_a.noconvert(), "Dot products of all pairs of rows.");
  m.def("descend_gram", &descend_gram, "gram"_a.noconvert(), "tolerance"_a, "birth"_a, "seed"_a, "max_iter"_a,
        "Cluster unit rows by the cosines of all pairs: (slots, cosines, sizes).");
}

}  // namespace dynmeans
