// NumPy arrays, read and created by the C interface of NumPy, which only this file includes.
#include "support/numpy_arrays.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace dynmeans {
namespace {

// Number of a type in NumPy; -1 for other types.
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
template <>
constexpr int kType<std::uint16_t> = NPY_UINT16;

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

ArrayBytes array_bytes(nb::handle source) {
  use_numpy();
  if (!PyArray_Check(source.ptr())) throw nb::type_error("a NumPy array is required");
  auto* given = reinterpret_cast<PyArrayObject*>(source.ptr());
  // PyArray_GETCONTIGUOUS does not compile with the stable interface of Python.
  nb::object array =
      PyArray_ISCONTIGUOUS(given) ? nb::borrow(source) : nb::steal(PyArray_NewCopy(given, NPY_CORDER));
  if (!array.is_valid()) nb::raise_python_error();
  auto* own = reinterpret_cast<PyArrayObject*>(array.ptr());
  return {PyArray_BYTES(own), std::size_t(PyArray_NBYTES(own)), PyArray_NDIM(own), PyArray_DIMS(own), array};
}

bool is_array_of(nb::handle source, nb::handle dtype) {
  use_numpy();
  if (!PyArray_Check(source.ptr()) || !PyArray_DescrCheck(dtype.ptr())) return false;
  return PyArray_EquivTypes(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(source.ptr())),
                            reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
}

bool holds_finite_numbers(const ArrayBytes& found) {
  auto* array = reinterpret_cast<PyArrayObject*>(found.array.ptr());
  if (PyArray_TYPE(array) != NPY_DOUBLE) return true;
  for (std::size_t at = 0; at < found.size; at += sizeof(double)) {
    double value;
    std::memcpy(&value, found.data + at, sizeof value);  // it need not be aligned
    if (!std::isfinite(value)) return false;
  }
  return true;
}

ArrayOfBytes view_of_bytes(const nb::bytes& data, std::size_t at, nb::handle dtype, int n_dimensions,
                           const std::int64_t* shape) {
  use_numpy();
  if (!PyArray_DescrCheck(dtype.ptr())) throw nb::type_error("a NumPy type is required");
  if (at > data.size()) throw std::invalid_argument("an array ends after the record");
  npy_intp sizes[2] = {};
  std::copy_n(shape, n_dimensions, sizes);
  Py_INCREF(dtype.ptr());  // the array owns its type
  PyObject* array =
      PyArray_NewFromDescr(&PyArray_Type, reinterpret_cast<PyArray_Descr*>(dtype.ptr()), n_dimensions, sizes,
                           nullptr, const_cast<char*>(data.c_str()) + at, NPY_ARRAY_C_CONTIGUOUS, nullptr);
  if (!array) nb::raise_python_error();
  nb::object owned = nb::steal(array);
  auto* view = reinterpret_cast<PyArrayObject*>(array);
  const auto size = std::size_t(PyArray_NBYTES(view));
  if (size > data.size() - at) throw std::invalid_argument("an array ends after the record");
  Py_INCREF(data.ptr());
  if (PyArray_SetBaseObject(view, data.ptr()) < 0) nb::raise_python_error();
  PyArray_UpdateFlags(view, NPY_ARRAY_UPDATE_ALL);
  return {owned, size};
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
template bool read_numpy(nb::handle, bool, ArrayView<std::uint16_t, 1>&) noexcept;
template bool read_numpy(nb::handle, bool, ArrayView<std::uint16_t, 2>&) noexcept;

template nb::object copy_to_numpy(const std::vector<float>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<double>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::int32_t>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::int64_t>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::uint8_t>&, std::initializer_list<std::size_t>);
template nb::object copy_to_numpy(const std::vector<std::uint16_t>&, std::initializer_list<std::size_t>);

}  // namespace dynmeans
