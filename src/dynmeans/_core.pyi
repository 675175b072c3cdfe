"""Signatures of the compiled module.

Sizes: n rows of d features, K remembered clusters, L >= K clusters after the step, M support points, N points
in T steps, P particles. An argument has the meaning of its group. The arguments of D-Means have the same
meaning in all groups that do not list them.

D-Means

========================  =====================================================================
X, rows                   (n, d) rows of the batch
weights                   (n,) weights of the rows; of clusters (K,) where ``last_seen`` is given
centers, forecasts        (K, d) remembered centers; predicted positions
old_centers               (K, d) remembered centers, where ``centers`` are those of all slots
gammas, revival           (K,) gamma and Q dt, the prior weight and the revival cost of each
birth, aging, lifetime    lambda, Q, T_Q
costs, search             `Costs` and `SearchOptions`; their fields are read by position
slots                     (n,) cluster of each row: 0 .. K-1 remembered, then newborn;
                          of a large batch in two bytes, if they fit
slot_weights              (L,) weight of the rows of each cluster
which                     (n,) the row of a fit of distinct rows that each row equals
velocities, velocity_cov  (K, d) or (K, 0); (K, 2) covariance with the position, variance
last_seen, clock, now     event times: (K,) of the clusters, of the last step, of this step
state, prior, fit         of `dynmeans._model`; their fields are read by position
motion                    of `dynmeans._model`, scaled by the drift; likewise
n_restarts, max_iter      number of random orders; maximum number of passes or sweeps of each
refine                    end each restart with splits, merges and re-links, or with moves of rows
seed, step, restart       together they determine all random numbers
n_threads                 number of threads; 0 for all cores
epoch                     rows of an epoch of the first pass; 0 chooses, -1 for a serial loop
own                       (n,) cluster of each row
n_clusters, n_parts       number of clusters; parts in which a sum is computed, which change nothing
parents, active           (n,) parent of each row, an index into the slots that were active (A,)
min_share, max_ratio      minimum share of rows, maximum ratio of distances in a split or merge
n_old                     K
gram, tolerance           (n, n) cosines of unit rows, and their rounding error
========================  =====================================================================

Kernels

========================  =====================================================================
diagonal, y_phi, phi_phi  (n,), (n, K), (K,) kernel of rows, rows and centers, centers
matrix                    (n, n) kernel of the rows, as a full matrix
features, phi_features    (n, r), (K, r) the same as explicit features
begin, neighbors, values  (n + 1,), (z,), (z,) the same as a sparse matrix in CSR form
start                     (n,) initial slots; -1 for rows that are assigned first
kept, shares, owner       (M, d) support points, (M,) their shares, (M,) cluster 0 .. K-1 of each
coefficients, budget      (M,) coefficients of support points; maximum number kept per cluster
asleep                    (M, d) the support points as they stay in clusters without rows
positions, n_positions    (M + n,) number of the position of each point; equal points share it
ids                       (L,) permanent ids
bandwidth, background     width of a Gaussian; background density, in units of its height
widest, n_rounds          bandwidth of the first round, in units of the last; number of rounds
a, b, out                 (n, d) and (m, d) points; (n, m) their kernel
dependent                 share of its squared length that a point must add to the chosen ones
equal                     gains above this share of the best are equal
negligible                share of the squared length of the center at which the selection stops
scale                     length above which an edge of the spanning tree is long
parent, length            (m,) parent component, which comes first; length of the edge to it
components                (M + n,) component of each point
threshold, at_least       eigenvalues above it are wanted, and at least that many
vectors, values           (n + K, c) eigenvectors of the relaxed problem; (c,) eigenvalues
lengths, first            (n,) lengths of the points before scaling; row of the first axis
apart, weight             (L, K) n times squared distances of means and old centers; (L,) n
========================  =====================================================================

Validation, colors and state files

========================  =====================================================================
n_features                number of columns that rows must have
pixels                    (n, 3) colors
largest                   largest coordinate of a center
ids, hits, next_id        (K,) permanent ids, numbers of steps with rows; smallest unused id
kinds, n_kinds            (m,) of events: index of the kind; number of kinds
steps, times, costs       (m,) of events: number of the step, event time, cost
n_steps                   number of steps so far
shared, own, arrays       of a record: two texts, and the arrays in the order of its columns
data, at, columns         a record, where its texts end; name, type and dimensions of each array
                          wrong_column: name, shape and type that each array must have
========================  =====================================================================

Code lengths of a stream

========================  =====================================================================
rows, ids, n_ids          (N, d) all points; (N,) 0 .. n_ids - 1, or -1 for noise; number of ids
starts, times             (T + 1,) first point of each step; (T,) in median intervals
means, covs               (T, d), (T, d, d) of all points up to each step
background                (N,) log density of each point under a broad density
floor, min_variance       (d,) smallest variance of a feature; smallest variance
edge_nats                 nats of an edge, over an even grid of logarithms of its length
first_log, log_step       first logarithm of this grid, and its spacing
spread, motions           (d, d) of a root around its forecast; motions of the filters
========================  =====================================================================

Samplers of the baselines

========================  =====================================================================
centers, variances        (K, d), (K,) mean and variance of the center of each cluster
counts, weights           (K,) c_k and q^dt c_k, the number of points and the weight while asleep
noise, concentration      sigma, alpha
prior_variance, prior_mean  rho, phi (d,)
n_samples, keep           number of samples; whether all are returned
start                     (n,) slots of the initial sample; None draws it
begin, founders           (P + 1,) first cluster of each particle; first row of each cluster
log_densities             (P,) of the path of each particle
first_number              number of the first row of the batch in the stream
========================  =====================================================================

Batches on several machines

========================  =====================================================================
shift, radius             (d,) subtracted from every row; largest coordinate after that
largest, smallest         (d,) sizes of the terms of sums, which determine their grid
terms, of, n_groups       (n, columns) numbers to add up, (n,) group of each; number of groups
n_terms, n_buckets        maximum number of terms of a sum; number of buckets of rows by hash
weight_sizes              (2,) largest and smallest weight, or (0,) for ones
first, n_total            number of the first row of a chunk; rows of the batch
labels, bounds            (n,) slots of the rows of a chunk; (2, n) bounds on their distances
visits                    (p,) positions in the visiting order
touched                   (t,) slots that rows came to or left; their sums are arrays of folds
before, trusted           (slots, d) centers of the last pass; whether its bounds hold
========================  =====================================================================
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynmeans._algorithms.batch import SearchOptions
from dynmeans._model.costs import Costs
from dynmeans._model.motion import Motion
from dynmeans._model.objective import Fit
from dynmeans._model.prior import Prior
from dynmeans._model.state import ClusterState

Rows = NDArray[np.float32] | NDArray[np.float64]
Floats = NDArray[np.float64]
RowSlots = NDArray[np.int32] | NDArray[np.uint16]

def descend(
    X: Rows,
    weights: Floats | None,
    centers: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
    seed: int,
    step: int,
    n_restarts: int,
    max_iter: int,
    n_threads: int,
    refine: bool = False,
    epoch: int = 0,
) -> tuple[RowSlots, Floats, Floats, float, int, Floats]: ...
def descend_sphere(
    X: Rows,
    weights: Floats | None,
    centers: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
    seed: int,
    step: int,
    n_restarts: int,
    max_iter: int,
    refine: bool = False,
) -> tuple[NDArray[np.int32], Floats, Floats, float, int, Floats, Floats, float]: ...
def gram_matrix(X: NDArray[np.float32]) -> NDArray[np.float32]: ...
def descend_gram(
    gram: NDArray[np.float32], tolerance: float, birth: float, seed: int, max_iter: int
) -> tuple[NDArray[np.int32], Floats, NDArray[np.int32]]: ...
def assign_exclusive(
    X: Rows, weights: Floats | None, centers: Floats, gammas: Floats, revival: Floats, birth: float
) -> tuple[NDArray[np.int32], Floats, Floats, float, int, Floats]: ...
def merge_clusters(
    centers: Floats,
    slot_weights: Floats,
    old_centers: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
) -> tuple[NDArray[np.int32], Floats, Floats, float] | None: ...
def cluster_sums(
    X: Rows, weights: Floats | None, labels: NDArray[np.int32], n_clusters: int, n_parts: int = 1
) -> tuple[Floats, Floats, Floats]: ...
def exact_sum(values: Floats, n_parts: int = 1) -> float: ...
def nearest_centers(X: Rows, centers: Floats, n_threads: int) -> NDArray[np.int32]: ...
def cheapest_clusters(
    X: Rows, centers: Floats, gammas: Floats, revival: Floats, n_threads: int
) -> NDArray[np.int32]: ...
def kernel_descend(
    weights: Floats,
    diagonal: Floats,
    y_phi: Floats,
    phi_phi: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
    seed: int,
    step: int,
    restart: int,
    max_iter: int,
    start: NDArray[np.int32] | None = None,
    matrix: Floats | None = None,
    features: Floats | None = None,
    phi_features: Floats | None = None,
    begin: NDArray[np.int64] | None = None,
    neighbors: NDArray[np.int32] | None = None,
    values: Floats | None = None,
) -> tuple[NDArray[np.int32], float, int]: ...
def mst_components(
    X: Floats, scale: float, n_threads: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]: ...
def tree_distances(parent: NDArray[np.int64], length: Floats) -> Floats: ...
def minimum_spanning_tree(X: Floats, n_threads: int = 0) -> tuple[NDArray[np.int32], Floats]: ...
def align_shifts(
    rows: Floats,
    weights: Floats,
    kept: Floats,
    shares: Floats,
    owner: NDArray[np.int64],
    n_old: int,
    bandwidth: float,
    background: float,
    widest: float = 3.5,
    n_rounds: int = 10,
) -> Floats: ...
def mixture_responsibilities(
    rows: Floats,
    kept: Floats,
    shares: Floats,
    owner: NDArray[np.int64],
    n_old: int,
    bandwidth: float,
    background: float,
) -> Floats: ...
def distinct_colors(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], Floats, NDArray[np.int32]]: ...
def gibbs(
    X: Floats,
    centers: Floats,
    variances: Floats,
    counts: Floats,
    weights: Floats,
    noise: float,
    concentration: float,
    prior_variance: float,
    prior_mean: Floats,
    seed: int,
    step: int,
    n_samples: int,
    keep: bool = False,
    start: NDArray[np.int32] | None = None,
) -> tuple[NDArray[np.int32], Floats, NDArray[np.int32]]: ...
def particle_learning_step(
    X: Floats,
    begin: NDArray[np.int64],
    founders: NDArray[np.int64],
    centers: Floats,
    variances: Floats,
    counts: Floats,
    weights: Floats,
    log_densities: Floats,
    noise: float,
    concentration: float,
    prior_variance: float,
    prior_mean: Floats,
    first_number: int,
    seed: int,
    step: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    Floats,
    Floats,
    Floats,
    Floats,
    Floats,
    NDArray[np.int64],
    float,
]: ...
def code_length(
    rows: Floats,
    weights: Floats | None,
    ids: NDArray[np.int64],
    n_ids: int,
    starts: NDArray[np.int64],
    times: Floats,
    means: Floats,
    covs: Floats,
    background: Floats,
    floor: Floats,
) -> Floats: ...
def forest_code(
    rows: Floats,
    ids: NDArray[np.int64],
    n_ids: int,
    starts: NDArray[np.int64],
    times: Floats,
    edge_nats: Floats,
    first_log: float,
    log_step: float,
    background: Floats,
    spread: Floats,
    min_variance: float,
    motions: Floats,
) -> Floats: ...
def simd_level() -> str: ...
def rbf_kernel(a: Floats, b: Floats, bandwidth: float, out: Floats) -> None: ...
def matching_pursuit(
    gram: Floats, coefficients: Floats, budget: int, dependent: float, equal: float, negligible: float
) -> tuple[NDArray[np.int64], Floats]: ...
def max_abs(X: Rows, n_threads: int = 1) -> float: ...
def squared_span(X: Rows, centers: Floats) -> float: ...
def farthest_from_others(X: Rows, own: NDArray[np.int64], centers: Floats) -> float: ...
def max_abs_in_place(X: NDArray[Any], n_features: int | None, n_threads: int) -> float | None: ...
def wrong_column(
    arrays: dict[str, NDArray[Any]], columns: tuple[tuple[str, tuple[int, ...], np.dtype[Any]], ...]
) -> int: ...
def broken_cluster_rule(
    ids: NDArray[np.int64],
    weights: Floats,
    last_seen: Floats,
    hits: NDArray[np.int64],
    next_id: int,
    clock: float,
    n_steps: int,
) -> str | None: ...
def broken_motion_rule(
    centers: Floats, weights: Floats, velocities: Floats, velocity_cov: Floats, largest: float
) -> str | None: ...
def broken_event_rule(
    kinds: NDArray[np.uint8],
    ids: NDArray[np.int64],
    steps: NDArray[np.int64],
    times: Floats,
    costs: Floats,
    n_kinds: int,
    next_id: int,
    clock: float,
    n_steps: int,
) -> str | None: ...
def record_body(shared: bytes, own: bytes, arrays: list[NDArray[Any]]) -> bytes: ...
def record_arrays(
    data: bytes, at: int, columns: tuple[tuple[str, np.dtype[Any], int], ...]
) -> dict[str, NDArray[Any]]: ...
def unique_rows(X: Floats, weights: Floats | None) -> tuple[Floats, Floats, NDArray[np.int64]]: ...
def cluster_means(
    slots: NDArray[np.int64], weights: Floats, X: Floats, centers: Floats, gammas: Floats
) -> tuple[NDArray[np.int32], Floats, Floats]: ...
def expand_centers(
    kept: Floats,
    rows: Floats,
    asleep: Floats,
    ids: NDArray[np.int64],
    owner: NDArray[np.int64],
    coefficients: Floats,
    slots: RowSlots,
    weights: Floats,
    gammas: Floats,
    slot_weights: Floats,
    positions: NDArray[np.int64] | None,
    n_positions: int,
    budget: int,
) -> tuple[NDArray[np.int64], Floats, Floats, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def component_similarity(
    parent: NDArray[np.int64],
    length: Floats,
    scale: float,
    components: NDArray[np.int64],
    weights: Floats,
    coefficients: Floats,
    owner: NDArray[np.int64],
    n_old: int,
) -> tuple[Floats, Floats, Floats, Floats, Floats | None, NDArray[np.int64]]: ...
def eigenpairs(matrix: Floats, threshold: float, at_least: int) -> tuple[Floats, Floats]: ...
def relax(
    weights: Floats,
    diagonal: Floats,
    y_phi: Floats,
    phi_phi: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
    matrix: Floats,
) -> tuple[Floats, Floats, float]: ...
def relaxed_bound(
    values: Floats,
    weights: Floats,
    diagonal: Floats,
    y_phi: Floats,
    phi_phi: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
) -> float: ...
def embed_rows(vectors: Floats, weights: Floats, gammas: Floats) -> tuple[Floats, Floats]: ...
def round_rows(
    rows: Floats, lengths: Floats, weights: Floats, first: int, max_iter: int
) -> tuple[NDArray[np.int64], int, float]: ...
def link_clusters(
    apart: Floats, weight: Floats, gammas: Floats, revival: Floats, birth: float
) -> NDArray[np.int64]: ...
def cluster_matrix(
    weights: Floats,
    diagonal: Floats,
    y_phi: Floats,
    phi_phi: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
    matrix: Floats,
    seed: int,
    step: int,
    n_restarts: int,
    max_iter: int,
    refine: bool,
) -> tuple[NDArray[np.int64], int, Floats, float, int]: ...
def cluster_vectors(
    vectors: Floats,
    weights: Floats,
    diagonal: Floats,
    y_phi: Floats,
    phi_phi: Floats,
    gammas: Floats,
    revival: Floats,
    birth: float,
    seed: int,
    step: int,
    n_restarts: int,
    max_iter: int,
    refine: bool,
    matrix: Floats | None = None,
    features: Floats | None = None,
    phi_features: Floats | None = None,
    begin: NDArray[np.int64] | None = None,
    neighbors: NDArray[np.int32] | None = None,
    values: Floats | None = None,
) -> tuple[NDArray[np.int64], int, Floats]: ...
def predict_clusters(
    state: ClusterState, motion: Motion, now: float, aging: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]: ...
def update_clusters(
    state: ClusterState,
    prior: Prior,
    fit: Fit,
    costs: Costs,
    motion: Motion,
    now: float,
    which: NDArray[np.int64] | None = None,
) -> tuple[tuple[Any, ...], tuple[Any, ...], list[tuple[Any, ...]]]: ...
def dmeans_step(
    X: Rows,
    weights: Floats | None,
    now: float,
    state: ClusterState,
    costs: Costs,
    motion: Motion,
    aging: float,
    search: SearchOptions,
) -> tuple[
    tuple[Floats, Floats, Floats, Floats, Floats],
    tuple[RowSlots, Floats, Floats, float, int, Floats],
    tuple[tuple[Any, ...], tuple[Any, ...], list[tuple[Any, ...]]],
]: ...
def split_merge_candidates(
    parents: NDArray[np.int32],
    slots: RowSlots,
    weights: Floats | None,
    active: NDArray[np.int64],
    slot_weights: Floats,
    n_old: int,
    min_share: float,
) -> tuple[list[list[int]], list[list[int]]]: ...
def find_split_merge(
    X: Rows,
    forecasts: Floats,
    slots: RowSlots,
    weights: Floats | None,
    last_seen: Floats,
    clock: float,
    slot_weights: Floats,
    min_share: float,
    max_ratio: float,
) -> tuple[list[list[int]], list[list[int]]]: ...
def shift_rows(X: Rows, n_total: int) -> Rows: ...
def mean_of_rows(X: Rows) -> Floats: ...
def row_extent(X: Rows, weights: Floats | None, shift: Floats) -> tuple[float, Floats, Floats, Floats]: ...
def number_rows(X: Rows) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def row_buckets(X: Rows, n_buckets: int) -> NDArray[np.int32]: ...
def group_sums(
    terms: Floats, of: NDArray[np.int32], n_groups: int, largest: Floats, smallest: Floats, n_terms: int
) -> Floats: ...

_Slots = NDArray[np.int32]
_Numbers = NDArray[np.int64]
_SentRows = tuple[_Numbers, Floats, Floats, _Slots, Floats]
_Sums = tuple[_Slots, Floats, Floats, _Numbers]

class FloatChunk:
    def __init__(
        self,
        X: Rows,
        weights: Floats | None,
        shift: Floats,
        radius: float,
        largest: Floats,
        smallest: Floats,
        weight_sizes: Floats,
        first: int,
        n_total: int,
        centers: Floats,
        gammas: Floats,
        revival: Floats,
        birth: float,
    ) -> None: ...
    def set_slots(self, active: _Slots, centers: Floats) -> None: ...
    def first_pass(
        self,
        labels: _Slots,
        seed: int,
        step: int,
        restart: int,
        validated_first: int,
        first: int,
        last: int,
        activated: _Slots,
        activated_at: _Numbers,
        visits: _Numbers,
        slots: _Slots,
    ) -> tuple[_Slots, _SentRows]: ...
    def sums(self, labels: _Slots) -> _Sums: ...
    def run_pass(
        self,
        labels: _Slots,
        bounds: NDArray[np.uint16],
        before: Floats,
        trusted: bool,
        moved_rows: _Numbers,
        moved_slots: _Slots,
    ) -> tuple[_Slots, NDArray[np.uint16], _Sums, _SentRows]: ...
    def cost(self, labels: _Slots) -> _Numbers: ...

class DoubleChunk(FloatChunk): ...

class DescentDriver:
    def __init__(
        self,
        shift: Floats,
        radius: float,
        largest: Floats,
        smallest: Floats,
        weight_sizes: Floats,
        n_total: int,
        centers: Floats,
        gammas: Floats,
        revival: Floats,
        birth: float,
        seed: int,
        step: int,
        restart: int,
    ) -> None: ...
    def slots(self) -> tuple[_Slots, Floats]: ...
    def n_activations(self) -> int: ...
    def validate(
        self, visits: _Numbers, y: Floats, weights: Floats, slots: _Slots, costs: Floats
    ) -> tuple[_Slots, _Slots, _Numbers]: ...
    def update(self, touched: _Slots, sums: Floats, weights: Floats, rows: _Numbers) -> None: ...
    def reassign(
        self, rows: _Numbers, y: Floats, weights: Floats, slots: _Slots
    ) -> tuple[_Numbers, _Slots]: ...
    def finish(self, cost_of_rows: _Numbers) -> tuple[_Slots, Floats, Floats, float]: ...
