// Python bindings: kernel matrices and matching pursuit. The arguments are documented in _core.pyi.
#include <stdexcept>
#include <string>

#include "kernel/orthogonal_matching_pursuit.hpp"
#include "kernel/rbf_kernel.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

// NumPy allocates large arrays in large pages, unlike std::vector.
void gaussian_of(const Matrix<double>& a, const Matrix<double>& b, double bandwidth,
                 const nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out) {
  const std::size_t n = a.shape(0), m = b.shape(0);
  if (a.shape(1) != b.shape(1))
    throw std::invalid_argument("points must have the same dimension, got " + std::to_string(a.shape(1)) +
                                " and " + std::to_string(b.shape(1)));
  if (out.shape(0) != n || out.shape(1) != m)
    throw std::invalid_argument("out must have shape (" + std::to_string(n) + ", " + std::to_string(m) + ")");
  nb::gil_scoped_release unlocked;
  gaussian(a.data(), std::int64_t(n), b.data(), std::int64_t(m), int(a.shape(1)), bandwidth, out.data());
}

nb::tuple pursue(const Matrix<double>& gram, const Vector& coefficients, std::int64_t budget,
                 double dependent, double equal, double negligible) {
  const std::size_t s = coefficients.shape(0);
  if (gram.shape(0) != s || gram.shape(1) != s)
    throw std::invalid_argument("gram must be square with " + std::to_string(s) + " rows");
  Picks picks;
  {
    nb::gil_scoped_release unlocked;
    const MatchingPursuitOptions rules{dependent, equal, negligible};
    picks = MatchingPursuit(gram.data(), coefficients.data(), std::int64_t(s), rules).run(budget);
  }
  const std::size_t count = picks.chosen.size();
  return nb::make_tuple(to_numpy(std::move(picks.chosen), {count}),
                        to_numpy(std::move(picks.coefficients), {count}));
}

}  // namespace

void bind_kernels(nb::module_& m) {
  m.def("rbf_kernel", &gaussian_of, "a"_a, "b"_a, "bandwidth"_a, "out"_a.noconvert(),
        "Into out: exp(-|x - y|^2 / (2 bandwidth^2)) of every row of a and every row of b.");
  m.def("matching_pursuit", &pursue, "gram"_a, "coefficients"_a, "budget"_a, "dependent"_a, "equal"_a,
        "negligible"_a,
        "Orthogonal matching pursuit for a combination of points: (chosen, coefficients), as picked.");
}

}  // namespace dynmeans
