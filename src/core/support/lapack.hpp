// LAPACK and BLAS functions of SciPy, so that the core links with neither.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace dynmeans {

struct Lapack {
  void (*dgesdd)(char* job, int* m, int* n, double* a, int* lda, double* s, double* u, int* ldu, double* vt,
                 int* ldvt, double* work, int* lwork, int* iwork, int* info);
  void (*dsyev)(char* job, char* triangle, int* n, double* a, int* lda, double* values, double* work,
                int* lwork, int* info);
  void (*dsyevr)(char* job, char* range, char* triangle, int* n, double* a, int* lda, double* low,
                 double* high, int* first, int* last, double* tolerance, int* found, double* values,
                 double* vectors, int* ldz, int* support, double* work, int* lwork, int* iwork, int* liwork,
                 int* info);
  void (*dgemm)(char* trans_a, char* trans_b, int* m, int* n, int* k, double* alpha, double* a, int* lda,
                double* b, int* ldb, double* beta, double* c, int* ldc);
};

template <class Function>
Function scipy_function(const char* module, const char* name) {
  namespace nb = nanobind;
  const auto found = nb::cast<nb::capsule>(nb::module_::import_(module).attr("__pyx_capi__")[name]);
  if (std::string(found.name()).find("int *") == std::string::npos)
    throw std::runtime_error(std::string(module) + "." + name + " has the signature " + found.name() +
                             "; its integers must be of type int");
  return reinterpret_cast<Function>(found.data());
}

// The first call must hold the GIL.
inline const Lapack& lapack() {
  static const Lapack found{
      scipy_function<decltype(Lapack::dgesdd)>("scipy.linalg.cython_lapack", "dgesdd"),
      scipy_function<decltype(Lapack::dsyev)>("scipy.linalg.cython_lapack", "dsyev"),
      scipy_function<decltype(Lapack::dsyevr)>("scipy.linalg.cython_lapack", "dsyevr"),
      scipy_function<decltype(Lapack::dgemm)>("scipy.linalg.cython_blas", "dgemm"),
  };
  return found;
}

// Matrix product: out (n, m) = a (n, k) b (k, m), all in row-major order.
inline void multiply(const Lapack& lapack, double* a, double* b, int n, int k, int m, double* out) {
  char plain = 'N';
  double one = 1, zero = 0;
  lapack.dgemm(&plain, &plain, &m, &n, &k, &one, b, &m, a, &k, &zero, out, &m);
}

// Lines of a (n, c): a'a (c, c).
inline std::vector<double> gram(const Lapack& lapack, const double* a, int n, int c) {
  std::vector<double> out(std::size_t(c) * c);
  char no_transpose = 'N', transpose = 'T';
  double one = 1, zero = 0, *lines = const_cast<double*>(a);
  lapack.dgemm(&no_transpose, &transpose, &c, &c, &n, &one, lines, &c, lines, &c, &zero, out.data(), &c);
  return out;
}

struct Singular {
  std::vector<double> left;    // (c, c) line by line: a = left diag(values) right
  std::vector<double> values;  // (c,)
  std::vector<double> right;   // (c, c)
};

// in: a (c, c) row-major. LAPACK reads it as the transpose, so left and right vectors are exchanged.
inline Singular singular(const Lapack& lapack, std::vector<double> a, int c) {
  Singular found{std::vector<double>(c * c), std::vector<double>(c), std::vector<double>(c * c)};
  char all = 'A';
  int info = 0, n_work = 4 * c * c + 7 * c;
  std::vector<double> work(n_work);
  std::vector<int> more(8 * c);
  lapack.dgesdd(&all, &c, &c, a.data(), &c, found.values.data(), found.right.data(), &c, found.left.data(),
                &c, work.data(), &n_work, more.data(), &info);
  if (info != 0) throw std::runtime_error("the singular values did not converge");
  return found;
}

}  // namespace dynmeans
