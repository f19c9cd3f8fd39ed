"""scikit-learn's common checks: which an estimator is expected to fail, and why.

>>> from sklearn.utils.estimator_checks import check_estimator
>>> import postil
>>> model = postil.PassiveAggressiveClassifier()
>>> _ = check_estimator(model, expected_failed_checks=postil.testing.expected_failed_checks(model))
"""

__all__ = ["expected_failed_checks", "expected_failed_river_checks"]

_REPEATED = "a row of weight 2 is learned once with a longer step (or solved to a tolerance), not twice, and cross-validation for probabilities draws rows; scikit-learn's peers fail it too"
_CONSTRAINT = "examples are constraints to this learner, whose weights do not matter; as scikit-learn's NuSVC, which ignores class_weight"
_AVERAGED = "predictions average the weights of all passes, and the first ones, before the heavy class was learned, count too; average='none' passes"

_DIVERGES = "steps of a fixed size on a squared loss run away on these columns, which are far from 0 and not scaled; they are refused with that message"

_WEIGHTS = {
    "RommaClassifier": _CONSTRAINT,
    "BayesPointClassifier": _CONSTRAINT,
    "OnlineEllipsoidalSVC": "its weights are at most 1 long, so that a heavy class cannot outgrow them",
    "NuSVC": "nu is infeasible when nearly all weight is on one class; scikit-learn's NuSVC fails it too",
    "GradientDescentClassifier": _AVERAGED,
    "MarginPerceptronClassifier": _AVERAGED,
}


def expected_failed_checks(estimator: object) -> dict[str, str]:
    """{check: reason} for sklearn.utils.estimator_checks.check_estimator."""
    name = type(estimator).__name__
    if name == "AdviceOnlyClassifier":
        return dict.fromkeys(("check_classifiers_classes", "check_classifiers_train"), "without rules all scores are 0, which says yes here and no there")
    if name == "RulesRegressor":  # a mean is a mean
        return {}
    checks = {f"check_sample_weight_equivalence_on_{kind}_data": _REPEATED for kind in ("dense", "sparse")}
    if name in _WEIGHTS:
        checks["check_class_weight_classifiers"] = _WEIGHTS[name]
    return checks


def expected_failed_river_checks(estimator: object) -> dict[str, str]:
    """{check: reason} of river.checks.check_estimator, which leaves them out by itself."""
    if type(estimator).__name__ in ("GradientDescentRegressor", "GradientAdviceptronRegressor"):
        return dict.fromkeys(("check_radically_disappearing_features", "check_learn_many_matches_learn_one"), _DIVERGES)
    return {}
