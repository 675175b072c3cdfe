// Python bindings: sphere/. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <stdexcept>

#include "dmeans/batch/deduplicate.hpp"
#include "sphere/gram_descent.hpp"
#include "sphere/sphere_descent.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

// Merges equal rows before the descent. in: data (n, d), weights (n,) or null for ones
template <class T>
SphereResult descend_rows(const T* data, const double* weights, Row n, int d, const PriorView& prior,
                          const DescentOptions& options) {
  const auto distinct = deduplicate(data, weights, n, d);
  if (!distinct) {
    const SphereRows<T> points{data, weights, n, d};
    return SphereDescent<T>(points, prior, options).run();
  }
  const SphereRows<T> points{distinct->rows.data(), distinct->weights.data(), Row(distinct->weights.size()),
                             d};
  SphereResult result = SphereDescent<T>(points, prior, options).run();
  std::vector<std::int32_t> slots(n);
  for (Row i = 0; i < n; ++i) slots[i] = result.slots[distinct->of[i]];
  result.slots = std::move(slots);
  return result;
}

template <class T>
nb::tuple descend_sphere(const Matrix<T>& X, const std::optional<Vector>& weights,
                         const Matrix<double>& centers, const Vector& gammas, const Vector& revival,
                         double birth, std::uint64_t seed, std::uint64_t step, int n_restarts, int max_iter,
                         bool refine) {
  const Row n = Row(X.shape(0));
  const int d = int(X.shape(1));
  const std::size_t n_old = gammas.shape(0);
  if (centers.shape(1) != X.shape(1) || centers.shape(0) != n_old || revival.shape(0) != n_old)
    throw std::invalid_argument("an old cluster must have a center as long as a row, a gamma and a revival");
  if (weights && weights->shape(0) != X.shape(0)) throw std::invalid_argument("a row must have a weight");
  const PriorView prior{centers.data(), gammas.data(), revival.data(), int(n_old)};
  const DescentOptions options{birth, seed, step, n_restarts, max_iter, refine};
  SphereResult result;
  {
    nb::gil_scoped_release unlocked;
    result = descend_rows(X.data(), weights ? weights->data() : nullptr, n, d, prior, options);
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
