import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dynmeans.kernels import RBF
from dynmeans.kernels._geometry.landmarks import choose_landmarks, landmark_features
from kernel_twins import make_scene
from strategies import seeds


@given(seeds, st.integers(1, 60), st.integers(1, 60))
@settings(deadline=None)
def test_landmarks_are_distinct_and_compared_exactly(seed, n, count):
    points, kernel = make_scene(seed, n, 2, 0, copies=True).rows, RBF(0.1)
    chosen = choose_landmarks(kernel.between, points, np.ones(n), count)
    assert 1 <= len(chosen) <= min(count, n)
    assert len(np.unique(points[chosen], axis=0)) == len(chosen)
    features = landmark_features(kernel.between, points[chosen], points[chosen])
    expected = kernel.between(points[chosen], points[chosen])
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-9)


def test_equal_points_need_one_landmark():
    chosen = choose_landmarks(RBF(1.0).between, np.ones((50, 2)), np.ones(50), 10)
    assert len(chosen) == 1


def test_points_without_mass_are_no_landmarks():
    points = np.arange(20.0)[:, None]
    chosen = choose_landmarks(RBF(0.1).between, points, np.arange(20) % 2.0, 20)
    assert sorted(chosen) == list(range(1, 20, 2))


def test_blocks_of_rows_change_nothing(monkeypatch):
    points, kernel = make_scene(0, 50, 2, 0).rows, RBF(0.2)
    whole = landmark_features(kernel.between, points[:5], points)
    monkeypatch.setattr("dynmeans.kernels._geometry.landmarks.BLOCK", 7)
    np.testing.assert_allclose(landmark_features(kernel.between, points[:5], points), whole, rtol=1e-12)
