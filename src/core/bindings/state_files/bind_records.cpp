// Python bindings: the arrays of a record (src/dynmeans/_files/record.py), which may hold any bytes. For the
// seven arrays of a model, writing and reading take a microsecond each; with NumPy and `struct`, they would
// take 3 and 4. The arguments are documented in _core.pyi.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

constexpr std::size_t kAlignment = 8;  // bytes of the largest type of an array

std::size_t padding(std::size_t length) {
  return (kAlignment - length % kAlignment) % kAlignment;
}

// Whole numbers are little-endian on every machine.
template <class T>
char* write_number(char* to, T value) {
  for (std::size_t b = 0; b < sizeof(T); ++b) *to++ = char(std::uint64_t(value) >> (8 * b));
  return to;
}

std::int64_t read_number(const char* from) {
  std::uint64_t value = 0;
  for (std::size_t b = 0; b < sizeof value; ++b) value |= std::uint64_t(std::uint8_t(from[b])) << (8 * b);
  return std::int64_t(value);
}

char* write(char* to, const char* from, std::size_t size) {
  if (size) std::memcpy(to, from, size);
  return to + size;
}

// The lengths of two texts, the texts, padding, the shapes of the arrays, the arrays.
nb::bytes record_body(nb::bytes shared, nb::bytes own, nb::list arrays) {
  std::vector<ArrayBytes> parts;
  parts.reserve(arrays.size());
  std::size_t n_dimensions = 0, n_values = 0;
  for (nb::handle array : arrays) {
    parts.push_back(array_bytes(array));
    n_dimensions += std::size_t(parts.back().n_dimensions);
    n_values += parts.back().size;
  }
  if (std::max(shared.size(), own.size()) > UINT32_MAX) throw std::invalid_argument("a text is too long");
  const std::size_t n_texts = shared.size() + own.size(), n_padding = padding(n_texts);
  const std::size_t n = 8 + n_texts + n_padding + 8 * n_dimensions + n_values;
  nb::object body = nb::steal(PyBytes_FromStringAndSize(nullptr, Py_ssize_t(n)));
  if (!body.is_valid()) nb::raise_python_error();
  char* to = PyBytes_AsString(body.ptr());
  to = write_number(to, std::uint32_t(shared.size()));
  to = write_number(to, std::uint32_t(own.size()));
  to = write(to, shared.c_str(), shared.size());
  to = write(to, own.c_str(), own.size());
  for (std::size_t i = 0; i < n_padding; ++i) *to++ = 0;
  for (const ArrayBytes& part : parts)
    for (int axis = 0; axis < part.n_dimensions; ++axis) to = write_number(to, part.shape[axis]);
  for (const ArrayBytes& part : parts) to = write(to, part.data, part.size);
  return nb::borrow<nb::bytes>(body);
}

// Name, type and dimensions of one array.
struct ArrayColumn {
  nb::handle name, dtype;
  int n_dimensions;
};

std::vector<ArrayColumn> read_columns(const nb::tuple& columns) {
  std::vector<ArrayColumn> read;
  read.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = nb::cast<nb::tuple>(columns[i]);
    read.push_back({column[0], column[1], nb::cast<int>(column[2])});
    if (const int n = read.back().n_dimensions; n < 1 || n > 2)
      throw std::invalid_argument("an array must have one or two dimensions");
  }
  return read;
}

// The arrays by name, as views of the record, which must end with them.
nb::dict record_arrays(nb::bytes data, std::size_t at, nb::tuple columns) {
  const std::vector<ArrayColumn> read = read_columns(columns);
  std::size_t n_dimensions = 0;
  for (const ArrayColumn& column : read) n_dimensions += std::size_t(column.n_dimensions);
  at += padding(at);
  if (at > data.size() || (data.size() - at) / 8 < n_dimensions)
    throw std::invalid_argument("the record is too short");
  const char* sizes = data.c_str() + at;
  at += 8 * n_dimensions;
  nb::dict arrays;
  for (const ArrayColumn& column : read) {
    std::int64_t shape[2] = {};
    for (int axis = 0; axis < column.n_dimensions; ++axis, sizes += 8) shape[axis] = read_number(sizes);
    const ArrayOfBytes view = view_of_bytes(data, at, column.dtype, column.n_dimensions, shape);
    arrays[column.name] = view.array;
    at += view.size;
  }
  if (at != data.size())
    throw std::invalid_argument("the arrays do not have the sizes that the header states");
  return arrays;
}

}  // namespace

void bind_records(nb::module_& m) {
  m.def("record_body", &record_body, "shared"_a, "own"_a, "arrays"_a, "Texts and arrays of a record.");
  m.def("record_arrays", &record_arrays, "data"_a, "at"_a, "columns"_a, "Arrays of a record by name.");
}

}  // namespace dynmeans
