// Python bindings: dmeans/result_checks.hpp. The arguments are documented in _core.pyi.
#include <stdexcept>

#include "dmeans/result_checks.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

template <class T>
double span(const Matrix<T>& X, const Matrix<double>& centers) {
  if (centers.shape(1) != X.shape(1) || X.size() + centers.size() == 0)
    throw std::invalid_argument("there must be a row or a center, and all must have the same length");
  return squared_span(X.data(), std::int64_t(X.shape(0)), centers.data(), std::int64_t(centers.shape(0)),
                      int(X.shape(1)));
}

template <class T>
double farthest(const Matrix<T>& X, const Column<std::int64_t>& own, const Matrix<double>& centers) {
  if (centers.shape(1) != X.shape(1) || own.shape(0) != X.shape(0) || centers.shape(0) < 2)
    throw std::invalid_argument("a row must have a center, each as long as a row, and there must be two");
  return farthest_from_others(X.data(), own.data(), std::int64_t(X.shape(0)), centers.data(),
                              std::int64_t(centers.shape(0)), int(X.shape(1)));
}

template <class T>
void bind_checks(nb::module_& m) {
  m.def("squared_span", &span<T>, "X"_a, "centers"_a, "Squared diagonal of the box around rows and centers.");
  m.def("farthest_from_others", &farthest<T>, "X"_a, "own"_a, "centers"_a,
        "The largest squared distance of a row to the nearest center other than its own.");
}

}  // namespace

void bind_result_checks(nb::module_& m) {
  bind_checks<double>(m);
  bind_checks<float>(m);
}

}  // namespace dynmeans
