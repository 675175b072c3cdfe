// Python bindings: the size of the numbers of rows, for their validation. The arguments are documented in
// _core.pyi.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/numpy_arrays.hpp"
#include "support/thread_pool.hpp"

namespace dynmeans {
namespace {

// Largest absolute value of n numbers; NaN if there is one. Each lane has its own maximum, so that the
// compiler vectorizes the loop.
template <class T>
double largest_size(const T* values, std::size_t n) {
  constexpr std::size_t kLanes = 16;  // floats in the widest register
  T largest[kLanes] = {}, n_nan[kLanes] = {};
  const std::size_t whole = n / kLanes * kLanes;
  const auto extend = [&](std::size_t e, std::size_t lane) {
    const T size = std::abs(values[e]);
    largest[lane] = size > largest[lane] ? size : largest[lane];
    n_nan[lane] += size != size ? T(1) : T(0);
  };
  for (std::size_t e = 0; e < whole; e += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) extend(e + lane, lane);
  for (std::size_t e = whole; e < n; ++e) extend(e, e - whole);
  const bool has_nan = std::any_of(n_nan, n_nan + kLanes, [](T count) { return count > 0; });
  return has_nan ? std::numeric_limits<double>::quiet_NaN() : *std::max_element(largest, largest + kLanes);
}

template <class T>
double max_abs(const Matrix<T>& X, int n_threads) {
  constexpr double kWork = 4;  // a number takes as long as this many multiplications
  const int threads = useful_threads(n_threads, kWork * double(X.size())), chunks = threads > 1 ? 64 : 1;
  ThreadPool pool(threads);
  std::vector<double> sizes(chunks);
  pool.run(chunks, [&](int c) {
    const std::size_t begin = X.size() * c / chunks, end = X.size() * (c + 1) / chunks;
    sizes[c] = largest_size(X.data() + begin, end - begin);
  });
  const bool has_nan = std::any_of(sizes.begin(), sizes.end(), [](double size) { return std::isnan(size); });
  return has_nan ? std::numeric_limits<double>::quiet_NaN() : *std::max_element(sizes.begin(), sizes.end());
}

// Largest |x| of rows that a step can read in place: C-contiguous, aligned, not empty and finite, with this
// many columns or any number. None for others.
std::optional<double> max_abs_in_place(nb::handle X, std::optional<std::size_t> n_features, int n_threads) {
  const auto read = [&](auto view) -> std::optional<double> {
    if (!read_numpy(X, false, view) || view.size() == 0) return std::nullopt;
    if (n_features && view.shape(1) != *n_features) return std::nullopt;
    const double largest = max_abs(view, n_threads);
    return std::isfinite(largest) ? std::optional(largest) : std::nullopt;
  };
  const auto largest = read(Matrix<double>());
  return largest ? largest : read(Matrix<float>());
}

}  // namespace

void bind_row_checks(nb::module_& m) {
  // In this order, because an array of another type is converted to the first type.
  m.def("max_abs", &max_abs<double>, "X"_a, "n_threads"_a = 1, "Largest |x|; NaN if there is one.");
  m.def("max_abs", &max_abs<float>, "X"_a, "n_threads"_a = 1, "Largest |x|; NaN if there is one.");
  m.def("max_abs_in_place", &max_abs_in_place, "X"_a, "n_features"_a.none(), "n_threads"_a,
        "Largest |x| of an array that needs no conversion, of finite numbers; None for others.");
}

}  // namespace dynmeans
