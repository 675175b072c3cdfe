// Vector with uninitialized elements; write before reading.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace dynmeans {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };

  template <class U>
  void construct(U* address) {
    ::new (static_cast<void*>(address)) U;
  }
  template <class U, class... Args>
  void construct(U* address, Args&&... args) {
    ::new (static_cast<void*>(address)) U(std::forward<Args>(args)...);
  }
};

template <class T>
using RawVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace dynmeans
