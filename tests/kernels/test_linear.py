from hypothesis import given, settings

from dynmeans.kernels import Linear
from kernel_twins import assert_gram_is_part_of, assert_is_the_dense_definition, scenes


def products(points):
    return points @ points.T


@given(scenes())
@settings(deadline=None)
def test_is_the_scalar_product(scene):
    assert_is_the_dense_definition(scene, Linear().compare(scene), products)
    assert_gram_is_part_of(scene, Linear(), products)


@given(scenes())
@settings(deadline=None)
def test_forms_no_matrix(scene):
    similarity = Linear().compare(scene)
    assert similarity.matrix is None
    assert similarity.features.shape == scene.rows.shape
    assert similarity.phi_features.shape == (scene.n_old, scene.rows.shape[1])
