// Loops over pairs of points, as Python sees them.
#include <memory>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "gaussian.hpp"
#include "pursuit.hpp"

namespace dynmeans {
namespace {

// A large matrix that is written whole need not be 0 first.
nb::ndarray<nb::numpy, double> own(std::unique_ptr<double[]> values, std::size_t n, std::size_t m) {
  double* data = values.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return nb::ndarray<nb::numpy, double>(data, {n, m}, owner);
}

nb::ndarray<nb::numpy, double> gaussian_of(const Matrix<double>& a, const Matrix<double>& b,
                                           double bandwidth) {
  const std::size_t n = a.shape(0), m = b.shape(0);
  if (a.shape(1) != b.shape(1))
    throw std::invalid_argument("points must have the same dimension, got " + std::to_string(a.shape(1)) +
                                " and " + std::to_string(b.shape(1)));
  std::unique_ptr<double[]> out(new double[n * m]);
  {
    nb::gil_scoped_release unlocked;
    gaussian(a.data(), std::int64_t(n), b.data(), std::int64_t(m), int(a.shape(1)), bandwidth, out.get());
  }
  return own(std::move(out), n, m);
}

nb::tuple pursue(const Matrix<double>& gram, const Vector& coefficients, std::int64_t budget,
                 double dependent, double equal, double negligible) {
  const std::size_t s = coefficients.shape(0);
  if (gram.shape(0) != s || gram.shape(1) != s)
    throw std::invalid_argument("gram must be square with " + std::to_string(s) + " rows");
  Picks picks;
  {
    nb::gil_scoped_release unlocked;
    const PursuitRules rules{dependent, equal, negligible};
    picks = Pursuit(gram.data(), coefficients.data(), std::int64_t(s), rules).run(budget);
  }
  const std::size_t count = picks.chosen.size();
  return nb::make_tuple(to_numpy(std::move(picks.chosen), {count}),
                        to_numpy(std::move(picks.coefficients), {count}));
}

}  // namespace

void bind_kernels(nb::module_& m) {
  m.def("gaussian", &gaussian_of, "a"_a, "b"_a, "bandwidth"_a,
        "exp(-|x - y|^2 / (2 bandwidth^2)) of every row of a and every row of b.");
  m.def("pursue", &pursue, "gram"_a, "coefficients"_a, "budget"_a, "dependent"_a, "equal"_a, "negligible"_a,
        "Orthogonal matching pursuit for a combination of points: (chosen, coefficients), as picked.");
}

}  // namespace dynmeans
