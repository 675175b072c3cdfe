// Kalman filter (1960): predict and update the position and velocity of a cluster.
//
// All variances are in units of the variance of a row in its cluster, as the weights are. Without velocities
// the model is the random walk of the paper.
#pragma once

#include <algorithm>

namespace dynmeans {

// Process noise of the motion model.
struct Motion {
  double position, velocity;  // variances added per unit of time
  double newborn;             // variance of the velocity of a newborn cluster
  double limit;               // largest variance per unit of time that is added to a position in costs

  bool has_velocity() const { return velocity > 0 || newborn > 0; }
};

// Covariance of the position and velocity of a cluster, the same in every coordinate.
struct Covariance {
  double position, cov, velocity;  // variance, covariance of position and velocity, variance

  // Predict: the covariance after a time dt. Noise enters continuously, so many short steps equal a long one.
  Covariance after(double dt, const Motion& motion) const {
    const double q = motion.velocity;
    return {position + dt * (2 * cov + dt * velocity) + dt * (motion.position + q * dt * dt / 3),
            cov + dt * velocity + q * dt * dt / 2, velocity + q * dt};
  }

  // Update: the covariance given the mean of rows of weight n, whose variance is 1 / n, and a center of
  // weight w = gamma + n. Where gamma > 1 / position, the error of the position is limited to 1 / w, and its
  // covariance with the velocity shrinks in proportion, so that the matrix stays positive definite.
  Covariance given_rows(double n, double w) const {
    const double scale = n * position + 1;
    return {1 / w, cov / (position * w), velocity - cov * cov * n / scale};
  }

  // Velocity gain per displacement of the center. The Kalman gain is cov / (p + 1/n) on the innovation, mean
  // minus forecast. The center moves by n / w of the innovation, w = gamma + n.
  double velocity_gain(double n, double w) const { return cov * w / (n * position + 1); }
};

}  // namespace dynmeans
