"""Probabilities of learners that have none of their own: against scipy, on the scores that the model file keeps."""

import numpy as np
import pytest
from safetensors.numpy import load_file
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.datasets import make_classification

import postil


def rows(classes, seed=0):
    X, y = make_classification(900, 8, n_informative=6, n_redundant=0, n_classes=classes, class_sep=0.8, random_state=seed)
    return X, y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ["AROWClassifier", "PassiveAggressiveClassifier", "PerceptronClassifier", "SVC", "KnowledgeSVC"])
def test_the_slope_is_the_best(name, classes, tmp_path):
    X, y = rows(classes)
    model = getattr(postil, name)(**({"max_iter": 1, "tol": None} if name.endswith("Classifier") else {})).fit(X[:700], y[:700])
    model.save(tmp_path / "m")
    kept = load_file(tmp_path / "m")
    labels = kept["labels.progressive_labels"].astype(int)
    scores = kept["labels.progressive_scores"].reshape(len(labels), -1)
    assert len(labels) == 512
    if classes == 2:  # one score a row, of the positive class, which is the second
        scores = np.concatenate([-scores / 2, scores / 2], axis=1)
    best = minimize_scalar(lambda a: -log_softmax(a * scores, axis=1)[np.arange(len(labels)), labels].sum() + (a - 2) ** 2 / 2, bounds=(0.01, 1000), method="bounded", options={"xatol": 1e-10})
    given = model.decision_function(X[700:])
    if classes == 2:
        given = np.stack([-given / 2, given / 2], axis=1)
    np.testing.assert_allclose(model.predict_proba(X[700:]), softmax(best.x * given, axis=1), rtol=1e-4, atol=1e-9)
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X[700:]).argmax(axis=1)], model.predict(X[700:]))
    mean_loss = -np.log(model.predict_proba(X[700:])[np.arange(200), y[700:]]).mean()
    assert mean_loss < np.log(classes)


def test_the_default_learner_is_calibrated_by_itself():
    X, y = rows(2, seed=3)
    model = postil.AdviceClassifier().fit(X[:600], y[:600])
    p = model.predict_proba(X[600:])[:, 1]
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-model.decision_function(X[600:]))), rtol=1e-9, atol=1e-14)
    assert abs(p.mean() - y[600:].mean()) < 0.08


def test_one_row_and_many_give_the_same():
    pd = pytest.importorskip("pandas")
    X, y = rows(3)
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(8)])
    model = postil.AdviceClassifier(advice="c0 >= 1 => 1\nc1 >= 1 => 2")
    assert model.predict_proba_one(frame.iloc[0].to_dict()).keys() >= {1, 2}  # from the rules, before any label
    for place in range(50):
        model.learn_one(frame.iloc[place].to_dict(), int(y[place]))
    one, many = model.predict_proba_one(frame.iloc[60].to_dict()), model.predict_proba_many(frame.iloc[60:61])
    assert one == pytest.approx(many.iloc[0].to_dict()) and sum(one.values()) == pytest.approx(1)
    assert max(one, key=one.get) == model.predict_one(frame.iloc[60].to_dict())
    assert postil.AdviceClassifier().predict_proba_one({"a": 1.0}) == {}
