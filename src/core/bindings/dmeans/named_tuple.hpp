// Fields of the NamedTuples of dynmeans._model, read by position.
#pragma once

#include <string>

#include "support/numpy_arrays.hpp"

namespace dynmeans {

// Raises a Python error if the field is missing or has another type.
template <class T>
T field(const nb::tuple& fields, std::size_t position) {
  T value;
  if (position >= fields.size() || !nb::try_cast(fields[position], value))
    throw nb::type_error(("field " + std::to_string(position) + " is missing or has a wrong type").c_str());
  return value;
}

}  // namespace dynmeans
