// The minimum spanning tree as Python sees it.
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "cut_tree.hpp"
#include "flood.hpp"
#include "spanning_tree.hpp"

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

// Without the lock of Python.
SpanningEdges edges_of(const Matrix<double>& X, double unit, int n_threads) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  const int threads = useful_threads(n_threads, 100.0 * double(n) * double(d));
  return spanning_tree(X.data(), std::int32_t(n), int(d), unit, threads);
}

nb::tuple spanning_tree_of(const Matrix<double>& X, int n_threads) {
  const double unit = checked_unit(X);
  SpanningEdges edges;
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
    if (n <= few_rows(d)) {
      cut = Flood(X.data(), n, d, unit, scale).run();
    } else {
      const SpanningEdges edges = edges_of(X, unit, n_threads);
      cut = TreeCutter(edges.ends.data(), edges.lengths.data(), std::int32_t(n), scale).run();
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

}  // namespace

void bind_spanning_tree(nb::module_& m) {
  m.def("spanning_tree", &spanning_tree_of, "X"_a.noconvert(), "n_threads"_a = 0,
        "Minimum Euclidean spanning tree of the rows: (edges (n - 1, 2), lengths (n - 1,)).");
  m.def("cut_forest", &cut_forest, "X"_a.noconvert(), "scale"_a, "n_threads"_a = 0,
        "That tree without edges longer than the scale: (component (n,), parent (m,), length (m,)).");
  m.def("tree_distances", &tree_distances_of, "parent"_a, "length"_a,
        "Sums of the edges between any two components of a tree, parents first: (m, m).");
}

}  // namespace dynmeans
