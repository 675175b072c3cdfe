"""No legal parameter crashes; absurd ones are refused in one line."""

import numpy as np
import pytest

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans

ROWS = np.random.default_rng(0).normal(size=(20, 2))
MODELS = {
    "dmeans": lambda **params: DMeans(random_state=0, **params),
    "kdmeans": lambda **params: KDMeans(random_state=0, **params),
    "sdmeans": lambda **params: SDMeans(random_state=0, **params),
    "persistent": lambda **params: PersistentIds(DMeans(random_state=0), random_state=0, **params),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"reach": 1e308}, r"reach must lie within 0\.\d+ \.\. 1e\+12, got 1e\+308"),
        ({"lifetime": 1e308}, r"lifetime must lie within 1(e-12)? \.\. 1e\+12, got 1e\+308"),
        ({"drift": 1e308}, r"drift must lie within 0 \.\. 1e\+12, got 1e\+308"),
        ({"aging_cost": 1e308}, r"aging_cost must lie within 0 \.\. 1e\+305, got 1e\+308"),
        ({"birth_cost": 1e308}, r"birth_cost must lie within 1e-305 \.\. 1e\+305, got 1e\+308"),
        ({"birth_cost": 5e-324}, r"birth_cost must lie within 1e-305 \.\. 1e\+305, got 5e-324"),
        ({"birth_cost": None}, "birth_cost must be a number or 'auto', got None"),
        ({"birth_cost": 10**400}, "birth_cost must be a finite number, got 1000"),
        ({"history_size": 2**70}, "history_size must be at most 2147483647, got 1180"),
    ],
)
def test_absurd_parameters_are_refused(name, params, message):
    with pytest.raises(ValueError, match=message):
        MODELS[name](**params).partial_fit(ROWS)


@pytest.mark.parametrize("name", ["dmeans", "kdmeans", "sdmeans"])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_restarts": 2**40}, "n_restarts must be at most 1000000, got 1099511627776"),
        ({"max_iter": 2**31}, "max_iter must be at most 2147483647, got 2147483648"),
        ({"n_jobs": 10**6}, "n_jobs must be at most 4096, got 1000000"),
    ],
)
def test_absurd_counts_are_refused(name, params, message):
    with pytest.raises(ValueError, match=message):
        MODELS[name](**params).partial_fit(ROWS)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "params",
    [
        {"reach": 1e12},
        {"lifetime": 1e12},
        {"lifetime": 1e12, "reach": 1e12},
        {"lifetime": 1.0000000000000002, "reach": 1e12},
        {"drift": 1e12},
        {"drift": 1e12, "aging_cost": 1e305},
        {"aging_cost": 5e-324},
        {"birth_cost": 1e305},
        {"birth_cost": 1e-305},
        {"history_size": 0},
    ],
)
def test_the_largest_legal_parameters_give_finite_results(name, params):
    model = MODELS[name](**params)
    for shift in (0.0, 0.1, 1e3):
        model.partial_fit(ROWS + shift)
        assert np.isfinite(model.step_.cost)
        assert len(model.labels_) == len(ROWS)


@pytest.mark.parametrize("name", MODELS)
def test_long_absences_give_finite_results(name):
    model = MODELS[name](drift=1e12)  # nothing is forgotten
    for t in (0.0, 1e300, 1.7e308):
        model.partial_fit(ROWS, t=t)
        assert np.isfinite(model.step_.cost)


@pytest.mark.parametrize(
    ("cls", "name", "rule"),
    [
        (DMeans, "refine", "True, False or 'auto'"),
        (DMeans, "exclusive", "True, False or 'auto'"),
        (DMeans, "duplicates", "True or False"),
        (DMeans, "certify", "True or False"),
        (KDMeans, "certify", "True or False"),
        (KDMeans, "relative", "True, False or None"),
        (SDMeans, "relative", "True, False or None"),
    ],
)
@pytest.mark.parametrize("value", [2, 1.5, "yes", [], np.array([1.0, 2.0])])
def test_a_flag_is_true_or_false(cls, name, rule, value):
    with pytest.raises(ValueError, match=f"{name} must be {rule}, got "):
        cls(**{name: value}).partial_fit(ROWS)


@pytest.mark.parametrize("name", ["refine", "exclusive", "certify"])
def test_a_flag_of_numpy_is_one(name):
    flagged, plain = (DMeans(random_state=0, **{name: flag}).partial_fit(ROWS) for flag in (np.True_, True))
    assert flagged.labels_.tolist() == plain.labels_.tolist()
    assert len(flagged.to_bytes()) == len(plain.to_bytes())


def test_an_array_as_a_time_is_one_line():
    with pytest.raises(ValueError, match="t must be a number") as caught:
        DMeans(1.0).partial_fit(ROWS, t=np.ones((2, 2)))
    assert len(str(caught.value).splitlines()) == 1
