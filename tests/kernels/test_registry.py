import json

import numpy as np
import pytest

from dynmeans.kernels import (
    MST,
    RBF,
    Custom,
    Diffusion,
    GaussianProcess,
    Linear,
    Precomputed,
    get_kernel,
    kernel_from_params,
    to_params,
)

NAMED = {
    "diffusion": Diffusion(),
    "gaussian_process": GaussianProcess(),
    "linear": Linear(),
    "mst": MST(),
    "precomputed": Precomputed(),
    "rbf": RBF(),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_name_gives_the_kernel_with_its_defaults(name):
    assert get_kernel(name) == NAMED[name]


def test_a_kernel_is_itself_and_a_function_is_wrapped():
    kernel = RBF(0.3)
    assert get_kernel(kernel) is kernel
    assert get_kernel(np.dot) == Custom(np.dot)


@pytest.mark.parametrize(
    "kernel", [*NAMED.values(), RBF(0.25, landmarks=7), MST(0.07), GaussianProcess(0.5, 2.0, 0.1)]
)
def test_parameters_survive_json_and_kernels_are_hashable(kernel):
    again = kernel_from_params(json.loads(json.dumps(to_params(kernel))))
    assert again == kernel
    assert hash(again) == hash(kernel)


@pytest.mark.parametrize("name", ["poly", "", "Custom"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ValueError, match=f"kernel is {name!r}; it must be one of 'diffusion', .*'rbf'"):
        get_kernel(name)
    with pytest.raises(ValueError, match=f"kernel is {name!r}"):
        kernel_from_params({"kernel": name})


def test_an_invalid_kernel_is_refused():
    with pytest.raises(TypeError, match="kernel is 3; it must be one of"):
        get_kernel(3)


def test_parameters_of_another_kernel_are_refused():
    with pytest.raises(ValueError, match="kernel 'rbf' has no parameter 'scale'; it has"):
        kernel_from_params({"kernel": "rbf", "scale": 1.0})


def test_a_function_cannot_be_written_down():
    with pytest.raises(ValueError, match="only the kernels 'diffusion', .* can be written to a state file"):
        to_params(Custom(np.dot))
