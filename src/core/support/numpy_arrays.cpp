// NumPy arrays, read and created by the C interface of NumPy, which only this file includes.
#include "support/numpy_arrays.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <cstdint>

namespace dynmeans {
namespace {

template <class T>
constexpr int kType = -1;
template <>
constexpr int kType<float> = NPY_FLOAT;
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

void use_numpy() {
  [[maybe_unused]] static const bool is_ready = import_numpy();
}

}  // namespace

template <class T>
nb::object copy_to_numpy(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
  use_numpy();
  npy_intp sizes[2] = {};
  std::copy(shape.begin(), shape.end(), sizes);
  PyObject* array = PyArray_SimpleNew(int(shape.size()), sizes, kType<T>);
  if (!array) nb::raise_python_error();
  auto* memory = static_cast<T*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  std::copy(values.begin(), values.end(), memory);
  return nb::steal(array);
}

template <class T, int N>
bool read_numpy(nb::handle source, bool convert, ArrayView<T, N>& view) noexcept {
  use_numpy();
  if (!PyArray_Check(source.ptr())) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(source.ptr());
  if (PyArray_NDIM(array) != N) return false;
  if (PyArray_TYPE(array) != kType<T> || !PyArray_ISCARRAY_RO(array)) {
    PyArray_Descr* wanted = PyArray_DescrFromType(kType<T>);
    convert = convert && PyArray_CanCastArrayTo(array, wanted, NPY_SAME_KIND_CASTING);
    Py_DECREF(wanted);
    if (!convert) return false;
    PyObject* copy = PyArray_FROMANY(source.ptr(), kType<T>, N, N, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST);
    if (!copy) return PyErr_Clear(), false;
    view.converted = nb::steal(copy);
    array = reinterpret_cast<PyArrayObject*>(copy);
  }
  view.values = static_cast<const T*>(PyArray_DATA(array));
  std::copy_n(PyArray_DIMS(array), N, view.sizes);
  return true;
}

template bool read_numpy(nb::handle, bool, ArrayView<float, 2>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<double, 1>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<double, 2>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<double, 3>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<std::int32_t, 1>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<std::int64_t, 1>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<std::uint8_t, 1>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<std::uint8_t, 2>&) noexcept;

template nb::object copy_to_numpy(const std::vector<float>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<double>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::int32_t>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::int64_t>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::uint8_t>&, std::initializer_list<std::size_t>);

}  // namespace dynmeans
