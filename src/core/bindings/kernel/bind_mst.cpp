// Python bindings: mst/. The arguments are documented in _core.pyi.
#include <stdexcept>
#include <string>

#include "mst/boruvka_mst.hpp"
#include "mst/component_kernel.hpp"
#include "mst/mst_components.hpp"
#include "mst/threshold_components.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

// A power of two that keeps squares of distances finite.
double checked_unit(const Matrix<double>& X) {
  const std::size_t n = X.shape(0);
  if (n < 1 || n > std::size_t(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument("X has " + std::to_string(n) + " rows; it must have 1 to 2147483647");
  const double unit = safe_unit(X.data(), n * X.shape(1));
  if (!(unit > 0)) throw std::invalid_argument("X holds NaN or infinity; every coordinate must be finite");
  return unit;
}

// Runs without the GIL.
TreeEdges edges_of(const Matrix<double>& X, double unit, int n_threads) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  const int threads = useful_threads(n_threads, 100.0 * double(n) * double(d));
  return spanning_tree(X.data(), std::int32_t(n), int(d), unit, threads);
}

nb::tuple spanning_tree_of(const Matrix<double>& X, int n_threads) {
  const double unit = checked_unit(X);
  TreeEdges edges;
  {
    nb::gil_scoped_release unlocked;
    edges = edges_of(X, unit, n_threads);
  }
  const std::size_t n = X.shape(0);
  return nb::make_tuple(to_numpy(std::move(edges.ends), {n - 1, 2}),
                        to_numpy(std::move(edges.lengths), {n - 1}));
}

nb::tuple cut_forest(const Matrix<double>& X, double scale, int n_threads) {
  const std::int64_t n = std::int64_t(X.shape(0));
  const int d = int(X.shape(1));
  const double unit = checked_unit(X);
  CutTree cut;
  {
    nb::gil_scoped_release unlocked;
    if (n <= max_prim_rows(d)) {
      cut = ThresholdComponents(X.data(), n, d, unit, scale).run();
    } else {
      const TreeEdges edges = edges_of(X, unit, n_threads);
      cut = MstCutter(edges.ends.data(), edges.lengths.data(), std::int32_t(n), scale).run();
    }
  }
  const std::size_t m = cut.parent.size();
  return nb::make_tuple(to_numpy(std::move(cut.component), {std::size_t(n)}),
                        to_numpy(std::move(cut.parent), {m}), to_numpy(std::move(cut.length), {m}));
}

nb::ndarray<nb::numpy, double> tree_distances_of(const Column<std::int64_t>& parent, const Vector& length) {
  const std::size_t m = parent.shape(0);
  std::vector<double> distances(m * m);
  {
    nb::gil_scoped_release unlocked;
    tree_distances(parent.data(), length.data(), m, distances.data());
  }
  return to_numpy(std::move(distances), {m, m});
}

nb::tuple component_similarity(const Column<std::int64_t>& parent, const Vector& length, double scale,
                               const Column<std::int64_t>& components, const Vector& weights,
                               const Vector& coefficients, const Column<std::int64_t>& owner,
                               std::size_t n_old) {
  const std::size_t m = parent.shape(0), n_kept = owner.shape(0), n = weights.shape(0);
  if (length.shape(0) != m) throw std::invalid_argument("a component must have a parent and a length");
  if (coefficients.shape(0) != n_kept || components.shape(0) != n_kept + n)
    throw std::invalid_argument("every point must have a component, and a support point a coefficient");
  std::vector<double> matrix;
  ComponentSums found;
  {
    nb::gil_scoped_release unlocked;
    matrix = component_kernel(parent.data(), length.data(), m, scale);
    found = sum_components({matrix.data(), components.data(), weights.data(), coefficients.data(),
                            owner.data(), m, n_kept, n, n_old});
  }
  const std::size_t r = found.weights.size();
  nb::object some = nb::none();
  if (!found.matrix.empty()) some = to_numpy(std::move(found.matrix), {r, r});
  return nb::make_tuple(to_numpy(std::move(matrix), {m, m}), to_numpy(std::move(found.weights), {r}),
                        to_numpy(std::move(found.y_phi), {r, n_old}),
                        to_numpy(std::move(found.phi_phi), {n_old}), some,
                        to_numpy(std::move(found.group), {n}));
}

}  // namespace

void bind_mst(nb::module_& m) {
  m.def("minimum_spanning_tree", &spanning_tree_of, "X"_a.noconvert(), "n_threads"_a = 0,
        "Minimum Euclidean spanning tree of the rows: (edges (n - 1, 2), lengths (n - 1,)).");
  m.def("mst_components", &cut_forest, "X"_a.noconvert(), "scale"_a, "n_threads"_a = 0,
        "That tree without edges longer than the scale: (component (n,), parent (m,), length (m,)).");
  m.def("tree_distances", &tree_distances_of, "parent"_a, "length"_a,
        "Sums of the edges between any two components of a tree, parents first: (m, m).");
  m.def("component_similarity", &component_similarity, "parent"_a, "length"_a, "scale"_a, "components"_a,
        "weights"_a, "coefficients"_a, "owner"_a, "n_old"_a,
        "The kernel between components, between those with rows, and with old clusters: (matrix (m, m), "
        "weights (R,), y_phi (R, K), phi_phi (K,), matrix (R, R) or None if it is the same, group (n,)).");
}

}  // namespace dynmeans
