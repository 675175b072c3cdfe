// Python bindings: SD-Means: all of it in one call, and each stage alone. The arguments are documented in
// _core.pyi.
#include "kernel/kernel_arrays.hpp"
#include "kernel/spectral/spectral_clustering.hpp"
#include "kernel/spectral/spectral_relaxation.hpp"

namespace dynmeans {
namespace {

nb::tuple eigenpairs(const Matrix<double>& matrix, double threshold, int at_least) {
  const std::size_t n = matrix.shape(0);
  if (n < 1 || matrix.shape(1) != n || at_least < 0 || std::size_t(at_least) > n)
    throw std::invalid_argument("matrix must be square, with at_least lines or more");
  const Lapack& routines = lapack();
  Eigenpairs pairs;
  {
    nb::gil_scoped_release unlocked;
    std::vector<double> copy(matrix.data(), matrix.data() + n * n);
    pairs = SymmetricMatrix(std::move(copy), int(n), routines).above(threshold, at_least);
  }
  const std::size_t c = pairs.values.size();
  return nb::make_tuple(to_numpy(std::move(pairs.values), {c}), to_numpy(std::move(pairs.vectors), {n, c}));
}

void check_square(const Matrix<double>& matrix, const KernelView& view) {
  if (matrix.shape(0) != std::size_t(view.n) || matrix.shape(1) != std::size_t(view.n) || view.n < 1)
    throw std::invalid_argument("matrix must be square with one line per row");
}

nb::tuple relax_of(const Vector& weights, const Vector& diagonal, const Matrix<double>& y_phi,
                   const Vector& phi_phi, const Vector& gammas, const Vector& revival, double birth,
                   const Matrix<double>& matrix) {
  const KernelView view = kernel_view(weights, diagonal, y_phi, phi_phi, gammas, revival);
  check_square(matrix, view);
  const Lapack& routines = lapack();
  Relaxed found;
  {
    nb::gil_scoped_release unlocked;
    found = relax(view, matrix.data(), birth, routines);
  }
  const std::size_t size = view.n + view.n_old, c = found.pairs.values.size();
  return nb::make_tuple(to_numpy(std::move(found.pairs.values), {c}),
                        to_numpy(std::move(found.pairs.vectors), {size, c}), found.bound);
}

double relaxed_bound_of(const Vector& values, const Vector& weights, const Vector& diagonal,
                        const Matrix<double>& y_phi, const Vector& phi_phi, const Vector& gammas,
                        const Vector& revival, double birth) {
  const KernelView view = kernel_view(weights, diagonal, y_phi, phi_phi, gammas, revival);
  return relaxed_bound(view, birth, values.data(), values.shape(0));
}

nb::tuple embed_rows(const Matrix<double>& vectors, const Vector& weights, const Vector& gammas) {
  const std::size_t n = weights.shape(0), n_old = gammas.shape(0);
  if (n < 1 || vectors.shape(0) != n + n_old)
    throw std::invalid_argument("vectors must have a line for each point and each old cluster");
  Embedding found = embed(
      {vectors.data(), weights.data(), gammas.data(), int(n), int(n_old), int(vectors.shape(1))}, lapack());
  return nb::make_tuple(to_numpy(std::move(found.rows), {n, std::size_t(found.c)}),
                        to_numpy(std::move(found.lengths), {n}));
}

nb::tuple round_rows(const Matrix<double>& rows, const Vector& lengths, const Vector& weights, int first,
                     int max_iter) {
  const std::size_t n = rows.shape(0), c = rows.shape(1);
  if (first < 0 || std::size_t(first) >= n || c < 1)
    throw std::invalid_argument("first must be one of " + std::to_string(n) + " rows, got " +
                                std::to_string(first));
  if (lengths.shape(0) != n || weights.shape(0) != n)
    throw std::invalid_argument("lengths and weights must have one entry per row");
  const UnitRows view{rows.data(), lengths.data(), weights.data(), int(n), int(c)};
  Rounded result = YuShiRounding(view, lapack()).run(first, max_iter);
  return nb::make_tuple(to_numpy(std::move(result.labels), {n}), result.n_iter, result.mean_cosine);
}

nb::ndarray<nb::numpy, std::int64_t> cheapest_slots(const Matrix<double>& apart, const Vector& weight,
                                                    const Vector& gammas, const Vector& revival,
                                                    double birth) {
  const std::size_t n_found = apart.shape(0), n_old = apart.shape(1);
  if (weight.shape(0) != n_found || gammas.shape(0) != n_old || revival.shape(0) != n_old)
    throw std::invalid_argument("apart must have one line per cluster and one column per old cluster");
  std::vector<double> change(apart.data(), apart.data() + n_found * n_old);
  link_costs(change, weight.data(), gammas.data(), revival.data(), n_old, birth);
  return to_numpy(LinearAssignment(change.data(), int(n_found), int(n_old)).run(), {n_found});
}

void check_search(int n_restarts, int max_iter) {
  if (n_restarts < 1 || max_iter < 1)
    throw std::invalid_argument("n_restarts and max_iter must be at least 1, got " +
                                std::to_string(n_restarts) + " and " + std::to_string(max_iter));
}

nb::tuple cluster_vectors(const Matrix<double>& vectors, const Vector& weights, const Vector& diagonal,
                          const Matrix<double>& y_phi, const Vector& phi_phi, const Vector& gammas,
                          const Vector& revival, double birth, std::uint64_t seed, std::uint64_t step,
                          int n_restarts, int max_iter, bool refine, const Maybe<Matrix<double>>& matrix,
                          const Maybe<Matrix<double>>& features, const Maybe<Matrix<double>>& phi_features,
                          const Maybe<Column<std::int64_t>>& begin,
                          const Maybe<Column<std::int32_t>>& neighbors, const Maybe<Vector>& values) {
  const KernelView view = kernel_view(weights, diagonal, y_phi, phi_phi, gammas, revival);
  if (view.n < 1 || vectors.shape(0) != std::size_t(view.n + view.n_old) || vectors.shape(1) < 1)
    throw std::invalid_argument("vectors must have a line for each row and each old cluster");
  check_search(n_restarts, max_iter);
  const SpectralSearch search{birth, seed, step, n_restarts, max_iter, refine};
  const KernelForm form{matrix, features, phi_features, begin, neighbors, values};
  const Lapack& routines = lapack();
  SpectralResult found = with_centers(view, form, [&](const auto& centers) {
    SpectralClusters clusters(view, search, centers);
    return clusters.run(vectors.data(), int(vectors.shape(1)), routines);
  });
  return nb::make_tuple(to_numpy(std::move(found.labels), {std::size_t(view.n)}), found.n_iter,
                        to_numpy(std::move(found.restart_costs), {std::size_t(n_restarts)}));
}

nb::tuple cluster_matrix(const Vector& weights, const Vector& diagonal, const Matrix<double>& y_phi,
                         const Vector& phi_phi, const Vector& gammas, const Vector& revival, double birth,
                         const Matrix<double>& matrix, std::uint64_t seed, std::uint64_t step, int n_restarts,
                         int max_iter, bool refine) {
  const KernelView view = kernel_view(weights, diagonal, y_phi, phi_phi, gammas, revival);
  check_square(matrix, view);
  check_search(n_restarts, max_iter);
  const Lapack& routines = lapack();
  Relaxed relaxed;
  SpectralResult found;
  {
    nb::gil_scoped_release unlocked;
    relaxed = relax(view, matrix.data(), birth, routines);
    const DenseCenters centers(view, matrix.data());
    SpectralClusters clusters(view, {birth, seed, step, n_restarts, max_iter, refine}, centers);
    found = clusters.run(relaxed.pairs.vectors.data(), int(relaxed.pairs.values.size()), routines);
  }
  return nb::make_tuple(to_numpy(std::move(found.labels), {std::size_t(view.n)}), found.n_iter,
                        to_numpy(std::move(found.restart_costs), {std::size_t(n_restarts)}), relaxed.bound,
                        relaxed.pairs.values.size());
}

}  // namespace

void bind_sdmeans(nb::module_& m) {
  m.def("eigenpairs", &eigenpairs, "matrix"_a, "threshold"_a, "at_least"_a,
        "Eigenpairs of a symmetric matrix above a threshold, descending: (values (c,), vectors (n, c)).");
  m.def("relax", &relax_of, "weights"_a, "diagonal"_a, "y_phi"_a, "phi_phi"_a, "gammas"_a, "revival"_a,
        "birth"_a, "matrix"_a,
        "Eigenpairs of the relaxed problem above the birth cost, and a bound: (values, vectors, bound).");
  m.def("relaxed_bound", &relaxed_bound_of, "values"_a, "weights"_a, "diagonal"_a, "y_phi"_a, "phi_phi"_a,
        "gammas"_a, "revival"_a, "birth"_a,
        "Lower bound on the cost of every clustering, from these eigenvalues.");
  m.def("embed_rows", &embed_rows, "vectors"_a, "weights"_a, "gammas"_a,
        "Points as unit rows in the span of the vectors: (rows (R, c), lengths (R,)).");
  m.def("round_rows", &round_rows, "rows"_a, "lengths"_a, "weights"_a, "first"_a, "max_iter"_a,
        "Assign unit rows to the axes of the best rotation: (labels, n_iter, mean_cosine).");
  m.def("link_clusters", &cheapest_slots, "apart"_a, "weight"_a, "gammas"_a, "revival"_a, "birth"_a,
        "Slot (L,) of every cluster, from n times the squared distances (L, K) of means to old centers.");
  m.def("cluster_vectors", &cluster_vectors, "vectors"_a, "weights"_a, "diagonal"_a, "y_phi"_a, "phi_phi"_a,
        "gammas"_a, "revival"_a, "birth"_a, "seed"_a, "step"_a, "n_restarts"_a, "max_iter"_a, "refine"_a,
        "matrix"_a = nb::none(), "features"_a = nb::none(), "phi_features"_a = nb::none(),
        "begin"_a = nb::none(), "neighbors"_a = nb::none(), "values"_a = nb::none(),
        "Round the vectors of the relaxed problem, link the clusters and refine them: "
        "(labels, n_iter, restart_costs).");
  m.def(
      "cluster_matrix", &cluster_matrix, "weights"_a, "diagonal"_a, "y_phi"_a, "phi_phi"_a, "gammas"_a,
      "revival"_a, "birth"_a, "matrix"_a, "seed"_a, "step"_a, "n_restarts"_a, "max_iter"_a, "refine"_a,
      "`relax` and then `cluster_vectors` for a small matrix: (labels, n_iter, restart_costs, bound, number "
      "of vectors).");
}

}  // namespace dynmeans
