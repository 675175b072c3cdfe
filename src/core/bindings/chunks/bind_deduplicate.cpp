// Python bindings: equal rows of a batch whose chunks are on several machines
// (dmeans/batch/deduplicate.hpp). The arguments are documented in _core.pyi.
#include "bindings/chunks/chunk_arguments.hpp"
#include "dmeans/batch/deduplicate.hpp"

namespace dynmeans {
namespace {

template <class T>
nb::tuple number_rows(const Matrix<T>& X) {
  const int d = int(X.shape(1));
  const std::size_t n = X.shape(0);
  std::vector<std::int64_t> firsts;
  std::vector<std::int32_t> of(n);
  {
    nb::gil_scoped_release unlocked;
    deduplication::number<T>(
        std::int64_t(n), d, [&](std::int64_t i) { return X.data() + i * d; },
        [&](std::int64_t i, std::int32_t k) {
          of[i] = k;
          if (std::size_t(k) == firsts.size()) firsts.push_back(i);
        });
  }
  const std::size_t m = firsts.size();
  return nb::make_tuple(to_numpy(std::move(firsts), {m}), to_numpy(std::move(of), {n}));
}

template <class T>
nb::object row_buckets(const Matrix<T>& X, std::uint32_t n_buckets) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  std::vector<std::int32_t> buckets(n);
  for (std::size_t i = 0; i < n; ++i)
    buckets[i] = std::int32_t((row_hash(X.data() + i * d, int(d)) >> 32) * n_buckets >> 32);
  return to_numpy(std::move(buckets), {n});
}

nb::object group_sums(const Matrix<double>& terms, const Slots& of, std::size_t n_groups,
                      const Vector& largest, const Vector& smallest, Row n_terms) {
  const std::size_t n = terms.shape(0), columns = terms.shape(1);
  require(of.size() == n, "a term must belong to a group");
  require(largest.size() == columns && smallest.size() == columns, "a column must have a size");
  ColumnExtent extent{int(columns)};
  extent.largest.assign(largest.data(), largest.data() + columns);
  extent.smallest.assign(smallest.data(), smallest.data() + columns);
  const SumGrid grid(extent, n_terms);
  std::vector<double> sums(n_groups * grid.size());
  for (std::size_t i = 0; i < n; ++i) {
    require(of(i) >= 0 && std::size_t(of(i)) < n_groups, "a term must belong to a group");
    grid.add(terms.data() + i * columns, 1.0, &sums[of(i) * grid.size()]);
  }
  return to_numpy(std::move(sums), {n_groups, grid.size()});
}

template <class T>
void bind_rows(nb::module_& m) {
  m.def("number_rows", &number_rows<T>, "X"_a.noconvert(),
        "Distinct rows by first appearance: (their first copies, distinct row of each row).");
  m.def("row_buckets", &row_buckets<T>, "X"_a.noconvert(), "n_buckets"_a,
        "Bucket of each row; equal rows have the same bucket.");
}

}  // namespace

void bind_deduplicate(nb::module_& m) {
  bind_rows<float>(m);
  bind_rows<double>(m);
  m.def("group_sums", &group_sums, "terms"_a, "of"_a, "n_groups"_a, "largest"_a, "smallest"_a, "n_terms"_a,
        "Sums of terms by group, as folds (groups, folds * columns) that add up exactly in any order.");
}

}  // namespace dynmeans
