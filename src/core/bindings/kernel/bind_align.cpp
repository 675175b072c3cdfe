// Python bindings: kernel/align.hpp and kernel/gaussian_mixture.hpp. The arguments are documented in
// _core.pyi.
#include "kernel/align.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

using Owners = Column<std::int64_t>;

SupportView view(const Matrix<double>& kept, const Vector& shares, const Owners& owner, int n_old) {
  return {kept.data(), shares.data(), owner.data(), std::int64_t(kept.shape(0)), n_old};
}

nb::ndarray<nb::numpy, double> align_shifts(const Matrix<double>& rows, const Vector& weights,
                                            const Matrix<double>& kept, const Vector& shares,
                                            const Owners& owner, int n_old, double bandwidth,
                                            double background, double widest, int n_rounds) {
  const int d = int(rows.shape(1));
  std::vector<double> shifts;
  {
    nb::gil_scoped_release unlocked;
    const AlignOptions options{bandwidth, background, widest, n_rounds};
    shifts = Aligner(rows.data(), weights.data(), std::int64_t(rows.shape(0)), d,
                     view(kept, shares, owner, n_old), options)
                 .run();
  }
  return to_numpy(std::move(shifts), {std::size_t(n_old), std::size_t(d)});
}

nb::ndarray<nb::numpy, double> explained(const Matrix<double>& rows, const Matrix<double>& kept,
                                         const Vector& shares, const Owners& owner, int n_old,
                                         double bandwidth, double background) {
  const std::size_t n = rows.shape(0), d = rows.shape(1);
  std::vector<double> posterior(n * n_old);
  {
    nb::gil_scoped_release unlocked;
    const std::vector<double> at_rest(n_old * d);
    GaussianMixture mixture(rows.data(), std::int64_t(n), int(d), view(kept, shares, owner, n_old));
    mixture.explain(at_rest.data(), bandwidth, [&](std::int64_t i, int lane) {
      double total = background;
      for (int k = 0; k < n_old; ++k) total += mixture.mass(k)[lane];
      for (int k = 0; k < n_old; ++k) posterior[i * n_old + k] = mixture.mass(k)[lane] / total;
    });
  }
  return to_numpy(std::move(posterior), {n, std::size_t(n_old)});
}

}  // namespace

void bind_align(nb::module_& m) {
  m.def("align_shifts", &align_shifts, "rows"_a, "weights"_a, "kept"_a, "shares"_a, "owner"_a, "n_old"_a,
        "bandwidth"_a, "background"_a, "widest"_a = 3.5, "n_rounds"_a = 10,
        "Translation of each old cluster that best explains the rows: (n_old, d).");
  m.def("mixture_responsibilities", &explained, "rows"_a, "kept"_a, "shares"_a, "owner"_a, "n_old"_a,
        "bandwidth"_a, "background"_a, "Posterior of each old cluster at each row: (n, n_old).");
}

}  // namespace dynmeans
