"""Parameters are resolved once for equal values: every change of a value counts in the next step."""

import numpy as np
import pytest

import dynmeans
from dynmeans import DMeans
from dynmeans._files.snapshot import decode_snapshot
from dynmeans.streams import step

X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0]])


def fitted(**params):
    return DMeans(**{"birth_cost": 1.0, "n_restarts": 1, "random_state": 0, **params}).partial_fit(X)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_restarts": True}, "n_restarts must be a whole number"),
        ({"birth_cost": True}, "birth_cost must be a number"),
        ({"birth_cost": [1.0]}, "birth_cost must be a number"),
        ({"lifetime": 0.5}, "lifetime must be a finite number > 1"),
        ({"drift": {}}, "drift must be a number"),
        ({"n_jobs": 0}, "n_jobs must be a whole number"),
    ],
)
def test_a_value_that_equals_a_valid_one_or_has_no_hash_is_refused(changed, message):
    model = fitted()
    before = model.to_bytes()
    model.set_params(**changed)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X)
    assert model.set_params(**{name: getattr(fitted(), name) for name in changed}).to_bytes() == before


@pytest.mark.parametrize(
    "changed",
    [{"birth_cost": 2}, {"lifetime": 9.0}, {"reach": 4.0}, {"motion": "velocity"}, {"refine": True}],
)
def test_a_changed_parameter_counts_in_the_next_step(changed):
    model = fitted().set_params(**changed).partial_fit(X)
    (name,) = changed
    assert getattr(model.step_.parameters, name) == changed[name]
    assert model.step_.parameters == model.parameters_


def test_a_given_birth_cost_ends_the_estimation():
    model = DMeans(random_state=0).partial_fit(X)
    assert not model.step_.birth_cost_final
    assert "first_batches" in decode_snapshot(model.to_bytes()).header
    model.set_params(birth_cost=1.0).partial_fit(X)
    assert model.step_.birth_cost_final
    assert model.step_.birth_cost == 1.0
    assert "first_batches" not in decode_snapshot(model.to_bytes()).header


@pytest.mark.parametrize("lifetime", [3, 3.0, np.float64(3.0)])
def test_bytes_keep_the_type_of_equal_parameters(lifetime):
    again = dynmeans.from_bytes(fitted(lifetime=lifetime).to_bytes())
    assert type(again.lifetime) is (int if type(lifetime) is int else float)


def test_a_pure_step_refuses_values_that_equal_valid_ones():
    state = step(None, X, 1.0, {"birth_cost": 1.0, "n_restarts": 1}).state
    with pytest.raises(ValueError, match="n_restarts must be a whole number"):
        step(None, X, 1.0, {"birth_cost": 1.0, "n_restarts": True})
    with pytest.raises(ValueError, match="birth_cost must be a number"):
        step(None, X, 1.0, {"birth_cost": [1.0], "n_restarts": 1})
    with pytest.raises(TypeError, match="unexpected keyword argument 'birthcost'"):
        step(state, X, 2.0, {"birthcost": 1.0})
