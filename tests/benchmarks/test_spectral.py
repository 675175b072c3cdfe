from __future__ import annotations

import numpy as np

from benchmarks import spectral
from benchmarks.spectral import functional, kernel_matrix, mst_case, rbf_case, tiny_cases
from dynmeans import SDMeans


def test_every_case_has_three_rows_the_selection_one_and_the_two_kernels_have_a_target() -> None:
    rows = spectral.run(quick=True)
    assert len(rows) == 3 * len(tiny_cases()) + 1
    assert [row.target.value for row in rows if row.target] == [50.0, 5.0]
    assert all(row.ours > 0 and row.peer > 0 for row in rows)


def test_peer_is_given_the_kernel_between_the_rows_of_the_batch() -> None:
    case = rbf_case(40, 1)
    X = case.batches[0]
    squared = np.sum((X[:, None] - X) ** 2, axis=2)
    np.testing.assert_allclose(kernel_matrix(case, X), np.exp(-squared / (2 * 0.05**2)), atol=1e-12)


def test_step_without_the_estimator_remembers_as_the_estimator_does() -> None:
    case = mst_case(120, 3)
    model, advance = SDMeans(**case.params, random_state=0), functional(case)
    for X in case.batches:
        model.partial_fit(X)
        clusters = advance(X)
    np.testing.assert_array_equal(clusters.ids, model.cluster_ids_)
    np.testing.assert_allclose(clusters.centers, model.cluster_centers_)
