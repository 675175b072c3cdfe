"""Arrays of every layout give the same result; unsupported arrays are refused in one line."""

import numpy as np
import pytest

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans

ROWS = np.random.default_rng(0).normal(size=(30, 3)).round(2)
LABELS = np.arange(30) % 4
MODELS = {
    "dmeans": lambda: DMeans(birth_cost=0.5, random_state=0),
    "kdmeans": lambda: KDMeans(random_state=0),
    "sdmeans": lambda: SDMeans(random_state=0),
}


def unaligned(values):
    room = np.zeros(values.nbytes + 1, dtype=np.uint8)
    view = room[1:].view(values.dtype).reshape(values.shape)
    view[...] = values
    assert not view.flags.aligned
    return view


LAYOUTS = {
    "big-endian": lambda x: x.astype(">f8"),
    "unaligned": unaligned,
    "Fortran": np.asfortranarray,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "every second": lambda x: x.repeat(2, axis=0)[::2],
    "read-only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "lists": lambda x: x.tolist(),
    "objects": lambda x: x.astype(object),
    "unmasked": lambda x: np.ma.MaskedArray(x),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_changes_nothing(name, layout):
    plain, other = MODELS[name](), MODELS[name]()
    given = LAYOUTS[layout](ROWS)
    for _ in range(2):
        assert np.array_equal(plain.partial_fit(ROWS).labels_, other.partial_fit(given).labels_)
    assert plain.step_.cost == other.step_.cost
    assert np.array_equal(plain.predict(ROWS), other.predict(given))


@pytest.mark.parametrize(
    "layout", ["big-endian", "unaligned", "every second", "lists", "objects", "unmasked"]
)
def test_the_layout_of_weights_changes_nothing(layout):
    weights = np.linspace(1.0, 2.0, len(ROWS))
    plain = DMeans(birth_cost=0.5, random_state=0).partial_fit(ROWS, sample_weight=weights)
    other = DMeans(birth_cost=0.5, random_state=0).partial_fit(ROWS, sample_weight=LAYOUTS[layout](weights))
    assert plain.step_.cost == other.step_.cost


@pytest.mark.parametrize("weight", [2.0, 2, np.float32(2.0), np.array(2.0)])
def test_a_single_weight_is_that_of_every_row(weight):
    single, every = (DMeans(birth_cost=0.5, random_state=0) for _ in range(2))
    single.partial_fit(ROWS, sample_weight=weight)
    every.partial_fit(ROWS, sample_weight=np.full(len(ROWS), 2.0))
    assert single.step_.cost == every.step_.cost


MASKED = np.ma.MaskedArray(ROWS, mask=np.arange(90).reshape(30, 3) == 7)


@pytest.mark.parametrize("name", MODELS)
def test_masked_entries_are_refused(name):
    with pytest.raises(ValueError, match=r"X must have no masked entries, got one at \(2, 1\)"):
        MODELS[name]().partial_fit(MASKED)
    model = MODELS[name]().partial_fit(ROWS)
    with pytest.raises(ValueError, match="X must have no masked entries"):
        model.predict(MASKED)
    with pytest.raises(ValueError, match=r"sample_weight must have no masked entries, got one at \(2,\)"):
        model.partial_fit(ROWS, sample_weight=np.ma.MaskedArray(np.ones(30), mask=np.arange(30) == 2))


def test_masked_labels_are_refused():
    with pytest.raises(ValueError, match="labels must have no masked entries"):
        PersistentIds().update(ROWS, np.ma.MaskedArray(LABELS, mask=LABELS == 1))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", [1e308, 1.01e100, 1e-320, 0.9e-100])
def test_absurd_weights_are_refused(name, weight):
    weights = np.ones(len(ROWS))
    weights[3] = weight
    with pytest.raises(ValueError, match=r"within 1e-100 \.\. 1e\+100, got .* in row 3"):
        MODELS[name]().partial_fit(ROWS, sample_weight=weights)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", [1e100, 1e-100])
def test_the_cost_of_legal_weights_is_finite(name, weight):
    model = MODELS[name]()
    for _ in range(3):
        model.partial_fit(ROWS, sample_weight=weight)
        assert np.isfinite(model.step_.cost)
        assert np.isfinite(model.cluster_centers_).all()


def test_weights_times_squares_must_not_overflow():
    with pytest.raises(ValueError, match="sum of sample_weight times the largest squared coordinate"):
        DMeans().partial_fit(ROWS * 1e120, sample_weight=1e90)


@pytest.mark.parametrize("bad", [[1.0, 2.0], [[[1.0]]], [[np.nan]], [["a"]], np.zeros((0, 0)), None, 1.0])
def test_an_error_is_one_line(bad):
    with pytest.raises((ValueError, TypeError)) as caught:
        DMeans().partial_fit(bad)
    assert len(str(caught.value).splitlines()) == 1


def test_labels_and_weights_must_have_the_length_of_the_rows():
    weights = np.ones(30)
    weights[0] = 0.0
    with pytest.raises(ValueError, match="labels must have one entry for each of 30 rows"):
        PersistentIds().update(ROWS, LABELS[:7], sample_weight=weights)
