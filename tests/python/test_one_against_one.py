"""multiclass=ovo: a machine for each pair of classes, and their vote."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import SVC as PeerSVC

import postil
from conftest import run, run_json


def iris_frame():
    X, y = load_iris(return_X_y=True)
    return pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(["setosa", "versicolor", "virginica"])[y])


@pytest.mark.parametrize("settings", [{"kernel": "linear"}, {"gamma": 0.2}, {"kernel": "polynomial", "degree": 2, "gamma": 0.1, "coef0": 1.0}])
def test_equals_libsvm(settings):
    """scikit-learn's SVC is LIBSVM, which sets one against one."""
    X, y = load_iris(return_X_y=True)
    peer = PeerSVC(C=2, tol=1e-8, decision_function_shape="ovr", **settings | {"kernel": {"polynomial": "poly"}.get(settings.get("kernel", "rbf"), settings.get("kernel", "rbf"))}).fit(X, y)
    ours = postil.SVC(C=2, tol=1e-8, multiclass="ovo", scale="none", **settings).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-4)
    assert np.array_equal(ours.predict(X), peer.predict(X))
    if settings.get("kernel") == "linear":
        np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make", [postil.SVC, lambda **more: postil.EllipsoidalSVC(gamma=0.01, kernel="rbf", **more), postil.BayesPointClassifier])
def test_is_the_vote_of_machines_for_two_classes(make):
    X, y = load_digits(n_class=4, return_X_y=True)
    X, y = X[:200] / 16, y[:200]
    together = make(multiclass="ovo").fit(X, y)
    votes, sums = np.zeros((len(X), 4)), np.zeros((len(X), 4))
    for a, b in itertools.combinations(range(4), 2):
        rows = (y == a) | (y == b)
        f = -make().fit(X[rows], y[rows]).decision_function(X)  # positive: a
        votes[:, a] += f >= 0
        votes[:, b] += f < 0
        sums[:, a] += f
        sums[:, b] -= f
    expected = votes + sums / (3 * (np.abs(sums) + 1))
    if make is postil.BayesPointClassifier:  # draws, and other ones if the classes change places
        assert np.mean(together.predict(X) == expected.argmax(axis=1)) > 0.98
    else:
        np.testing.assert_allclose(together.decision_function(X), expected, atol=1e-3)
    p = together.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.array_equal(together.classes_[p.argmax(axis=1)], together.predict(X))


def test_file_command_and_what_it_cannot_do(tmp_path):
    X, y = load_iris(return_X_y=True)
    lines = ["a,b,c,d,kind"] + [",".join(map(str, row)) + f",k{label}" for row, label in zip(X, y)]
    (tmp_path / "iris.csv").write_text("\n".join(lines) + "\n")
    done = run("train", tmp_path / "iris.csv", "--label", "kind", "--learner", "svm", "--set", "kernel=linear", "--set", "multiclass=ovo", "--model", tmp_path / "m", check=True)
    assert "k0 against k2: solved" in done.stdout and "of 300 training rows" in done.stdout
    explained = run_json("explain", tmp_path / "m")
    assert explained["questions"] == ["k0 against k1", "k0 against k2", "k1 against k2"] and len(explained["weights"]) == 3
    assert "kind = k1 against k2:" in run("explain", tmp_path / "m", check=True).stdout
    assert run_json("evaluate", tmp_path / "m", tmp_path / "iris.csv")["error"] < 0.04
    for arguments in (["convert", tmp_path / "m", tmp_path / "m.libsvm"], ["explain", tmp_path / "m", "--row", "a=1,b=1,c=1,d=1"]):
        failed = run(*arguments)
        assert failed.returncode != 0 and "one against one" in failed.stderr
    assert run_json("cv", tmp_path / "iris.csv", "--label", "kind", "--learner", "svm", "--set", "multiclass=ovo", "--folds", 5)["error_mean"] < 0.06


RULES = {
    "setosa": "short: c <= 2.5 => setosa\n",
    "virginica": "long: c >= 5 and d >= 1.8 => virginica\nno: c <= 4.5 => not virginica\n",
    "versicolor": "middle: c >= 3 and c <= 4.5 or d >= 1 and d <= 1.4 => versicolor\n",
}
DIRECTION = "wide: more d => virginica\n"  # its weight is in units of the deviation over all rows, which a pair does not have
DOMAIN = "domain a in [4, 8]\ndomain b in [2, 5]\ndomain c in [0, 8]\ndomain d in [0, 3]\n"


@pytest.mark.parametrize("settings", [{}, {"form": "l1"}, {"form": "mixed", "mu": 0.1}])
def test_rules_speak_in_the_pairs_that_they_are_about(settings):
    frame = iris_frame()
    X, y = frame[list("abcd")], frame["kind"]
    names = sorted(RULES)
    together = postil.KnowledgeSVC(advice=DOMAIN + "".join(RULES.values()), multiclass="ovo", scale="none", **settings).fit(X, y)
    without = postil.KnowledgeSVC(multiclass="ovo", scale="none", **settings).fit(X, y)
    for k, (a, b) in enumerate(itertools.combinations(names, 2)):
        rows = (y == a) | (y == b)
        pair = postil.KnowledgeSVC(advice=DOMAIN + RULES[a] + RULES[b], scale="none", **settings).fit(X[rows], y[rows])  # positive: b
        np.testing.assert_allclose(together.coef_[k], -pair.coef_[0], atol=2e-4)
        np.testing.assert_allclose(together.intercept_[k], -pair.intercept_[0], atol=2e-3)
    assert np.abs(together.coef_ - without.coef_).max() > 1e-3


def test_what_rules_did_is_told_by_pair(tmp_path):
    iris_frame().to_csv(tmp_path / "iris.csv", index=False)
    (tmp_path / "iris.rules").write_text(DOMAIN + "".join(RULES.values()) + DIRECTION)
    run("train", tmp_path / "iris.csv", "--label", "kind", "--advice", tmp_path / "iris.rules", "--learner", "kbsvm", "--set", "multiclass=ovo", "--model", tmp_path / "m", check=True)
    told = run_json("explain", tmp_path / "m", "--certify", tmp_path / "iris.rules")
    rules = {rule["id"]: rule for rule in told["rules"]}
    assert {s["question"] for s in rules["short"]["sets"]} == {"setosa against versicolor", "setosa against virginica"}
    assert len(rules["middle"]["sets"]) == 4 and all(rule["influence"] > 0 for rule in rules.values() if rule["id"] != "wide")
    weights, bias = np.array(told["raw_weights"]), np.array(told["raw_bias"])  # setosa-versicolor, setosa-virginica, versicolor-virginica
    corners = np.array(list(itertools.product([4, 8], [2, 5], [0, 2.5], [0, 3])))
    short = next(c for c in told["certificates"] if c["rule"] == "short" and c["class"] == "setosa")
    assert short["worst"] == pytest.approx(min((corners @ w + v).min() for w, v in zip(weights[:2], bias[:2])), rel=1e-6)
    wide = next(c for c in told["certificates"] if c["rule"] == "wide")
    assert wide["worst"] == pytest.approx(min(-weights[1:, 3]))
    text = run("explain", tmp_path / "m", check=True).stdout
    assert "setosa against versicolor\n" in text and "do the work" in text
