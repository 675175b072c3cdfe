// Conversion between NumPy arrays and C++ views.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace dynmeans {

namespace nb = nanobind;
using namespace nb::literals;

// Argument of a function: a C-contiguous NumPy array with N dimensions.
template <class T, int N>
struct ArrayView {
  const T* values = nullptr;
  std::size_t sizes[N] = {};
  nb::object converted;  // owns the values if they had to be copied

  const T* data() const { return values; }
  std::size_t shape(int axis) const { return sizes[axis]; }
  const T& operator()(std::size_t i) const { return values[i]; }
  std::size_t size() const { return std::accumulate(sizes, sizes + N, std::size_t(1), std::multiplies()); }
};

template <class T>
using Matrix = ArrayView<T, 2>;
template <class T>
using Column = ArrayView<T, 1>;
using Vector = Column<double>;

// Read a NumPy array of T with N dimensions; false if the source is not one and is not converted.
// A replacement for nb::ndarray: a call with four small arrays in and four out takes 0.6 microseconds instead
// of 2.6 (CPU time). A step on 75 rows makes several such calls and takes about 60 microseconds.
template <class T, int N>
bool read_numpy(nb::handle source, bool convert, ArrayView<T, N>& view) noexcept;

// A NumPy array; a function may also return it as an nb::ndarray, which describes its contents.
template <class T>
struct NumpyArray : nb::object {
  explicit NumpyArray(nb::object&& array) : nb::object(std::move(array)) {}
  operator nb::ndarray<nb::numpy, T>() const { return nb::cast<nb::ndarray<nb::numpy, T>>(*this); }
};

// A NumPy array with a copy of the values.
template <class T>
nb::object copy_to_numpy(const std::vector<T>& values, std::initializer_list<std::size_t> shape);

template <class T>
NumpyArray<T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  constexpr std::size_t kFew = 32768;  // bytes up to which a copy is faster than an owner object
  if (values.size() * sizeof(T) <= kFew) return NumpyArray<T>(copy_to_numpy(values, shape));
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyArray<T>(nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape, owner)));
}

// The memory of a C-contiguous array; other arrays are copied.
struct ArrayBytes {
  const char* data;
  std::size_t size;  // in bytes
  int n_dimensions;
  const std::intptr_t* shape;
  nb::object array;  // owns the memory
};

ArrayBytes array_bytes(nb::handle array);

// Whether an object is an array of this type.
bool is_array_of(nb::handle source, nb::handle dtype);

// Whether an array has no infinite number and no NaN; true for whole numbers.
bool holds_finite_numbers(const ArrayBytes& found);

// A read-only array in the memory of a bytes object, which it keeps alive.
struct ArrayOfBytes {
  nb::object array;
  std::size_t size;  // in bytes
};

// The array begins at `at`; raises a Python error if it does not end within the object.
ArrayOfBytes view_of_bytes(const nb::bytes& data, std::size_t at, nb::handle dtype, int n_dimensions,
                           const std::int64_t* shape);

// Number of threads for an amount of work. For little work, both starting threads and reading the number of
// processors take longer than they save; the latter takes as long as the descent on a small batch.
inline int useful_threads(int wanted, double work) {
  constexpr double kWorkOfAThread = 2e6;  // multiplications: about a millisecond
  if (work < 2 * kWorkOfAThread) return 1;
  const int available = wanted > 0 ? wanted : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(static_cast<int>(work / kWorkOfAThread), 1, std::max(available, 1));
}

}  // namespace dynmeans

template <class T, int N>
struct nanobind::detail::type_caster<dynmeans::ArrayView<T, N>> {
  using View = dynmeans::ArrayView<T, N>;
  NB_TYPE_CASTER(View, const_name("numpy.ndarray"))

  bool from_python(handle source, std::uint8_t flags, cleanup_list*) noexcept {
    return dynmeans::read_numpy(source, flags & std::uint8_t(cast_flags::convert), value);
  }
};
