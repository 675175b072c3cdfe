// Code length of counts: which ids return, how many are new, how many points each id has.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "code_length/scatter_code.hpp"

namespace dynmeans {

// Nats for `hits` of `chances`, in a known order, after those counted so far: Beta-binomial.
struct Frequency {
  double yes = 0.5, no = 0.5;  // Jeffreys' prior, unless set otherwise

  double encode(double hits, double chances) {
    const double misses = chances - hits;
    const double nats = std::lgamma(yes) - std::lgamma(yes + hits) + std::lgamma(no) -
                        std::lgamma(no + misses) + std::lgamma(yes + no + chances) - std::lgamma(yes + no);
    yes += hits;
    no += misses;
    return nats;
  }

  double log_odds() const { return std::log(yes / no); }
  double log_miss() const { return std::log(no / (yes + no)); }
};

// Code length of returns: an id returns with the frequency observed at its age.
class ReturnCode {
 public:
  void may_return(double age) { ++chances_[age_class(age)]; }
  void returns(double age) { ++hits_[age_class(age)]; }

  // Log probability that a newborn is absent from the next step.
  double log_absence() const { return seen_[0].log_miss(); }

  double encode() {
    double nats = 0.0;
    for (int a = 0; a < kAges; ++a) nats += seen_[a].encode(hits_[a], chances_[a]);
    chances_ = hits_ = {};
    return nats;
  }

 private:
  static constexpr int kAges = 16;  // ages 1, 2, up to 4, up to 8, ...

  static int age_class(double age) {
    return std::clamp(int(std::ceil(std::log2(std::max(age, 1.0)) - 1e-9)), 0, kAges - 1);
  }

  std::array<Frequency, kAges> seen_{};
  std::array<double, kAges> chances_{}, hits_{};
};

// Births are Gamma-Poisson. The names of newborns are arbitrary, so each set of them can be encoded in
// births! ways. The first step has no rate: a whole number costs about twice its logarithm.
class BirthCode {
 public:
  double encode(double births, int t) {
    if (t == 0) return 2.0 * std::log(std::max(births, 1.0)) - std::lgamma(births + 1.0);
    const double shape = births_ + 0.5, steps = t - 0.5;
    births_ += births;
    return std::lgamma(shape) - std::lgamma(shape + births) - shape * std::log(steps / (steps + 1.0)) +
           births * std::log(steps + 1.0);
  }

  // Log of the expected number of births: change of the code length by one birth more or less.
  double log_rate(int t) const { return t == 0 ? 0.0 : std::log((births_ + 0.5) / (t - 0.5)); }

 private:
  double births_ = 0.0;
};

// Code of the sizes of ids, for streams in which most ids have a single row: which ids do, the sizes of the
// others, and the order of the rows. Sizes that are not whole, because of weights, have no such code.
class SizeCode {
 public:
  void add(double n) {
    mass_ += n;
    if (n == 1.0) {
      ++single_;
    } else if (n >= 2.0 && n == std::floor(n)) {
      ++more_;
      further_ += n - 2.0;
      order_ -= std::lgamma(n + 1.0);
    } else {
      is_possible_ = false;
    }
  }

  double encode() {
    const double nats = frequency_of_single_.encode(single_, single_ + more_) +
                        frequency_of_further_.encode(further_, further_ + more_) + std::lgamma(mass_ + 1.0) +
                        order_;
    single_ = more_ = further_ = mass_ = order_ = 0.0;
    return is_possible_ ? nats : std::numeric_limits<double>::infinity();
  }

 private:
  Frequency frequency_of_single_, frequency_of_further_;
  double single_ = 0.0, more_ = 0.0;  // ids of this step with one row, and with more
  double further_ = 0.0;              // rows of an id after the second
  double mass_ = 0.0, order_ = 0.0;
  bool is_possible_ = true;
};

// Labels of the rows. Two codes are mixed by their past likelihood: Dirichlet-multinomial, with 1/2 and the
// size when last seen or the usual size of a newborn; and SizeCode, for streams of detections.
class LabelCode {
 public:
  void add(double n, const double* n_before) {
    const double alpha = 0.5 + (n_before ? *n_before : newborns_ > 0.0 ? newborn_mass_ / newborns_ : 0.0);
    nats_ += std::lgamma(alpha) - std::lgamma(alpha + n);
    prior_ += alpha;
    mass_ += n;
    sizes_.add(n);
    if (n_before) return;
    fresh_mass_ += n;
    ++fresh_;
  }

  double encode() {
    const double before = log_sum(log_likelihood_[0], log_likelihood_[1]);
    log_likelihood_[0] -= mass_ > 0.0 ? nats_ + std::lgamma(prior_ + mass_) - std::lgamma(prior_) : 0.0;
    log_likelihood_[1] -= sizes_.encode();
    newborn_mass_ += fresh_mass_;
    newborns_ += fresh_;
    nats_ = prior_ = mass_ = fresh_mass_ = fresh_ = 0.0;
    return before - log_sum(log_likelihood_[0], log_likelihood_[1]);
  }

 private:
  double nats_ = 0.0, prior_ = 0.0, mass_ = 0.0, fresh_mass_ = 0.0, fresh_ = 0.0;  // of this step
  double newborn_mass_ = 0.0, newborns_ = 0.0;                                     // of all before
  SizeCode sizes_;
  std::array<double, 2> log_likelihood_{};  // of both codes
};

}  // namespace dynmeans
