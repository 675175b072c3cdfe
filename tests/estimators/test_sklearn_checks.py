"""DMeans keeps every promise that scikit-learn checks, with no expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from dynmeans import DMeans


@parametrize_with_checks(
    [DMeans(), DMeans(birth_cost=1.0, motion="velocity"), DMeans(birth_cost=0.5, n_restarts=1)]
)
def test_keeps_the_promises_of_scikit_learn(estimator, check):
    check(estimator)
