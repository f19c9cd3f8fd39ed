"""Rules as objects: they never change, give others, keep what is no rule, and go wherever parameters of estimators go."""

import copy
import pickle
import random

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import postil
from postil import rules
from postil.rules import Rules, col, parse

TEXT = """# by Dr. A, May 2024

domain x1 in [-2, 10]
domain x2 in [-5, 9]
define far = x1 > 8

# low values
below: x2 <= 0 => positive
above [sure = 90% of 20]: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive  # seen often
far and x2 >= 5 => not positive
# that is all
"""


@pytest.fixture(scope="module")
def advice():
    return parse(TEXT)


@pytest.fixture(scope="module")
def points():
    return postil.datasets.make("synthetic", rows=200, seed=1)


# ---- what they are ----


def test_a_sequence_of_rules(advice):
    assert len(advice) == 3 and [rule.id for rule in advice] == ["below", "above", "line 10"]
    assert advice[1].sure == 0.9 and advice[-1].condition == "far and x2 >= 5" and advice[0] in advice
    assert advice[1:] == advice.without("below") and isinstance(advice[1:], Rules)
    assert str(advice) == advice.text == TEXT and parse(advice) is advice


def test_equal_is_what_states_the_same(advice):
    same = parse("\n\n" + TEXT.replace("x2 <= 0", "x2<=0").replace("# low values", "# others"))
    assert same == advice and hash(same) == hash(advice) and len({same, advice}) == 1
    assert advice != parse(TEXT.replace("x2 <= 0", "x2 <= 1")) and advice != parse(TEXT.replace("[-2, 10]", "[-2, 11]"))
    assert advice != TEXT and advice != list(advice)


def test_they_never_change(advice):
    for change in (lambda: setattr(advice, "text", "a => b"), lambda: setattr(advice, "_text", "a => b"), lambda: advice.__delitem__(0), lambda: advice.append(advice[0]), lambda: delattr(advice, "_text")):
        with pytest.raises(AttributeError):
            change()
    with pytest.raises(AttributeError):
        advice[0].id = "other"
    assert str(advice) == TEXT


# ---- others made of them ----


def test_without_and_only_keep_what_is_no_rule(advice):
    assert str(advice.without("below")) == TEXT.replace("\n\n# low values\nbelow: x2 <= 0 => positive", "")
    assert str(advice.only("below")) == "".join(line for line in TEXT.splitlines(keepends=True) if not line.startswith(("above", "far")))
    assert advice.without("below", "above") == advice.only("line 10")
    assert advice.without() == advice and len(advice.only()) == 0 and "domain x1" in str(advice.only())


@pytest.mark.parametrize(("name", "answer"), [("belov", "did you mean 'below'"), ("zzz", "expected one of 'below', 'above', 'line 10'")])
def test_unknown_names_are_answered(advice, name, answer):
    for call in (advice.without, advice.only):
        with pytest.raises(postil.ParamError, match=f"there is no rule '{name}'; {answer}") as error:
            call("above", name)
        assert error.value.code == "unknown_name" and error.value.subject == ("rule", name) and error.value.found == name


def test_plus_takes_whatever_is_read_as_rules(advice, tmp_path):
    (tmp_path / "more.rules").write_text("# more\nmore: x1 < 0 => positive\n")
    for more in (tmp_path / "more.rules", "more: x1 < 0 => positive", [((col("x1") < 0) >> "positive").named("more")], parse("more: x1 < 0 => positive")):
        both = advice + more
        assert [rule.id for rule in both] == ["below", "above", "line 10", "more"] and len(advice) == 3
        assert parse(str(both)) == both
    assert [rule.says for rule in "x1 < 0 => other" + advice] == [rule.says for rule in ["x1 < 0 => other"] + advice] == ["other", "positive", "positive", "positive"]
    assert advice + advice == advice and advice.only("below") + advice.without("below") == advice
    with pytest.raises(postil.ParseError, match="'below' appears twice"):
        advice + "below: x2 <= 1 => positive"


def random_text(draw):
    lines = ["class yes = 1"] if draw.random() < 0.5 else []
    for k in range(draw.randrange(1, 9)):
        lines += draw.choice([[], [""], ["# a comment"], ["# a comment", "", "# another"]])
        condition = draw.choice(["a >= 1", "b < 2 or not (c = 3 and a > 0)", "d in {x, \"y z\"}", "at least 2 of (a > 1, b > 2, c > 3)", "a is missing", "f_1"])
        named = draw.choice(["", f"r{k}: ", f"`odd name {k}` [trust = 2]: "])
        lines.append(draw.choice([f"domain a{k}_1..a{k}_3 in [0, 1]", f"integer b{k}", f"define n{k} = {condition}", f"{named}{condition} => yes", f"{named}more a => yes", f"{named}{condition} => not yes  # why {k}"]))
    return "\n".join(lines + draw.choice([[], ["# the end"]])) + "\n"


def test_every_selection_reads_as_what_it_is():
    draw = random.Random(5)
    for _ in range(300):
        advice = parse(random_text(draw))
        assert parse(rules.fmt(advice)) == advice
        assert str(advice.without()) == rules.fmt(advice).lstrip("\n")
        kept = [rule.id for rule in advice if draw.random() < 0.5]
        chosen, rest = advice.only(*kept), advice.without(*kept)
        canonical = [(rule.condition, rule.says, rule.negated, rule.trust) for rule in advice if rule.id in kept]
        assert [(rule.condition, rule.says, rule.negated, rule.trust) for rule in chosen] == canonical
        assert len(chosen) + len(rest) == len(advice)
        assert parse(str(chosen)) == chosen and parse(str(rest)) == rest
        statements = [line for line in rules.fmt(advice).splitlines() if line.startswith(("class", "domain", "integer", "define"))]
        for part in (chosen, rest):
            assert [line for line in str(part).splitlines() if line.startswith(("class", "domain", "integer", "define"))] == statements


# ---- on data ----


def test_apply_is_what_the_rules_say(advice, points):
    X, _ = points
    matrix = advice.apply(X)
    assert isinstance(matrix, scipy.sparse.csr_array) and matrix.dtype == bool and matrix.shape == (200, 3)
    expected = np.column_stack([X["x2"] <= 0, (X["x2"] >= 3) & (X["x2"] - 0.5 * X["x1"] >= 1), (X["x1"] > 8) & (X["x2"] >= 5)])
    assert (matrix.toarray() == expected).all() and expected.any(axis=0)[:2].all()
    assert (rules.holds(TEXT, X) == expected).all()
    assert (scipy.sparse.hstack([scipy.sparse.csr_array(X.to_numpy()), matrix]).toarray()[:, 2:] == expected).all()


def test_apply_where_values_are_missing():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, np.nan], "b": [np.nan, 5.0, 0.0, np.nan]})
    unknown = parse(["a > 2 => yes", "not (a > 2) => yes", "a > 2 or b > 1 => yes", "a is missing => yes"]).apply(X).toarray()
    assert unknown.tolist() == [[False, True, False, False], [False, False, True, True], [True, False, True, False], [False, False, False, True]]
    assert parse(["domain a in [0, 1]", ""]).apply(X).shape == (4, 0)


# ---- as a parameter ----


def test_they_go_where_parameters_go(advice, points):
    X, y = points
    model = postil.AdviceClassifier(advice=advice)
    assert clone(model).advice == advice and model.get_params()["advice"] is advice
    for same in (pickle.loads(pickle.dumps(advice)), copy.copy(advice), copy.deepcopy(advice)):
        assert same == advice and str(same) == TEXT and same.source == advice.source
    assert joblib.hash(advice) == joblib.hash(parse(TEXT)) != joblib.hash(advice.without("above"))
    fitted = model.fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.advice == advice and (again.decision_function(X) == fitted.decision_function(X)).all()
    by_text = postil.AdviceClassifier(advice=TEXT).fit(X, y)
    assert (by_text.decision_function(X) == fitted.decision_function(X)).all()
    assert eval(repr(advice), {"Rules": Rules}) == advice


def test_a_search_over_rules(advice, points):
    X, y = points
    choices = [None, advice, advice.only("below"), advice.only()]
    search = GridSearchCV(postil.AdviceClassifier(), {"advice": choices}, cv=2, n_jobs=2).fit(X[:12], y[:12])
    assert list(search.cv_results_["param_advice"]) == choices
    assert search.best_params_["advice"] in choices


def test_no_rules_at_all(points):
    X, y = points
    empty = parse("")
    assert len(empty) == 0 and not empty and empty == parse("# nothing\n")
    assert postil.AdviceClassifier(advice=empty).fit(X, y).ledger().empty
