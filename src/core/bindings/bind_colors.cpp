// Python bindings: support/distinct_colors.hpp. The arguments are documented in _core.pyi.
#include "support/distinct_colors.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

nb::tuple distinct(const Matrix<std::uint8_t>& pixels) {
  const std::size_t n = pixels.shape(0);
  Colors colors;
  {
    nb::gil_scoped_release unlocked;
    colors = distinct_colors(pixels.data(), std::int64_t(n));
  }
  const std::size_t m = colors.counts.size();
  return nb::make_tuple(to_numpy(std::move(colors.rows), {m, 3}), to_numpy(std::move(colors.counts), {m}),
                        to_numpy(std::move(colors.of), {n}));
}

}  // namespace

void bind_colors(nb::module_& m) {
  m.def("distinct_colors", &distinct, "pixels"_a,
        "Distinct rows of (n, 3) bytes in the order of first appearance: (rows, counts, which each row is).");
}

}  // namespace dynmeans
