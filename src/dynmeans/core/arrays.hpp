// NumPy arrays in and out of the compiled core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <initializer_list>
#include <thread>
#include <utility>
#include <vector>

namespace dynmeans {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Vector = Column<double>;

// A NumPy array; a function may also return it as an nb::ndarray, which tells what is in it.
template <class T>
struct NumpyArray : nb::object {
  explicit NumpyArray(nb::object&& array) : nb::object(std::move(array)) {}
  operator nb::ndarray<nb::numpy, T>() const { return nb::cast<nb::ndarray<nb::numpy, T>>(*this); }
};

// With memory of its own; in arrays.cpp.
template <class T>
nb::object copy_to_numpy(const std::vector<T>& values, std::initializer_list<std::size_t> shape);

template <class T>
NumpyArray<T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  constexpr std::size_t kFew = 32768;  // bytes that are sooner copied than given an owner
  if (values.size() * sizeof(T) <= kFew) return NumpyArray<T>(copy_to_numpy(values, shape));
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyArray<T>(nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape, owner)));
}

// Threads are worth their start only when there is enough to do. Nor is it worth asking how many processors
// there are before that: the answer takes as long as the descent on a small batch.
inline int useful_threads(int wanted, double work) {
  constexpr double kWorkOfAThread = 2e6;
  if (work < 2 * kWorkOfAThread) return 1;
  const int available = wanted > 0 ? wanted : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(static_cast<int>(work / kWorkOfAThread), 1, std::max(available, 1));
}

}  // namespace dynmeans
