from hypothesis import given, settings

from dynmeans.kernels import Linear
from kernel_twins import assert_gram_is_part_of, assert_is_the_dense_definition, scenes


def products(points):
    return points @ points.T


@given(scenes())
@settings(deadline=None)
def test_is_the_scalar_product(inputs):
    assert_is_the_dense_definition(inputs, Linear().compare(inputs), products)
    assert_gram_is_part_of(inputs, Linear(), products)


@given(scenes())
@settings(deadline=None)
def test_forms_no_matrix(inputs):
    similarity = Linear().compare(inputs)
    assert similarity.matrix is None
    assert similarity.features.shape == inputs.rows.shape
    assert similarity.phi_features.shape == (inputs.n_old, inputs.rows.shape[1])
