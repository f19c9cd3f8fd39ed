"""Errors as data: code, subject, place, found, expected and remedy, in the words of Python."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import postil

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
y = [0, 1, 1, 0]


def failure(work, kind):
    with pytest.raises(kind) as caught:
        work()
    assert "--" not in str(caught.value) and isinstance(caught.value, ValueError)
    return caught.value


def test_a_parameter_out_of_range():
    error = failure(lambda: postil.PerceptronClassifier(average="sometimes").fit(X, y), postil.ParamError)
    assert (error.code, error.subject, error.found, error.expected, error.remedy) == ("out_of_range", ("parameter", "average"), "sometimes", "none or uniform", None)
    assert error.subject.kind == "parameter" and error.place == (None, None, None)


def test_rules_point_at_their_place():
    error = failure(lambda: postil.rules.parse("a >= 1 => yes\nb >= => no"), postil.ParseError)
    assert error.code == "bad_syntax" and error.place == ("advice", 2, 6) and error.found == "=>"
    assert str(error).startswith("advice:2:6: found '=>', expected ") and str(error).endswith("\n  b >= => no\n       ^")


def test_all_mistakes_are_in_the_text():
    error = failure(lambda: postil.rules.parse("a >= => yes\nx: a > 1 => yes\nx: b > 1 => no"), postil.ParseError)
    assert error.place.line == 1 and "advice:3:1: the rule 'x' appears twice" in str(error)


def test_the_remedy_is_in_the_words_of_python():
    error = failure(lambda: postil.PerceptronClassifier(advice="x0 >= 1 => 1").fit(X, y), postil.ParamError)
    assert error.code == "unsupported" and error.subject == ("learner", "perceptron")
    assert "only as a starting point (start='advice')" in str(error)
    error = failure(lambda: postil.PerceptronClassifier(start="advice").fit(X, y), postil.ParamError)
    assert error.code == "needs_rules" and str(error) == "perceptron with start=advice needs rules: advice="
    huge = X * 1e300
    error = failure(lambda: postil.SVC(kernel="polynomial").fit(huge, y), postil.DataError)
    assert error.code == "overflow" and error.remedy == "scale='standard' may help"


def test_a_remedy_that_python_does_not_have_is_left_out():
    wide = np.eye(4, 5001)
    error = failure(lambda: postil.OnlineEllipsoidalSVC().fit(wide, y), postil.DataError)
    assert error.code == "too_many" and error.found == "5001 features" and error.remedy is None and "pca" not in str(error)


def test_values_that_are_not_finite():
    for value, code in ((np.nan, "missing_value"), (np.inf, "not_a_number")):
        error = failure(lambda value=value: postil.PerceptronClassifier().fit(np.where(X == 3, value, X), y), postil.DataError)
        assert error.code == code and error.subject == ("column", "f1") and error.expected == "finite numbers"


def test_files(tmp_path):
    error = failure(lambda: postil.load(tmp_path / "nothing.postil"), FileNotFoundError)
    assert isinstance(error, postil.DataError)
    assert error.code == "cannot_read" and error.place == (str(tmp_path / "nothing.postil"), None, None)
    postil.PerceptronClassifier().fit(X, y).save(tmp_path / "m.postil")
    altered = bytearray((tmp_path / "m.postil").read_bytes())
    altered[-1] ^= 1
    (tmp_path / "m.postil").write_bytes(altered)
    error = failure(lambda: postil.load(tmp_path / "m.postil"), postil.ModelError)
    assert error.code == "damaged_file" and error.subject == ("checksum", None) and len(error.found) == len(error.expected) == 8


def test_errors_made_in_python_have_the_same_parts():
    error = failure(lambda: postil.rules.parse("no rule at all"), postil.ParseError)
    assert (error.code, error.subject, error.place, error.found, error.expected, error.remedy) == ("bad_syntax", None, (None, None, None), None, None, None)


def test_errors_can_be_pickled():
    error = failure(lambda: postil.rules.parse("a >= => yes\n"), postil.ParseError)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.place == error.place and again.code == error.code


def test_missing_values_say_what_would_help():
    X = pd.DataFrame({"bmi": [20.0, 30, 40, 35], "glucose": [80.0, 150, 160, 90]})
    y = ["no", "yes", "yes", "no"]
    holes = X.where(X != 30)
    model = postil.AROWClassifier().fit(X, y)
    row = {"bmi": float("nan"), "glucose": 1.0}
    sparse = scipy.sparse.csr_matrix(np.array([[np.nan, 1.0]] * 4))
    for attempt, where in [
        (lambda: postil.AROWClassifier().fit(holes, y), "row 1, column 'bmi'"),
        (lambda: postil.AROWClassifier().fit(holes.to_numpy(), y), "row 1, column 'f1'"),  # columns one after the other
        (lambda: postil.AROWClassifier().fit(np.ascontiguousarray(holes.to_numpy()), y), "row 1, column 'f1'"),
        (lambda: postil.AROWClassifier().fit(holes.to_numpy().tolist(), y), "row 1, column 'f1'"),
        (lambda: postil.AROWClassifier().fit(sparse, y), "row 0, column 'f1'"),
        (lambda: postil.AROWClassifier().fit(sparse.tocsc(), y), "row 0, column 'f1'"),
        (lambda: postil.AROWClassifier().partial_fit(holes, y), "row 1, column 'bmi'"),
        (lambda: model.predict(holes), "row 1, column 'bmi'"),
        (lambda: model.explain(holes.iloc[1]), "row 0, column 'bmi'"),
        (lambda: model.learn_one(row, "yes"), "column 'bmi'"),
        (lambda: model.predict_one(row), "column 'bmi'"),
    ]:
        with pytest.raises(postil.DataError, match=f"Input X contains NaN in {where}; expected finite numbers; make the estimator with missing='mean' or missing='indicator'") as caught:
            attempt()
        error = caught.value
        assert (error.code, error.found, error.remedy) == ("missing_value", "NaN", "make the estimator with missing='mean' or missing='indicator'")
        assert error.subject.name in ("bmi", "f1")
    with pytest.raises(postil.DataError, match="contains infinity") as caught:
        model.predict(X.replace(30, np.inf))
    assert caught.value.remedy is None
