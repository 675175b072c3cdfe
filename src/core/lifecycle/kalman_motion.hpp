// How a cluster moves while nobody looks: a Kalman filter of its place and its velocity.
//
// All variances are in units of the clusters' own, as the weights are. Without velocities it is the random
// walk of the paper.
#pragma once

namespace dynmeans {

// Variances that enter in one unit of time, and that of the velocity of a newborn.
struct Motion {
  double place, velocity, newborn;

  bool has_velocity() const { return velocity > 0 || newborn > 0; }
};

// What is not known of a cluster.
struct Covariance {
  double place, cov, velocity;  // variances, and how place and velocity vary together

  // Noise enters continuously, so that many short waits equal one long one.
  Covariance after(double dt, const Motion& motion) const {
    const double q = motion.velocity;
    return {place + dt * (2 * cov + dt * velocity) + dt * (motion.place + q * dt * dt / 3),
            cov + dt * velocity + q * dt * dt / 2, velocity + q * dt};
  }

  // The mean of rows of weight n, whose variance is 1 / n, was seen.
  Covariance knowing(double n) const {
    const double share = n * place / (n * place + 1), rest = 1 - share;
    return {place * rest, cov * rest, velocity - cov * cov / place * share};
  }

  // What a step of the centre adds to the velocity. The new centre is p / (p + 1/n) of the way from the
  // forecast to the mean, so the gain on the velocity, cov / (p + 1/n), is cov / p on the way it went.
  double gain() const { return cov / place; }
};

}  // namespace dynmeans
