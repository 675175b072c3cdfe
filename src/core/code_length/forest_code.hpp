// Forest code: prequential code length of a clustered stream in which each id is a tree in each step.
//
// A Gaussian code is shorter if an object is cut into parts that are closer to a Gaussian than the whole.
// Here the density of edge lengths is the same for every clustering, so shape does not matter: a cut saves
// one edge and costs one root. A step consists of
//   events   as in the Gaussian code
//   labels   as in the Gaussian code, and log n! nats for each id of n rows: a tree encodes a set of rows,
//            where the Gaussian code encodes them in order
//   roots    one row of each id, uniformly drawn: of known ids around their forecast, of newborns anywhere
//   edges    of the minimum spanning tree of the rows of each id
//   noise    which rows have no id, and their positions under a broad density
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "code_length/event_code.hpp"
#include "code_length/root_code.hpp"
#include "code_length/stream_summary.hpp"
#include "code_length/tree_code.hpp"
#include "support/signals.hpp"

namespace dynmeans {

struct ForestView {
  EdgeTable edge;
  const double* background;     // (N,) log density of each row anywhere
  const double* first;          // (d, d) spread of a root around its forecast before any was seen
  double min_variance;          // smallest variance
  std::vector<Motion> motions;  // of the filters that forecast the roots
};

struct ForestCode {
  double edges = 0.0, roots = 0.0, labels = 0.0, events = 0.0, noise = 0.0;  // nats
  std::vector<double> credit;  // log likelihood of the roots of known ids under each motion
};

class ForestCoder {
 public:
  // Rows with id -1 are noise. The weights of rows are not used.
  ForestCoder(const ResultView& result, const ForestView& forest)
      : result_(result),
        forest_(forest),
        d_(result.d),
        roots_(d_, forest.motions, Square(forest.first, forest.first + std::size_t(d_) * d_),
               forest.min_variance),
        slot_(result.n_ids, -1),
        track_(result.n_ids, -1) {}

  // Returns the nats up to each step.
  std::vector<ForestCode> run() {
    std::vector<ForestCode> up_to;
    up_to.reserve(result_.n_steps);
    for (int t = 0; t < result_.n_steps; ++t) {
      const std::vector<std::vector<std::int64_t>> groups = split(t);
      encode_events(groups, t);
      for (const auto& rows : groups) encode_group(rows, t);
      total_.roots += roots_.encode();
      total_.credit = roots_.credit();
      up_to.push_back(total_);
      forget(result_.times[t]);
    }
    return up_to;
  }

 private:
  // An id that returns later counts as new. Ids that ended long ago take time in every step.
  static constexpr double kHorizon = 1000.0;

  // Rows of each id in order of appearance; encodes the rows without an id.
  std::vector<std::vector<std::int64_t>> split(int t) {
    std::vector<std::vector<std::int64_t>> groups;
    double n_noise = 0.0;
    for (auto i = result_.starts[t]; i < result_.starts[t + 1]; ++i) {
      const auto id = result_.ids[i];
      if (id < 0) {
        ++n_noise;
        total_.noise -= forest_.background[i];
        continue;
      }
      if (slot_[id] < 0) {
        slot_[id] = int(groups.size());
        groups.emplace_back();
      }
      groups[slot_[id]].push_back(i);
    }
    for (const auto& rows : groups) slot_[result_.ids[rows[0]]] = -1;
    const double n = double(result_.starts[t + 1] - result_.starts[t]);
    if (n > 0.0) total_.noise += noise_.encode(n_noise, n);
    return groups;
  }

  void encode_events(const std::vector<std::vector<std::int64_t>>& groups, int t) {
    double births = 0.0;
    for (const Track& track : tracks_) returns_.may_return(result_.times[t] - track.last_seen);
    for (const auto& rows : groups) {
      const Track* track = known(result_.ids[rows[0]]);
      if (track) returns_.returns(result_.times[t] - track->last_seen);
      births += track == nullptr;
      labels_.add(double(rows.size()), track ? &track->n : nullptr);
      total_.labels += std::lgamma(double(rows.size()) + 1.0);
    }
    total_.events += returns_.encode() + births_.encode(births, t);
    total_.labels += labels_.encode();
  }

  void encode_group(const std::vector<std::int64_t>& rows, int t) {
    poll_(std::int64_t(rows.size() * rows.size() + rows.size() * d_) * d_);
    gather(rows);
    total_.edges += encode_tree(coordinates_, d_, forest_.edge);
    const auto id = result_.ids[rows[0]];
    if (Track* track = known(id)) {
      roots_.follow(*track, coordinates_, mean_, result_.times[t]);
      return;
    }
    double root = -std::numeric_limits<double>::infinity();
    for (const auto i : rows) root = log_sum(root, forest_.background[i]);
    total_.roots -= root - std::log(double(rows.size()));
    track_[id] = int(tracks_.size());
    tracks_.push_back(roots_.begin(id, double(rows.size()), mean_, result_.times[t]));
  }

  void gather(const std::vector<std::int64_t>& rows) {
    coordinates_.clear();
    mean_.assign(d_, 0.0);
    for (const auto i : rows)
      for (int j = 0; j < d_; ++j) {
        coordinates_.push_back(result_.rows[i * d_ + j]);
        mean_[j] += coordinates_.back() / double(rows.size());
      }
  }

  Track* known(std::int64_t id) { return track_[id] < 0 ? nullptr : &tracks_[track_[id]]; }

  void forget(double now) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < tracks_.size(); ++k) {
      const auto id = tracks_[k].id;
      if (now - tracks_[k].last_seen > kHorizon) {
        track_[id] = -1;
        continue;
      }
      track_[id] = int(kept);
      if (kept != k) tracks_[kept] = std::move(tracks_[k]);
      ++kept;
    }
    tracks_.erase(tracks_.begin() + std::ptrdiff_t(kept), tracks_.end());
  }

  ResultView result_;
  ForestView forest_;
  int d_;
  RootCode roots_;
  ReturnCode returns_;
  BirthCode births_;
  LabelCode labels_;
  Frequency noise_{1.0, 19.0};
  std::vector<int> slot_, track_;  // of an id: its group in this step, its row in tracks_
  std::vector<Track> tracks_;
  std::vector<double> coordinates_, mean_;
  ForestCode total_;
  Poll poll_;
};

}  // namespace dynmeans
