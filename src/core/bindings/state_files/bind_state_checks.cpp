// Python bindings: checks of the arrays of a state file, which may hold any values. Each check returns the
// first rule that does not hold, as text, or None. For a model of three clusters they take 2 microseconds;
// with NumPy, they would take 100. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>

#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

using Rule = std::optional<std::string>;
using Ids = Column<std::int64_t>;
using Marks = Column<std::uint8_t>;

constexpr double kRounding = 1e-6;  // share by which a covariance may exceed what its variances allow

template <class Value>
std::string text(Value value) {
  return nb::cast<std::string>(nb::str(nb::repr(nb::cast(value))));
}

template <class T, class Holds>
bool all(const Column<T>& values, Holds holds) {
  return std::all_of(values.data(), values.data() + values.size(), holds);
}

template <class T>
T smallest(const Column<T>& values) {
  return *std::min_element(values.data(), values.data() + values.size());
}

template <class T>
bool rises(const Column<T>& values) {
  return std::is_sorted(values.data(), values.data() + values.size());
}

Rule check_ids(const Ids& ids, std::int64_t next_id) {
  const std::int64_t* end = ids.data() + ids.size();
  if (std::adjacent_find(ids.data(), end, std::greater_equal()) != end) return "ids must increase";
  if (ids.size() && ids(0) < 0) return "ids must not be negative, got " + text(ids(0));
  if (ids.size() && end[-1] >= next_id)
    return "ids must be below next_id=" + text(next_id) + ", got " + text(end[-1]);
  return {};
}

Rule check_weights(const Vector& weights) {
  if (!all(weights, [](double w) { return w > 0; }))
    return "weights must be positive, got " + text(smallest(weights));
  if (!all(weights, [](double w) { return std::isfinite(1 / w); }))
    return "weights must have a finite inverse";
  if (!std::isfinite(std::accumulate(weights.data(), weights.data() + weights.size(), 0.0)))
    return "weights must have a finite sum";
  return {};
}

Rule check_clusters(const Ids& ids, const Vector& weights, const Vector& last_seen, const Ids& hits,
                    std::int64_t next_id, double clock, std::int64_t n_steps) {
  if (!all(hits, [=](std::int64_t count) { return count >= 1 && count <= n_steps; }))
    return "clusters must have rows in 1 .. " + text(n_steps) + " steps";
  if (Rule broken = check_ids(ids, next_id)) return broken;
  if (Rule broken = check_weights(weights)) return broken;
  if (!all(last_seen, [=](double t) { return clock - t >= 0; }))
    return "no cluster may be seen after clock=" + text(clock);
  if (!all(last_seen, [=](double t) { return std::isfinite(clock - t); }))
    return "ages of clusters must be finite";
  return {};
}

// Covariances of position and velocity (K, 2), and the largest coordinate of a center after one unit of time.
Rule check_motion(const Matrix<double>& centers, const Vector& weights, const Matrix<double>& velocities,
                  const Matrix<double>& velocity_cov, double largest) {
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (!(velocity_cov(2 * k + 1) >= 0))
      return "variances must not be negative, got " + text(velocity_cov(2 * k + 1));
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double limit = std::sqrt(velocity_cov(2 * k + 1)) / std::sqrt(weights(k));
    if (!(std::abs(velocity_cov(2 * k)) <= limit * (1 + kRounding)))
      return "velocity_cov must be a covariance";
  }
  const auto limit = [&](const char* what, double size) {
    char largest_text[32];
    std::snprintf(largest_text, sizeof largest_text, "%g", largest);
    return what + std::string(" must lie within ±") + largest_text + ", got " + text(size);
  };
  for (std::size_t e = 0; e < centers.size(); ++e)
    if (!(std::abs(centers(e)) <= largest)) return limit("centers", std::abs(centers(e)));
  for (std::size_t e = 0; e < velocities.size(); ++e)
    if (const double moved = std::abs(centers(e) + velocities(e)); !(moved <= largest))
      return limit("centers that move by velocities", moved);
  return {};
}

Rule check_events(const Marks& kinds, const Ids& ids, const Ids& steps, const Vector& times,
                  const Vector& costs, int n_kinds, std::int64_t next_id, double clock,
                  std::int64_t n_steps) {
  if (!all(kinds, [=](int kind) { return kind < n_kinds; }))
    return "kinds of events must be below " + text(n_kinds);
  if (!all(ids, [=](std::int64_t id) { return id >= 0 && id < next_id; }))
    return "events must be of ids below " + text(next_id);
  if (!rises(steps) || !rises(times)) return "events must be in order of time";
  if (!all(steps, [=](std::int64_t step) { return step >= 1 && step <= n_steps; }))
    return "events must be of steps 1 .. " + text(n_steps);
  if (!all(times, [=](double t) { return t <= clock; })) return "no event may be after clock=" + text(clock);
  if (!all(costs, [](double cost) { return cost >= 0; })) return "costs of events must not be negative";
  return {};
}

bool has_shape(const ArrayBytes& found, const nb::tuple& shape) {
  if (std::size_t(found.n_dimensions) != shape.size()) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (found.shape[axis] != nb::cast<std::intptr_t>(shape[axis])) return false;
  return true;
}

// Index of the first column (name, shape, type) that `arrays` lacks, or that has another shape or type, or
// numbers that are not finite; -1 if there is none.
int wrong_column(const nb::dict& arrays, const nb::tuple& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = nb::cast<nb::tuple>(columns[i]);
    PyObject* array = PyDict_GetItem(arrays.ptr(), nb::handle(column[0]).ptr());
    if (!array || !is_array_of(array, column[2])) return int(i);
    const ArrayBytes found = array_bytes(array);
    if (!has_shape(found, nb::cast<nb::tuple>(column[1]))) return int(i);
    if (!holds_finite_numbers(found)) return int(i);
  }
  return -1;
}

}  // namespace

void bind_state_checks(nb::module_& m) {
  m.def("wrong_column", &wrong_column, "arrays"_a, "columns"_a,
        "Index of the first column that is missing or wrong, or -1.");
  m.def("broken_cluster_rule", &check_clusters, "ids"_a, "weights"_a, "last_seen"_a, "hits"_a, "next_id"_a,
        "clock"_a, "n_steps"_a, "The first rule that remembered clusters break, or None.");
  m.def("broken_motion_rule", &check_motion, "centers"_a, "weights"_a, "velocities"_a, "velocity_cov"_a,
        "largest"_a, "The first rule that positions and velocities break, or None.");
  m.def("broken_event_rule", &check_events, "kinds"_a, "ids"_a, "steps"_a, "times"_a, "costs"_a, "n_kinds"_a,
        "next_id"_a, "clock"_a, "n_steps"_a, "The first rule that events break, or None.");
}

}  // namespace dynmeans
