// Python bindings: kernel/kernel_descent.hpp (KD-Means). The arguments are documented in _core.pyi.
#include "kernel/kernel_arrays.hpp"
#include "kernel/kernel_descent.hpp"

namespace dynmeans {
namespace {

using Labels = Column<std::int32_t>;

// A label is an index into tables with one entry per remembered cluster and per row.
const std::int32_t* checked(const Labels& start, std::size_t n, std::size_t n_old) {
  if (start.shape(0) != n)
    throw std::invalid_argument("start must have one label per row: got " + std::to_string(start.shape(0)) +
                                " labels for " + std::to_string(n) + " rows");
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t label = start.data()[i];
    if (label < kNone || (label != kNone && std::size_t(label) >= n_old + n))
      throw std::invalid_argument("labels of start must lie in -1 .. " + std::to_string(n_old + n - 1) +
                                  ", got " + std::to_string(label) + " for row " + std::to_string(i));
  }
  return start.data();
}

nb::tuple kernel_descend(const Vector& weights, const Vector& diagonal, const Matrix<double>& y_phi,
                         const Vector& phi_phi, const Vector& gammas, const Vector& revival, double birth,
                         std::uint64_t seed, std::uint64_t step, std::uint64_t restart, int max_iter,
                         const Maybe<Labels>& start, const Maybe<Matrix<double>>& matrix,
                         const Maybe<Matrix<double>>& features, const Maybe<Matrix<double>>& phi_features,
                         const Maybe<Column<std::int64_t>>& begin, const Maybe<Labels>& neighbors,
                         const Maybe<Vector>& values) {
  const KernelView view = kernel_view(weights, diagonal, y_phi, phi_phi, gammas, revival);
  if (max_iter < 1)
    throw std::invalid_argument("max_iter must be at least 1, got " + std::to_string(max_iter));
  const std::int32_t* labels = start ? checked(*start, view.n, view.n_old) : nullptr;
  const KernelSearch search{birth, seed, step, restart, max_iter, labels};
  const KernelForm form{matrix, features, phi_features, begin, neighbors, values};
  KernelResult found = with_centers(view, form, [&](auto centers) {
    return KernelDescent<decltype(centers)>(view, search, std::move(centers)).run();
  });
  return nb::make_tuple(to_numpy(std::move(found.labels), {std::size_t(view.n)}), found.cost, found.n_iter);
}

}  // namespace

void bind_kdmeans(nb::module_& m) {
  m.def("kernel_descend", &kernel_descend, "weights"_a, "diagonal"_a, "y_phi"_a, "phi_phi"_a, "gammas"_a,
        "revival"_a, "birth"_a, "seed"_a, "step"_a, "restart"_a, "max_iter"_a, "start"_a = nb::none(),
        "matrix"_a = nb::none(), "features"_a = nb::none(), "phi_features"_a = nb::none(),
        "begin"_a = nb::none(), "neighbors"_a = nb::none(), "values"_a = nb::none(),
        "Cluster one batch by its kernel, which is a matrix, features, or compressed sparse rows: "
        "(labels, cost, n_iter).");
}

}  // namespace dynmeans
