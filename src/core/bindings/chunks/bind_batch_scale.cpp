// Python bindings: dmeans/batch/batch_scale.hpp, for batches whose rows are on several machines. The
// arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <stdexcept>

#include "dmeans/batch/batch_scale.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

template <class T>
nb::object select_shift_rows(const Matrix<T>& X, Row n_total) {
  const std::size_t d = X.shape(1);
  std::vector<T> rows;
  for (const T* x : shift_rows(X.data(), Row(X.shape(0)), int(d), n_total)) rows.insert(rows.end(), x, x + d);
  const std::size_t n = d ? rows.size() / d : 0;
  return to_numpy(std::move(rows), {n, d});
}

template <class T>
nb::object mean(const Matrix<T>& X) {
  std::vector<const T*> rows;
  for (std::size_t i = 0; i < X.shape(0); ++i) rows.push_back(X.data() + i * X.shape(1));
  const std::vector<T> mean = mean_of_rows(rows, int(X.shape(1)));
  return to_numpy(std::vector<double>(mean.begin(), mean.end()), {X.shape(1)});
}

template <class T>
nb::tuple row_extent(const Matrix<T>& X, const std::optional<Vector>& weights, const Vector& shift) {
  const Row n = Row(X.shape(0));
  const std::size_t d = X.shape(1);
  if (shift.size() != d || (weights && weights->size() != X.shape(0)))
    throw std::invalid_argument("a row must be as long as the shift and have a weight");
  const std::vector<T> middle(shift.data(), shift.data() + d);
  RowExtent extent(X.data(), weights ? weights->data() : nullptr, n, int(d), middle.data());
  std::vector<double> sizes;
  if (weights) {
    const ColumnExtent weight = weight_extent(weights->data(), n);
    sizes = {weight.largest[0], weight.smallest[0]};
  }
  const std::size_t n_sizes = sizes.size();
  return nb::make_tuple(extent.radius, to_numpy(std::move(extent.terms.largest), {d}),
                        to_numpy(std::move(extent.terms.smallest), {d}),
                        to_numpy(std::move(sizes), {n_sizes}));
}

template <class T>
void bind_scale_of(nb::module_& m) {
  m.def("shift_rows", &select_shift_rows<T>, "X"_a.noconvert(), "n_total"_a,
        "Rows of a part of a batch whose mean is the shift.");
  m.def("mean_of_rows", &mean<T>, "X"_a.noconvert(), "Mean of rows, in any order.");
  m.def("row_extent", &row_extent<T>, "X"_a.noconvert(), "weights"_a.none(), "shift"_a,
        "(radius, largest terms, smallest terms, largest and smallest weight or nothing).");
}

}  // namespace

void bind_batch_scale(nb::module_& m) {
  bind_scale_of<float>(m);
  bind_scale_of<double>(m);
}

}  // namespace dynmeans
