"""Sparse rows are refused, with advice."""

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD

from dynmeans import DMeans, KDMeans, PersistentIds


@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
@pytest.mark.parametrize("model", [DMeans(), KDMeans("rbf"), PersistentIds(DMeans())], ids=repr)
def test_sparse_rows_are_refused_with_the_recipe(model, kind):
    model, X = clone(model), kind(np.eye(50, 1200))
    with pytest.raises(TypeError, match=r"X is a sparse matrix of 1,200 columns.*TruncatedSVD\(256\)"):
        model.partial_fit(X)
    assert not hasattr(model, "n_features_in_")
    model.partial_fit(TruncatedSVD(3).fit_transform(X))
