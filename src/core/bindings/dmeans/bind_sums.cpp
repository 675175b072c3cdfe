// Python bindings: the sums of D-Means, for tests. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include <stdexcept>

#include "dmeans/batch/batch_scale.hpp"
#include "dmeans/cluster_sums.hpp"
#include "support/exact_sum.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

double exact_sum(const Vector& values, int n_parts) {
  ExactSum total;
  const std::size_t n = values.size();
  for (int part = 0; part < n_parts; ++part) {
    ExactSum sum;
    for (std::size_t i = n * part / n_parts; i < n * (part + 1) / n_parts; ++i) sum.add(values(i));
    total.merge(sum);
  }
  return total.value();
}

template <class T>
nb::tuple cluster_sums(const Matrix<T>& X, const std::optional<Vector>& weights,
                       const Column<std::int32_t>& labels, int n_clusters, int n_parts) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  if (labels.size() != n || (weights && weights->size() != n))
    throw std::invalid_argument("a row must have a label and a weight");
  for (std::size_t i = 0; i < n; ++i)
    if (labels(i) < 0 || labels(i) >= n_clusters) throw std::invalid_argument("labels must be clusters");
  const double* m = weights ? weights->data() : nullptr;
  ThreadPool pool(1);
  const auto scale = BatchScale<T>::of(X.data(), m, Row(n), int(d), pool);
  ClusterSums all(scale.terms, scale.weights);
  all.grow(n_clusters);
  std::vector<double> y(d);
  for (int part = 0; part < n_parts; ++part) {
    ClusterSums sums(scale.terms, scale.weights);
    sums.grow(n_clusters);
    for (std::size_t i = n * part / n_parts; i < n * (part + 1) / n_parts; ++i) {
      for (std::size_t j = 0; j < d; ++j) y[j] = X.data()[i * d + j] - scale.shift[j];
      sums.add(labels(i), y.data(), m ? m[i] : 1.0, 1);
    }
    for (int k = 0; k < n_clusters; ++k) all.merge(k, sums, k);
  }
  std::vector<double> sums(n_clusters * d), slot_weights(n_clusters),
      shift(scale.shift.begin(), scale.shift.end());
  for (int k = 0; k < n_clusters; ++k) {
    if (all.rows(k)) all.read_sum(k, sums.data() + k * d);
    slot_weights[k] = all.weight(k);
  }
  return nb::make_tuple(to_numpy(std::move(shift), {d}),
                        to_numpy(std::move(sums), {std::size_t(n_clusters), d}),
                        to_numpy(std::move(slot_weights), {std::size_t(n_clusters)}));
}

template <class T>
void bind_cluster_sums(nb::module_& m) {
  m.def(
      "cluster_sums", &cluster_sums<T>, "X"_a.noconvert(), "weights"_a.none(), "labels"_a, "n_clusters"_a,
      "n_parts"_a = 1,
      "Sums of rows less a shift, and of weights, by cluster: (shift, sums, weights). Any order of the rows "
      "and any number of parts gives the same bits.");
}

}  // namespace

void bind_sums(nb::module_& m) {
  bind_cluster_sums<float>(m);
  bind_cluster_sums<double>(m);
  m.def("exact_sum", &exact_sum, "values"_a, "n_parts"_a = 1,
        "Sum of numbers that are not negative, rounded once; parts are summed separately and merged.");
}

}  // namespace dynmeans
