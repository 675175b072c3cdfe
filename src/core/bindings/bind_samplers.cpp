// Python bindings: samplers/. The arguments are documented in _core.pyi.
#include <nanobind/stl/optional.h>

#include "samplers/gibbs.hpp"
#include "samplers/particle_learning.hpp"
#include "support/numpy_arrays.hpp"

namespace dynmeans {
namespace {

using Numbers = Column<std::int64_t>;

McgmmParams model_of(double noise, double concentration, double prior_variance, const Vector& prior_mean) {
  return {noise, concentration, prior_variance, prior_mean.data(), int(prior_mean.shape(0))};
}

nb::tuple gibbs(const Matrix<double>& X, const Matrix<double>& centers, const Vector& variances,
                const Vector& counts, const Vector& weights, double noise, double concentration,
                double prior_variance, const Vector& prior_mean, std::uint64_t seed, std::uint64_t step,
                int n_samples, bool keep, const std::optional<Column<std::int32_t>>& start) {
  const std::size_t n = X.shape(0);
  const McgmmState old{centers.data(), variances.data(), counts.data(), weights.data(), int(counts.shape(0))};
  GibbsResult found;
  {
    nb::gil_scoped_release unlocked;
    Gibbs sampler(X.data(), std::int64_t(n), old, model_of(noise, concentration, prior_variance, prior_mean),
                  Random(seed, step, 0));
    found = sampler.run(n_samples, start ? start->data() : nullptr, keep);
  }
  const std::size_t kept = keep ? n_samples : 0;
  return nb::make_tuple(to_numpy(std::move(found.best), {n}),
                        to_numpy(std::move(found.log_densities), {std::size_t(n_samples)}),
                        to_numpy(std::move(found.samples), {kept, n}));
}

// Particles from the arrays of Python; see particle_learning_step in _core.pyi.
std::vector<Particle> unpack(const Numbers& begin, const Numbers& founders, const Matrix<double>& centers,
                             const Vector& variances, const Vector& counts, const Vector& weights) {
  const int d = int(centers.shape(1));
  std::vector<Particle> particles(begin.shape(0) - 1, Particle(d));
  for (std::size_t p = 0; p < particles.size(); ++p)
    for (std::int64_t k = begin(p); k < begin(p + 1); ++k)
      particles[p].add(founders(k), centers.data() + k * d, variances(k), counts(k), weights(k));
  return particles;
}

nb::tuple pack(const ParticleFilter& filter, std::size_t n, int d) {
  std::vector<std::int64_t> begin{0}, founders, labels;
  std::vector<double> centers, variances, counts, weights;
  for (const Particle& particle : filter.particles()) {
    for (int k = 0; k < particle.size(); ++k) {
      founders.push_back(particle.founder(k));
      centers.insert(centers.end(), particle.mean(k), particle.mean(k) + d);
      variances.push_back(particle.variance(k));
      counts.push_back(particle.count(k));
      weights.push_back(particle.weight(k));
    }
    begin.push_back(std::int64_t(founders.size()));
  }
  for (const auto& path : filter.labels()) labels.insert(labels.end(), path.begin(), path.end());
  const std::size_t p = begin.size() - 1, m = founders.size();
  return nb::make_tuple(to_numpy(std::move(begin), {p + 1}), to_numpy(std::move(founders), {m}),
                        to_numpy(std::move(centers), {m, std::size_t(d)}),
                        to_numpy(std::move(variances), {m}), to_numpy(std::move(counts), {m}),
                        to_numpy(std::move(weights), {m}),
                        to_numpy(std::vector<double>(filter.log_densities()), {p}),
                        to_numpy(std::move(labels), {p, n}), filter.log_evidence());
}

nb::tuple learn_particles(const Matrix<double>& X, const Numbers& begin, const Numbers& founders,
                          const Matrix<double>& centers, const Vector& variances, const Vector& counts,
                          const Vector& weights, const Vector& log_densities, double noise,
                          double concentration, double prior_variance, const Vector& prior_mean,
                          std::int64_t first_number, std::uint64_t seed, std::uint64_t step) {
  const std::size_t n = X.shape(0);
  const double* logs = log_densities.data();
  ParticleFilter filter(unpack(begin, founders, centers, variances, counts, weights),
                        std::vector<double>(logs, logs + log_densities.shape(0)),
                        model_of(noise, concentration, prior_variance, prior_mean), Random(seed, step, 0));
  {
    nb::gil_scoped_release unlocked;
    filter.run(X.data(), std::int64_t(n), first_number);
  }
  return pack(filter, n, int(X.shape(1)));
}

}  // namespace

void bind_samplers(nb::module_& m) {
  m.def("gibbs", &gibbs, "X"_a, "centers"_a, "variances"_a, "counts"_a, "weights"_a, "noise"_a,
        "concentration"_a, "prior_variance"_a, "prior_mean"_a, "seed"_a, "step"_a, "n_samples"_a,
        "keep"_a = false, "start"_a = nb::none(),
        "Sample the labels of one batch: (best slots, log densities, samples).");
  m.def("particle_learning_step", &learn_particles, "X"_a, "begin"_a, "founders"_a, "centers"_a,
        "variances"_a, "counts"_a, "weights"_a, "log_densities"_a, "noise"_a, "concentration"_a,
        "prior_variance"_a, "prior_mean"_a, "first_number"_a, "seed"_a, "step"_a,
        "Take one batch row by row: (begin, founders, centers, variances, counts, weights, log densities, "
        "labels by founder, log evidence).");
}

}  // namespace dynmeans
