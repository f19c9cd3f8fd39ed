"""What users of scikit-learn, River, pandas and dask expect without having read our manual."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pandas as pd
import polars
import pytest
import river.checks
from river import drift, ensemble, evaluate, feature_extraction, metrics, multiclass
from river import datasets as streams
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import NuSVC as PeerNuSVC

import postil
from postil._names import ESTIMATORS

CLASSIFIERS = [name for name in ESTIMATORS if not name.endswith(("Regressor", "SVR"))]
TAKES_RULES_AT_ONCE = [name for name in CLASSIFIERS if "advice" in getattr(postil, name)().get_params() and "start" not in getattr(postil, name)().get_params()]
RULES = "`mean radius` > 15 => malignant\n`mean radius` < 12 => benign"


@pytest.fixture(scope="module")
def cancer():
    bunch = load_breast_cancer(as_frame=True)
    return bunch.data, np.array(["malignant", "benign"])[bunch.target.to_numpy()]


# ---- probabilities everywhere ----


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_probabilities_serve_those_who_need_them(name, cancer):
    X, y = cancer
    X, y = X.iloc[::2], y[::2]
    rules = {"advice": RULES} if name in TAKES_RULES_AT_ONCE else {}
    model = getattr(postil, name)(scale="standard", **rules)
    assert cross_val_score(model, X, y, scoring="neg_log_loss", cv=2).mean() > (-0.45 if name not in ("AdviceOnlyClassifier", "RulesClassifier") else -0.69)
    part = np.where(np.arange(len(y)) % 3 == 0, y, "-1").astype(object)
    part[part == "-1"] = -1
    assert SelfTrainingClassifier(model, max_iter=2).fit(X, pd.Series(part).map({"malignant": 1, "benign": 0, -1: -1}).to_numpy()).predict_proba(X).shape == (len(X), 2) if not rules else True
    calibrated = CalibratedClassifierCV(model, cv=2).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(calibrated.sum(axis=1), 1)
    fitted = model.fit(X, y)
    assert fitted.decision_function(X).shape == (len(X),)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), fitted.predict_proba(X))
    assert fitted.classes_.tolist() == ["benign", "malignant"]


@pytest.mark.parametrize("name", ["AROWClassifier", "AdviceClassifier", "PerceptronClassifier", "KernelPerceptronClassifier"])
def test_river_builds_on_it(name):
    make = getattr(postil, name)
    rows = [(x, y) for x, y in streams.Phishing()][:400]
    assert evaluate.progressive_val_score(rows, make(), metrics.ROCAUC()).get() > 0.85
    assert evaluate.progressive_val_score(rows, make(), metrics.LogLoss()).get() < 0.69
    assert evaluate.progressive_val_score(rows, ensemble.BaggingClassifier(make(), n_models=3, seed=1), metrics.Accuracy()).get() > 0.75
    assert evaluate.progressive_val_score(rows, drift.DriftRetrainingClassifier(make()), metrics.Accuracy()).get() > 0.75
    images = [(x, y) for x, y in streams.ImageSegments().take(300)]
    assert evaluate.progressive_val_score(images, multiclass.OneVsRestClassifier(make(scale="standard")), metrics.Accuracy()).get() > 0.5


def test_one_against_rest_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    for name in ("AROWClassifier", "SVC", "BayesPointClassifier"):
        assert OneVsRestClassifier(getattr(postil, name)(scale="standard")).fit(X, y).score(X, y) > 0.85


# ---- names ----


@pytest.mark.parametrize(("data", "classes"), [(load_iris, [0, 1, 2]), (load_iris, [2, 1]), (load_wine, ["c", "a", "b"]), (load_wine, [0, 1])])
@pytest.mark.parametrize("nu", [False, True])
def test_support_vectors_are_those_of_libsvm(data, classes, nu):
    X, y = data(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0) + 1e-3 * np.random.default_rng(0).normal(size=X.shape)  # iris has a row twice
    kept = y < len(classes)
    X, y = X[kept], np.array(classes)[y[kept]]
    settings = {"gamma": 0.1, "tol": 1e-8, "cache_size": 100, **({"nu": 0.3} if nu else {"C": 1.5})}
    ours, theirs = (postil.NuSVC if nu else postil.SVC)(**settings).fit(X, y), (PeerNuSVC if nu else PeerSVC)(**settings).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.fit_status_ == 0
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.support_, ours.support_)


def test_words_of_scikit_learn(tmp_path):
    X, y = load_iris(return_X_y=True)
    ours, theirs = postil.SVC(kernel="poly", degree=2, coef0=1, gamma=0.1).fit(X, y), PeerSVC(kernel="poly", degree=2, coef0=1, gamma=0.1).fit(X, y)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99
    two = y < 2
    plain, averaged = postil.PassiveAggressiveClassifier(average=False).fit(X[two], y[two]), postil.PassiveAggressiveClassifier(average=True).fit(X[two], y[two])
    assert not np.array_equal(plain.coef_, averaged.coef_)
    without = postil.PassiveAggressiveClassifier(fit_intercept=False).fit(X[two], y[two])
    assert without.intercept_.tolist() == [0]
    without.save(tmp_path / "m")
    assert postil.load(tmp_path / "m").fit_intercept is False
    with pytest.raises(AttributeError, match="file"):
        ours.save(tmp_path / "svc")
        postil.load(tmp_path / "svc").support_  # noqa: B018


def test_nothing_is_taken_and_not_obeyed(cancer):
    X, y = cancer
    for settings, message in [
        ({"validation_fraction": 99}, "validation_fraction=99"),
        ({"early_stopping": "perhaps"}, "early_stopping='perhaps'"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": "seed"}, "random_state='seed'"),
        ({"class_weight": {"malignent": 2}}, "malignent"),
        ({"class_weight": "balansed"}, "balansed"),
        ({"average": "sometimes"}, "sometimes"),
        ({"fit_intercept": True, "intercept_scaling": -1.0}, "bias"),
    ]:
        with pytest.raises(ValueError, match=message):
            postil.PassiveAggressiveClassifier(**settings).fit(X, y)
    with pytest.raises(TypeError):
        postil.PassiveAggressiveClassifier(n_jobs="banana")
    stopped = postil.PassiveAggressiveClassifier(early_stopping=True, validation_fraction=0.3, n_iter_no_change=2, scale="standard", random_state=3).fit(X, y)
    assert stopped.n_iter_ < 50
    assert stopped.score(X, y) > 0.9
    assert stopped.early_stopping is True
    weighted = postil.PassiveAggressiveClassifier(class_weight={"malignant": 2, "benign": 1, "unknown": 3}).fit(X, y)  # every class has a weight: no slip
    assert weighted.score(X, y) > 0.8
    with pytest.raises(postil.DataError, match="column 'mean radius' holds values of type list"):
        postil.AROWClassifier().fit(X.assign(**{"mean radius": [[1]] * len(X)}), y)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        postil.load("nowhere.postil")


# ---- labels as they are ----


@pytest.mark.parametrize(
    "labels",
    [[False, True], [2**53, 2**53 + 1], [-(2**60), 2**63 - 1], ["01", "1"], ["1", "1.0", "+1"], ["10", "9", "True"], ["False", "True"], [0.0, 1.0, 2.0], [-1, 1], ["ja", "nein", "größer"]],
    ids=str,
)
@pytest.mark.parametrize("online", [False, True])
def test_labels_survive_files(labels, online, tmp_path):
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(len(labels)), 40)
    X = rng.normal(size=(len(codes), 3)) + 4 * np.eye(3)[codes]
    y = np.array(labels)[codes]
    order = rng.permutation(len(codes))
    X, y = X[order], y[order]
    model = postil.AROWClassifier()
    model = model.partial_fit(X, y) if online else model.fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    assert model.score(X, y) > 0.9
    model.save(tmp_path / "m")
    for again in (postil.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.classes_, model.classes_)
        assert [type(value) for value in again.classes_.tolist()] == [type(value) for value in model.classes_.tolist()]
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        again.partial_fit(X[:5], y[:5])


def test_truth_values_with_rules():
    X = pd.DataFrame({"a": np.arange(40.0)})
    y = (X["a"] > 20).to_numpy()
    for rules in ("a > 20 => True", "a > 20 => 1", "a > 20 => true\na < 20 => 0", "a > 20 => +1", 'a > 20 => "True"'):
        for model in (postil.AdviceClassifier(advice=rules).fit(X, y), postil.AdviceClassifier(advice=rules).partial_fit(X, y)):
            assert model.classes_.dtype == bool
            assert model.predict(X).dtype == bool
            assert model.score(X, y) > 0.9
    early = postil.AdviceClassifier(advice="a > 20 => True")
    assert [early.predict_one({"a": value}) for value in (1.0, 30.0)] == [False, True]


def test_rules_survive_encoders(cancer):
    X, y = cancer
    rules = "class benign = 0\nclass malignant = 1\n" + RULES
    parts = [("rules", postil.AdviceClassifier(advice=rules)), ("plain", make_pipeline(LogisticRegression(max_iter=5000)))]
    assert VotingClassifier(parts).fit(X, y).score(X, y) > 0.9
    assert StackingClassifier(parts, cv=2).fit(X, y).score(X, y) > 0.9
    for model in (postil.AdviceClassifier(advice=rules).fit(X, y), postil.AdviceClassifier(advice=rules).partial_fit(X, y)):
        assert model.classes_.tolist() == ["benign", "malignant"]
    with pytest.raises(postil.ParseError, match="class malignant = VALUE"):
        VotingClassifier([("rules", postil.AdviceClassifier(advice=RULES))]).fit(X, y)


# ---- columns ----


def test_rules_about_words():
    texts = ["free money now", "see you at lunch", "win money", "lunch with a friend"] * 20
    y = np.array(["spam", "ham"] * 40)
    words = sorted(set(" ".join(texts).split()) - {"a"})
    for scale in ("none", "standard", "maxabs"):
        for names in (words, CountVectorizer(vocabulary=words)):
            model = make_pipeline(CountVectorizer(vocabulary=words), postil.AdviceClassifier(advice="money >= 1 => spam", feature_names=names, scale=scale)).fit(texts[:2], y[:2])
            assert model.score(texts, y) == 1
    dense = postil.AdviceClassifier(advice="money >= 1 => spam").fit(pd.DataFrame(CountVectorizer(vocabulary=words).transform(texts).toarray(), columns=words), y)
    sparse = model.fit(texts, y)[-1].set_params(scale="standard")
    sparse.fit(CountVectorizer(vocabulary=words).transform(texts).astype(float), y)
    np.testing.assert_array_equal(sparse.coef_, dense.coef_)
    assert sparse.ledger().loc["line 1", "agreed"] == 40
    assert clone(sparse).feature_names is not None
    online = postil.AdviceClassifier(advice="money >= 1 => spam").expect(words, classes=["ham", "spam"])
    assert (online.predict(CountVectorizer(vocabulary=words).transform(texts).astype(float)) == y).all()
    shared = CountVectorizer()  # one object in two steps, which clone copies apart
    pair = make_pipeline(shared, postil.AdviceClassifier(advice="money >= 1 => spam", feature_names=shared))
    assert pair.fit(texts[:2], y[:2]).score(texts[:2], y[:2]) == 1
    with pytest.raises(postil.ParamError, match=r"CountVectorizer that is not fitted.*; expected a list of names, or a vectoriser with vocabulary=\.\.\.$") as caught:
        clone(pair).fit(texts[:2], y[:2])
    assert "vocabulary=" in caught.value.remedy and "Vocabulary not fitted" not in str(caught.value)
    with pytest.raises(postil.DataError, match="feature_names has 2 names, but X has"):
        postil.AROWClassifier(feature_names=["a", "b"]).fit(np.eye(3), [0, 1, 0])


def test_columns_by_name_and_the_label_among_them(cancer, tmp_path):
    X, y = cancer
    table = X.assign(label=y)
    table.to_parquet(tmp_path / "p.parquet")
    table.to_csv(tmp_path / "p.csv", index=False)
    direct = postil.AdviceClassifier(advice=RULES).fit(X, y)
    for source in (tmp_path / "p.parquet", table, polars.from_pandas(table), str(tmp_path / "p.csv")):
        model = postil.AdviceClassifier(advice=RULES).fit(source, "label")
        np.testing.assert_array_equal(model.coef_, direct.coef_)
        for other in (tmp_path / "p.parquet", tmp_path / "p.csv", table, X, X[X.columns[::-1]], polars.from_pandas(table)):
            np.testing.assert_array_equal(model.predict(other), direct.predict(X))
        assert model.score(table, "label") == model.score(tmp_path / "p.csv", "label") == model.score(X, y)
    assert postil.AdviceClassifier(advice=RULES).fit(tmp_path / "p.csv").score(tmp_path / "p.csv") == direct.score(X, y)
    numbers = load_diabetes(as_frame=True).frame
    numbers.to_csv(tmp_path / "n.csv", index=False)
    one, other = postil.KnowledgeSVR().fit(tmp_path / "n.csv", "target"), postil.KnowledgeSVR().fit(numbers.drop(columns="target"), numbers["target"])
    np.testing.assert_allclose(one.coef_, other.coef_)
    assert one.score(tmp_path / "n.csv", "target") == pytest.approx(other.score(numbers.drop(columns="target"), numbers["target"]))


def test_libsvm_files(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:2 3:1\n-1 2:3\n1 1:1\n-1 2:1 3:2\n" * 10)
    model = postil.AROWClassifier().fit(tmp_path / "t.svm")
    assert model.classes_.tolist() == [-1, 1]
    assert model.score(tmp_path / "t.svm") == 1
    assert model.predict(tmp_path / "t.svm")[:2].tolist() == [1, -1]
    with pytest.raises(postil.DataError, match="no label"):
        (tmp_path / "u.csv").write_text("a,label\n1,x\n2,\n3,y\n")
        postil.AROWClassifier().fit(tmp_path / "u.csv", "label")


def test_dask(cancer):
    frames = pytest.importorskip("dask.dataframe")
    arrays = pytest.importorskip("dask.array")
    X, y = cancer
    lazy = frames.from_pandas(X.assign(label=y), npartitions=4)
    whole = postil.AdviceClassifier(advice=RULES).fit(X, y)
    np.testing.assert_array_equal(postil.AdviceClassifier(advice=RULES).fit(lazy, "label").coef_, whole.coef_)
    np.testing.assert_array_equal(whole.predict(lazy.drop(columns="label")), whole.predict(X))
    parts = postil.AROWClassifier().partial_fit(lazy, "label", classes=["benign", "malignant"])
    np.testing.assert_array_equal(parts.coef_, postil.AROWClassifier().partial_fit(X, y, classes=["benign", "malignant"]).coef_)
    blocks = arrays.from_array(X.to_numpy(), chunks=(100, 30))
    np.testing.assert_array_equal(postil.AROWClassifier().partial_fit(blocks, y).coef_, postil.AROWClassifier().partial_fit(X.to_numpy(), y).coef_)


def test_importance_of_columns_of_text(cancer):
    X, y = cancer
    X = X[["mean radius", "mean texture"]].assign(site=np.where(np.arange(len(X)) % 3, "left", "right"), noise=np.random.default_rng(0).normal(size=len(X)))
    model = postil.AROWClassifier(scale="standard").fit(X, y)
    assert model.get_feature_names_out().tolist() == ["mean radius", "mean texture", "site=left", "site=right", "noise"]
    assert len(model.get_feature_names_out()) == model.coef_.shape[1]
    assert len(model.feature_importances_) == X.shape[1]
    assert np.argmax(model.feature_importances_) == 0
    chosen = SelectFromModel(model, importance_getter="feature_importances_", max_features=1, threshold=-np.inf).fit(X, y)
    assert chosen.get_feature_names_out().tolist() == ["mean radius"]


# ---- anything at any time ----


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if hasattr(getattr(postil, name), "learn_one")])
def test_rivers_own_checks(name):
    model = getattr(postil, name)()
    skipped = model._unit_test_skips()
    assert set(skipped) == set(postil.testing.expected_failed_river_checks(model))
    for check in river.checks.yield_checks(model):
        if check.__name__ not in skipped and check.__name__ != "check_bounded_memory_growth":
            check(model.clone())


@pytest.mark.parametrize("name", ["AROWClassifier", "AdviceClassifier", "PassiveAggressiveClassifier", "PerceptronClassifier", "GradientDescentClassifier"])
def test_words_that_come_one_after_the_other(name):
    mails = [("free money now", "spam"), ("see you at lunch", "ham"), ("win money", "spam"), ("lunch with friends", "ham"), ("meet me", "ham")] * 60
    model = feature_extraction.TFIDF() | getattr(postil, name)()
    assert evaluate.progressive_val_score(mails, model, metrics.Accuracy()).get() > 0.95
    twice = feature_extraction.TFIDF() | getattr(postil, name)()
    for text, label in mails:
        twice.predict_one(text)
        twice.predict_proba_one(text)
        twice.learn_one(text, label)
    assert twice[name]._engine.to_bytes() == model[name]._engine.to_bytes()


def test_sparse_dicts_are_learned_as_full_ones():
    rng = np.random.default_rng(3)
    rows = [{f"w{j}": float(rng.normal()) for j in rng.choice(30, size=4, replace=False)} for _ in range(400)]
    labels = ["ab"[int(sum(row.values()) > 0)] for row in rows]
    sparse, full = postil.AROWClassifier(), postil.AROWClassifier()
    seen = []
    for row, label in zip(rows, labels):
        seen += [name for name in row if name not in seen]
        sparse.learn_one(row, label)
        full.learn_one({name: row.get(name, 0.0) for name in seen}, label)
    assert sparse._engine.column_names == full._engine.column_names
    np.testing.assert_allclose(sparse.coef_, full.coef_, rtol=1e-12)


# ---- stop and show ----

BIG = np.random.default_rng(5).normal(size=(6000, 40))
NOISE = np.random.default_rng(6).integers(0, 2, size=len(BIG))


def interrupted(work, after):
    """Seconds from the signal to the exception."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background begins with it ignored
    timer = threading.Timer(after, send)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
            time.sleep(after + 1)  # too quick: then nothing is shown
            raise KeyboardInterrupt
        return time.monotonic() - sent[0] if sent else 0
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "model",
    [
        postil.SVC(C=1e4, gamma=1.0, tol=1e-12),
        postil.NuSVC(nu=0.5, tol=1e-12),
        postil.BayesPointClassifier(soft=0.1, tol=0.001),
        postil.KnowledgeSVC(tol=1e-300, lambda_=1e6),
        postil.PerceptronClassifier(max_iter=100000, tol=None),
        postil.AdviceClassifier(max_iter=10000, tol=None),
        postil.KernelPerceptronClassifier(max_iter=1000, tol=None),
    ],
    ids=lambda model: type(model).__name__,
)
def test_control_c_ends_fit(model):
    X, y = (BIG[:1500], NOISE[:1500]) if isinstance(model, postil.BayesPointClassifier) else (BIG, NOISE)
    assert interrupted(lambda: model.fit(X, y), 0.7) < 3  # 0.2 on a quiet machine
    model = clone(model).set_params(**({"max_iter": 2} if hasattr(model, "max_iter") else {"tol": 0.1}))
    small = BIG[:200], (BIG[:200, 0] > 0).astype(int)
    assert model.fit(*small).score(*small) > 0.6


def test_control_c_ends_predict_and_keeps_what_was_learned():
    model = postil.SVC(gamma=1.0).fit(BIG[:3000], NOISE[:3000])
    many = np.tile(BIG, (40, 1))
    before = model.predict(BIG[:10])
    assert interrupted(lambda: model.predict(many), 0.5) < 3
    np.testing.assert_array_equal(model.predict(BIG[:10]), before)
    online = postil.AdviceClassifier().partial_fit(BIG, NOISE)
    state = online._engine.to_bytes()
    assert interrupted(lambda: online.partial_fit(np.tile(BIG, (100, 1)), np.tile(NOISE, 100)), 0.3) < 3
    assert online._engine.to_bytes() == state


def test_curves_on_several_processes(cancer):
    X, y = cancer
    models = {"rules": postil.AdviceClassifier(advice=RULES), "plain": postil.AROWClassifier(scale="standard")}
    one, two = (postil.evaluate.learning_curve(models, X, y, train=50, checkpoints=[0, 5, 50], runs=4, n_jobs=jobs) for jobs in (None, 2))
    pd.testing.assert_frame_equal(one, two)


def test_progress(capfd):
    heard = []
    postil.PerceptronClassifier(callback=heard.append, verbose=1, max_iter=7, tol=None).fit(BIG[:500], NOISE[:500])
    assert [entry["done"] for entry in heard if entry["loss"] is not None] == list(range(1, 8))
    assert "perceptron: 7 passes, loss" in capfd.readouterr().err
    heard.clear()
    postil.SVC(C=1e3, gamma=1.0, callback=heard.append).fit(BIG[:3000], NOISE[:3000])
    assert {entry["what"] for entry in heard} == {"iterations"}
    assert heard[0]["done"] < heard[1]["done"]

    def stop(progress):
        raise RuntimeError(f"enough after {progress['done']}")

    with pytest.raises(RuntimeError, match="enough after 1"):
        postil.PerceptronClassifier(callback=stop).fit(BIG, NOISE)
