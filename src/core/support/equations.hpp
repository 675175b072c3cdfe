// Equations of the model that several algorithms use.
#pragma once

namespace dynmeans {

// Cost of merging two means of weights a and b, per squared distance between them: the minimum over theta of
// a |theta - x|^2 + b |theta - y|^2 is merge_weight(a, b) |x - y|^2.
[[gnu::always_inline]] inline double merge_weight(double a, double b) {
  return a * b / (a + b);
}

// Revival cost of a cluster for rows of weight n, whose mean has the squared distance d2 from its old center:
// Q dt + gamma n / (gamma + n) d2, the middle case of Eq. labelupdate for n = 1.
[[gnu::always_inline]] inline double revival_cost(double aging, double gamma, double n, double d2) {
  return aging + merge_weight(gamma, n) * d2;
}

// The same minus the cost of a birth, from the product n_d2 of n and d2, which kernels provide. The order of
// the operations is fixed: ties of links and births are frequent under the spanning-tree kernel, and other
// rounding would decide them differently. aging: Q dt; birth: lambda
[[gnu::always_inline]] inline double link_saving(double aging, double birth, double gamma, double n,
                                                 double n_d2) {
  return aging - birth + gamma * n_d2 / (gamma + n);
}

// Eq. (paramupdate) for one coordinate: theta = (gamma phi + sum of m y) / (gamma + n), where inverse is
// 1 / (gamma + n). gamma and phi are 0 for a newborn cluster.
[[gnu::always_inline]] inline double updated_center(double gamma, double phi, double sum, double inverse) {
  return (gamma * phi + sum) * inverse;
}

}  // namespace dynmeans
