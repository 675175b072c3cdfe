// Rounding as Python sees it.
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "rounding.hpp"

namespace dynmeans {
namespace {

nb::tuple round_rows(const Matrix<double>& rows, const Vector& lengths, const Vector& weights, int first,
                     int max_iter) {
  const std::size_t n = rows.shape(0), c = rows.shape(1);
  if (first < 0 || std::size_t(first) >= n || c < 1)
    throw std::invalid_argument("first must be one of " + std::to_string(n) + " rows, got " +
                                std::to_string(first));
  if (lengths.shape(0) != n || weights.shape(0) != n)
    throw std::invalid_argument("lengths and weights must have one entry a row");
  const Lapack& routines = lapack();
  Rounded result;
  {
    nb::gil_scoped_release unlocked;
    const UnitRows view{rows.data(), lengths.data(), weights.data(), int(n), int(c)};
    result = Rounder(view, routines).run(first, max_iter);
  }
  return nb::make_tuple(to_numpy(std::move(result.labels), {n}), result.n_iter, result.clarity);
}

}  // namespace

void bind_rounding(nb::module_& m) {
  m.def("round_rows", &round_rows, "rows"_a, "lengths"_a, "weights"_a, "first"_a, "max_iter"_a,
        "Unit rows to the axes of the rotation that suits them best: (labels, n_iter, clarity).");
}

}  // namespace dynmeans
