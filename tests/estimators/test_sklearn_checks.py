"""Every estimator passes all checks of scikit-learn, without expected failures."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from dynmeans import DMeans, KDMeans, PersistentIds, SDMeans


@parametrize_with_checks(
    [
        DMeans(),
        DMeans(birth_cost=1.0, motion="velocity", certify=True),
        DMeans(birth_cost=0.5, n_restarts=1),
        KDMeans(),
        KDMeans(kernel="linear", certify=True),
        SDMeans(),
        SDMeans(kernel="linear"),
        PersistentIds(DMeans()),
        PersistentIds(DMeans(birth_cost=1.0), kernel="rbf"),
    ]
)
def test_passes_the_estimator_checks_of_scikit_learn(estimator, check):
    check(estimator)
