"""The interface of KDMeans and SDMeans."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

import dynmeans
from dynmeans import DMeans, KDMeans, SDMeans
from dynmeans._files.snapshot import SnapshotError
from dynmeans.datasets import gaussian_processes
from dynmeans.kernels import MST, RBF, Diffusion, GaussianProcess, Linear, mst
from dynmeans.kernels._geometry import forest

ESTIMATORS = [KDMeans, SDMeans]
VECTOR_KERNELS = [RBF(bandwidth=0.3), Linear(), MST(scale=0.3), Diffusion()]


def blobs(seed, centers, n=30, sd=0.1):
    """Round clusters, one after another."""
    rng = np.random.default_rng(seed)
    return np.concatenate([np.asarray(p) + sd * rng.normal(size=(n, 2)) for p in centers])


def parameters_for(kernel):
    """Costs in the units of each kernel."""
    if isinstance(kernel, Linear):
        return {"birth_cost": 3.0, "lifetime": 4.0, "reach": 1.5, "relative": False}
    return {"birth_cost": 0.12, "lifetime": 6.0, "relative": True}


A, B, C = (0.0, 0.0), (3.0, 0.0), (0.0, 3.0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kernel", VECTOR_KERNELS, ids=lambda k: type(k).__name__)
def test_a_cluster_hidden_for_a_while_comes_back_under_its_id(estimator, kernel):
    model = estimator(kernel=kernel, random_state=0, **parameters_for(kernel))
    first = model.partial_fit(blobs(0, [A, B, C])).labels_
    model.partial_fit(blobs(1, [A, B]))
    hidden = model.partial_fit(blobs(2, [A, B]))
    assert len(hidden.step_.active) == 2
    last = model.partial_fit(blobs(3, [A, B, C])).labels_
    assert last.tolist() == first.tolist()
    assert model.step_.revived.tolist() == [first[-1]]
    assert [e.kind for e in model.history_ if e.id == first[-1]] == ["birth", "sleep", "revival"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_hidden_functions_come_back_with_the_gaussian_process_kernel(estimator):
    stream = gaussian_processes(random_state=0)
    rows = [np.concatenate([b[lab == k][:15] for k in range(4)]) for b, lab in zip(*stream[:2], strict=True)]
    model = estimator(kernel=GaussianProcess(), birth_cost=0.1, relative=True, lifetime=8.0, random_state=0)
    first = model.partial_fit(rows[0]).labels_
    last_kind = np.bincount(first[45:]).argmax()
    model.partial_fit(rows[1][:45]).partial_fit(rows[2][:45])
    assert np.bincount(model.partial_fit(rows[3]).labels_[45:]).argmax() == last_kind


def precomputed(points, kept):
    """Input of a precomputed kernel: similarities among the rows, then with the support points."""
    return rbf_kernel(points, np.concatenate([points, kept]), gamma=2.0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_precomputed_kernel_gives_what_the_kernel_itself_gives(estimator):
    params = {"birth_cost": 8.0, "lifetime": 5.0, "budget": 500, "random_state": 0}
    own = estimator(kernel=RBF(bandwidth=0.5), **params)
    given = estimator(kernel="precomputed", **params)
    kept, seen = np.empty((0, 2)), []
    for seed, centers in enumerate([[A, B, C], [A, B], [A, C], [A, B, C]]):
        points = np.concatenate([blobs(seed, [p], n=12 - 2 * i) for i, p in enumerate(centers)])
        points = points[np.lexsort(points.T[::-1])]  # the order in which other kernels take them
        own.partial_fit(points)
        given.partial_fit(precomputed(points, kept))
        assert given.labels_.tolist() == own.labels_.tolist()
        assert given.step_.cost == pytest.approx(own.step_.cost)
        seen.append(points)
        kept = np.array([seen[step - 1][row] for step, row in given.kept_rows_])
        np.testing.assert_array_equal(kept, own._state.support.rows)
        assert given.predict(precomputed(points, kept)).tolist() == own.predict(points).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kernel", ["rbf", "mst", "diffusion", RBF(bandwidth=0.4, landmarks=20)], ids=str)
def test_save_load_continue_equals_never_stopping(tmp_path, estimator, kernel):
    whole = estimator(kernel=kernel, budget=10, random_state=3)
    again = estimator(kernel=kernel, budget=10, random_state=3)
    for seed, centers in enumerate([[A, B, C], [A, B], [B, C], [A, B, C]]):
        X = blobs(seed, centers)
        expected = whole.partial_fit(X).labels_
        assert again.partial_fit(X).labels_.tolist() == expected.tolist()
        again.save(tmp_path / "state")
        again = dynmeans.load(tmp_path / "state")
    np.testing.assert_array_equal(again._state.support.rows, whole._state.support.rows)
    assert again.history_ == whole.history_
    assert str(again.get_params()["kernel"]) == str(whole.get_params()["kernel"])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_precomputed_kernel_can_be_saved_too(tmp_path, estimator):
    points, more = blobs(0, [A, B], n=8), blobs(1, [A, B], n=8)
    model = estimator(kernel="precomputed", birth_cost=3.0, budget=500, random_state=0)
    model.partial_fit(precomputed(points, np.empty((0, 2)))).save(tmp_path / "state")
    again = dynmeans.load(tmp_path / "state")
    matrix = precomputed(more, points[again.kept_rows_[:, 1]])
    assert again.partial_fit(matrix).labels_.tolist() == model.partial_fit(matrix).labels_.tolist()
    assert again.step_.cost == model.step_.cost


def test_a_function_as_kernel_works_but_cannot_be_saved(tmp_path):
    model = KDMeans(kernel=lambda a, b: rbf_kernel(a, b, gamma=2.0), random_state=0).fit(blobs(0, [A, B]))
    assert len(model.cluster_ids_) == 2
    with pytest.raises(ValueError, match="can be written to a state file"):
        model.save(tmp_path / "state")


def test_support_points_that_do_not_match_the_clusters_are_refused(tmp_path):
    model = SDMeans(random_state=0).fit(blobs(0, [A, B]))
    snapshot = dynmeans.estimators.to_snapshot(model)
    wrong = snapshot._replace(arrays=snapshot.arrays | {"support_ids": snapshot.arrays["support_ids"] + 7})
    with pytest.raises(SnapshotError, match="support points and clusters must match"):
        dynmeans.estimators.from_snapshot(wrong)
    header = {k: v for k, v in snapshot.header.items() if k != "kernel"}
    with pytest.raises(SnapshotError, match="SDMeans without a kernel"):
        dynmeans.estimators.from_snapshot(snapshot._replace(header=header))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_linear_kernel_with_all_points_kept_is_d_means_without_its_shortcuts(estimator):
    batches = [blobs(s, [A, B, C]) for s in range(3)]
    round_ = DMeans(birth_cost=2.0, random_state=0)
    kernel = estimator(kernel="linear", birth_cost=2.0, lifetime=3, reach=1.5, budget=10_000, random_state=0)
    for X in batches:
        np.testing.assert_array_equal(round_.partial_fit(X).labels_, kernel.partial_fit(X).labels_)
        assert kernel.step_.cost == pytest.approx(round_.step_.cost, rel=1e-9)
        np.testing.assert_allclose(kernel.cluster_centers_, round_.cluster_centers_, atol=1e-9)


@pytest.mark.parametrize(
    "model", [DMeans(birth_cost=1.0, certify=True), KDMeans(certify=True), SDMeans()], ids=str
)
def test_the_certificate_is_never_above_the_cost(model):
    for seed in range(4):
        model.partial_fit(blobs(seed, [A, B, C]))
        assert model.step_.lower_bound <= model.step_.cost
        assert model.step_.gap == model.step_.cost - model.step_.lower_bound


def test_without_certify_there_is_no_bound():
    assert np.isnan(KDMeans().fit(blobs(0, [A, B])).step_.lower_bound)
    assert np.isnan(DMeans().fit(blobs(0, [A, B])).step_.gap)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_relative_costs_do_not_depend_on_the_number_of_copies(estimator):
    X = blobs(0, [A, B, C])
    model = estimator(kernel=RBF(bandwidth=0.3), birth_cost=0.12, relative=True, random_state=0)
    once = model.fit(X).labels_
    weighted = model.fit(X, sample_weight=np.full(len(X), 5.0)).labels_
    assert once.tolist() == weighted.tolist()


def test_no_eigenvalue_above_the_birth_cost_gives_one_cluster():
    model = SDMeans(kernel=RBF(bandwidth=0.3), birth_cost=1e6, random_state=0).fit(blobs(0, [A, B, C]))
    assert model.cluster_ids_.tolist() == [0]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kernel", VECTOR_KERNELS, ids=lambda k: type(k).__name__)
def test_weight_n_equals_n_copies(estimator, kernel):
    counts = np.random.default_rng(0).integers(1, 4, size=90)
    weighted, copies = (estimator(kernel=kernel, random_state=0, **parameters_for(kernel)) for _ in range(2))
    for seed in range(3):
        X = blobs(seed, [A, B, C])
        one = weighted.partial_fit(X, sample_weight=counts).labels_
        assert copies.partial_fit(X.repeat(counts, axis=0)).labels_.tolist() == one.repeat(counts).tolist()
        assert copies.step_.cost == pytest.approx(weighted.step_.cost)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_support_points_stay_within_the_budget(estimator):
    model = estimator(kernel=RBF(bandwidth=0.3), budget=7, random_state=0)
    for seed in range(5):
        model.partial_fit(blobs(seed, [A, B]))
        assert np.bincount(model._state.support.ids).max() <= 7
        assert len(model.step_.support_errors) == len(model.step_.active)
        assert (model.step_.support_errors >= 0).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("params", "X", "message"),
    [
        ({"kernel": "fancy"}, np.eye(3), "kernel is 'fancy'; it must be one of"),
        ({"budget": 0}, np.eye(3), "budget must be a whole number >= 1, got 0"),
        ({"selection": "best"}, np.eye(3), "selection must be one of .* got 'best'"),
        ({"motion": "velocity"}, np.eye(3), r"motion must be one of \['walk', 'align'\], got 'velocity'"),
        ({"kernel": "precomputed", "motion": "align"}, np.eye(3), "precomputed kernel has no rows"),
        ({"kernel": "precomputed"}, np.ones((3, 2)), r"shape \(3, 2\); it must have a column for each"),
        ({"kernel": "precomputed"}, np.array([[1.0, 0.5], [0.1, 1.0]]), "it must be symmetric"),
        ({"kernel": "precomputed"}, np.array([[1.0, 3.0], [3.0, 1.0]]), "eigenvalue -2; it must be positive"),
        ({"kernel": lambda a, b: np.ones(3)}, np.eye(3), r"returned shape \(3,\)"),
    ],
)
def test_bad_kernels_and_parameters_are_named(estimator, params, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        estimator(**params).fit(X)


def test_bad_input_leaves_the_model_as_it_was():
    model = SDMeans(kernel="precomputed", random_state=0).partial_fit(np.eye(4))
    before = model._state
    with pytest.raises(ValueError, match="and 4 for the support points"):
        model.partial_fit(np.eye(4))
    assert model._state is before
    with pytest.raises(ValueError, match="remove it and its column"):
        SDMeans(kernel="precomputed").fit(np.eye(2), sample_weight=[1.0, 0.0])


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kernel", VECTOR_KERNELS, ids=lambda k: type(k).__name__)
@pytest.mark.parametrize("X", [[[1.0, 2.0]], [[3.0, 3.0]] * 6], ids=["one row", "equal rows"])
def test_one_row_and_equal_rows_work(estimator, kernel, X):
    model = estimator(kernel=kernel, random_state=0)
    for _ in range(2):
        assert len(set(model.partial_fit(X).labels_.tolist())) == 1
    assert set(model.predict(X).tolist()) <= set(model.cluster_ids_.tolist())


@pytest.mark.parametrize("estimator", [KDMeans, SDMeans])
def test_n_jobs_limits_the_threads_of_the_spanning_tree(estimator, monkeypatch):
    used = []

    def recorded(function):
        def call(*arguments, n_threads=0):
            used.append(n_threads)
            return function(*arguments, n_threads=n_threads)

        return call

    monkeypatch.setattr(forest, "mst_components", recorded(forest.mst_components))
    monkeypatch.setattr(mst, "minimum_spanning_tree", recorded(mst.minimum_spanning_tree))
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = estimator(kernel="mst", n_jobs=1).fit(X).partial_fit(X)
    assert model.n_clusters_ == len(model.cluster_ids_)
    model.predict(X)
    assert len(used) >= 4
    assert set(used) == {1}
