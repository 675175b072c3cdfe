// The compiled core as Python sees it: one function an algorithm, each in a file of its own.
#include <nanobind/nanobind.h>

#include "lanes.hpp"

namespace dynmeans {

void bind_descent(nanobind::module_& m);

NB_MODULE(_dynmeans, m) {
  m.doc() = "The loops of dynmeans.";
  bind_descent(m);
  m.def("lanes", [] { return lanes().name; }, "Which set of vector instructions is in use.");
}

}  // namespace dynmeans
