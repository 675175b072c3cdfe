// Small NumPy arrays, made by NumPy itself: the only file that knows its C interface.
#include "arrays.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <cstdint>

namespace dynmeans {
namespace {

template <class T>
constexpr int kType = -1;
template <>
constexpr int kType<double> = NPY_DOUBLE;
template <>
constexpr int kType<std::int32_t> = NPY_INT32;
template <>
constexpr int kType<std::int64_t> = NPY_INT64;
template <>
constexpr int kType<std::uint8_t> = NPY_UINT8;

bool import_numpy() {
  if (PyArray_ImportNumPyAPI() < 0) nb::raise_python_error();
  return true;
}

}  // namespace

template <class T>
nb::object copy_to_numpy(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
  [[maybe_unused]] static const bool is_ready = import_numpy();
  npy_intp sizes[2] = {};
  std::copy(shape.begin(), shape.end(), sizes);
  PyObject* array = PyArray_SimpleNew(int(shape.size()), sizes, kType<T>);
  if (!array) nb::raise_python_error();
  auto* memory = static_cast<T*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  std::copy(values.begin(), values.end(), memory);
  return nb::steal(array);
}

template nb::object copy_to_numpy(const std::vector<double>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::int32_t>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::int64_t>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::uint8_t>&, std::initializer_list<std::size_t>);

}  // namespace dynmeans
