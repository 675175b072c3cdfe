// The minimum spanning tree as Python sees it.
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "cut_tree.hpp"
#include "spanning_tree.hpp"

namespace dynmeans {
namespace {

nb::tuple spanning_tree_of(const Matrix<double>& X, int n_threads) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  if (n < 1 || n > std::size_t(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument("X has " + std::to_string(n) + " rows; it must have 1 to 2147483647");
  SpanningEdges edges;
  double unit;
  {
    nb::gil_scoped_release unlocked;
    unit = safe_unit(X.data(), n * d);
    const int threads = useful_threads(n_threads, 100.0 * double(n) * double(d));
    if (unit > 0) edges = spanning_tree(X.data(), std::int32_t(n), int(d), unit, threads);
  }
  if (!(unit > 0)) throw std::invalid_argument("X holds NaN or infinity; every coordinate must be finite");
  return nb::make_tuple(to_numpy(std::move(edges.ends), {n - 1, 2}),
                        to_numpy(std::move(edges.lengths), {n - 1}));
}

nb::tuple cut_tree_of(const Matrix<std::int32_t>& edges, const Vector& lengths, double scale) {
  const std::size_t n = edges.shape(0) + 1;
  CutTree cut;
  {
    nb::gil_scoped_release unlocked;
    cut = TreeCutter(edges.data(), lengths.data(), std::int32_t(n), scale).run();
  }
  const std::size_t m = cut.parent.size();
  return nb::make_tuple(to_numpy(std::move(cut.component), {n}), to_numpy(std::move(cut.parent), {m}),
                        to_numpy(std::move(cut.length), {m}));
}

}  // namespace

void bind_spanning_tree(nb::module_& m) {
  m.def("spanning_tree", &spanning_tree_of, "X"_a.noconvert(), "n_threads"_a = 0,
        "Minimum Euclidean spanning tree of the rows: (edges (n - 1, 2), lengths (n - 1,)).");
  m.def("cut_tree", &cut_tree_of, "edges"_a.noconvert(), "lengths"_a, "scale"_a,
        "A spanning tree without edges longer than the scale: (component (n,), parent (m,), length (m,)).");
}

}  // namespace dynmeans
