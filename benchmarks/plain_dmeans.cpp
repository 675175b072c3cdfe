// D-Means as the paper prints it, in plain C++: the peer of the medium-sized benchmarks.
//
// Points are labeled in random order against every cluster, newborn clusters join at once, centers move
// after every pass, until the objective stops falling. No bounds, no explicit vector instructions, one
// thread. Members is the storage of the points of a cluster: a map, as in the authors' program, or a running
// sum, the fastest form that is still plain.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace {

template <int D>
using Point = std::array<double, D>;

template <int D>
double squared_distance(const Point<D>& a, const Point<D>& b) {
  double sum = 0;
  for (int j = 0; j < D; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

template <int D>
struct MapOfPoints {
  std::map<std::int64_t, Point<D>> points;

  void add(std::int64_t i, const Point<D>& y) { points.emplace(i, y); }
  void remove(std::int64_t i, const Point<D>&) { points.erase(i); }
  double count() const { return double(points.size()); }
  Point<D> sum() const {
    Point<D> total{};
    for (const auto& entry : points)
      for (int j = 0; j < D; ++j) total[j] += entry.second[j];
    return total;
  }
};

template <int D>
struct RunningSum {
  Point<D> total{};
  double n = 0;

  void add(std::int64_t, const Point<D>& y) { shift(y, 1); }
  void remove(std::int64_t, const Point<D>& y) { shift(y, -1); }
  double count() const { return n; }
  Point<D> sum() const { return total; }

  void shift(const Point<D>& y, double sign) {
    for (int j = 0; j < D; ++j) total[j] += sign * y[j];
    n += sign;
  }
};

template <int D, class Members>
struct Cluster {
  Point<D> old_center{}, center{};
  double gamma = 0, revival = 0;  // 0 for the newborn
  bool remembered = false;
  Members members;

  // Eq. (labelupdate)
  double cost_of(const Point<D>& y) const {
    if (members.count() > 0) return squared_distance<D>(y, center);
    if (!remembered) return std::numeric_limits<double>::infinity();
    return revival + gamma / (gamma + 1) * squared_distance<D>(y, old_center);
  }

  // Eq. (paramupdate)
  void update_center() {
    center = old_center;
    if (members.count() == 0) return;
    const Point<D> sum = members.sum();
    for (int j = 0; j < D; ++j) center[j] = (gamma * old_center[j] + sum[j]) / (gamma + members.count());
  }
};

template <int D, class Members>
class PlainDMeans {
 public:
  PlainDMeans(const double* rows, std::int64_t n, double birth) : points_(n), labels_(n, -1), birth_(birth) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int j = 0; j < D; ++j) points_[i][j] = rows[i * D + j];
  }

  void remember(const double* center, double gamma, double revival) {
    Cluster<D, Members> cluster;
    for (int j = 0; j < D; ++j) cluster.old_center[j] = cluster.center[j] = center[j];
    cluster.gamma = gamma;
    cluster.revival = revival;
    cluster.remembered = true;
    clusters_.push_back(cluster);
  }

  int descend(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> order(points_.size());
    std::iota(order.begin(), order.end(), 0);
    double before = std::numeric_limits<double>::infinity(), now = before;
    int passes = 0;
    do {
      before = now;
      std::shuffle(order.begin(), order.end(), random);
      for (const std::int64_t i : order) label(i);
      for (auto& cluster : clusters_) cluster.update_center();
      now = objective();
      ++passes;
    } while (now < before);
    return passes;
  }

  // Eq. (DMeansObj)
  double objective() const {
    double cost = 0;
    for (const auto& c : clusters_)
      if (c.members.count() > 0)
        cost += c.remembered ? c.revival + c.gamma * squared_distance<D>(c.center, c.old_center) : birth_;
    for (std::size_t i = 0; i < points_.size(); ++i)
      cost += squared_distance<D>(points_[i], clusters_[labels_[i]].center);
    return cost;
  }

  const std::vector<std::int32_t>& labels() const { return labels_; }

 private:
  void label(std::int64_t i) {
    const Point<D>& y = points_[i];
    const std::int32_t before = labels_[i];
    if (before >= 0) clusters_[before].members.remove(i, y);
    std::int32_t best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      const double cost = clusters_[k].cost_of(y);
      if (cost < least) {
        least = cost;
        best = std::int32_t(k);
      }
    }
    if (!(least <= birth_)) best = found_cluster(y);
    clusters_[best].members.add(i, y);
    labels_[i] = best;
  }

  std::int32_t found_cluster(const Point<D>& y) {
    std::size_t k = 0;
    while (k < clusters_.size() && (clusters_[k].remembered || clusters_[k].members.count() > 0)) ++k;
    if (k == clusters_.size()) clusters_.emplace_back();
    clusters_[k].center = y;
    return std::int32_t(k);
  }

  std::vector<Point<D>> points_;
  std::vector<Cluster<D, Members>> clusters_;
  std::vector<std::int32_t> labels_;
  double birth_;
};

template <int D, class Members>
double run(const double* rows, std::int64_t n, const double* centers, const double* gammas,
           const double* revival, int n_old, double birth, std::uint64_t seed, std::int32_t* labels,
           int* passes) {
  PlainDMeans<D, Members> plain(rows, n, birth);
  for (int k = 0; k < n_old; ++k) plain.remember(centers + k * D, gammas[k], revival[k]);
  *passes = plain.descend(seed);
  std::copy(plain.labels().begin(), plain.labels().end(), labels);
  return plain.objective();
}

}  // namespace

// Two and three dimensions, points in maps or as sums; returns the objective.
#define PLAIN_DMEANS(NAME, D, MEMBERS)                                                                    \
  extern "C" double NAME(const double* rows, std::int64_t n, const double* centers, const double* gammas, \
                         const double* revival, int n_old, double birth, std::uint64_t seed,              \
                         std::int32_t* labels, int* passes) {                                             \
    return run<D, MEMBERS<D>>(rows, n, centers, gammas, revival, n_old, birth, seed, labels, passes);     \
  }

PLAIN_DMEANS(maps_2d, 2, MapOfPoints)
PLAIN_DMEANS(maps_3d, 3, MapOfPoints)
PLAIN_DMEANS(sums_2d, 2, RunningSum)
PLAIN_DMEANS(sums_3d, 3, RunningSum)
