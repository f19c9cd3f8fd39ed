"""Rules from trees and tables, and SQL that holds where the rules hold: a database is the judge."""

import json
import random
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest

import postil
from postil.rules import check, from_json, from_list, from_table, from_tree, parse, to_english, to_json, to_sql

COLUMNS = ["x", "y", "n", "s_1", "s_2", "s_3", "color"]


def a_condition(draw, depth):
    pick = draw.randrange(7 if depth == 0 else 11)
    number = lambda: str(draw.randrange(-8, 9) / 4)
    part = lambda: "(" + a_condition(draw, depth - 1) + ")"
    if pick == 0:
        return f"{draw.choice(['x', '-y', '2*x - y', 'n + 1', 'sum(s_1..s_3)'])} {draw.choice(['<', '<=', '=', '>=', '>', '!='])} {number()}"
    if pick == 1:
        return f"{number()} <= x < {number()}"
    if pick == 2:
        return f"n {draw.choice(['', 'not '])}between {number()} and {number()}"
    if pick == 3:
        return draw.choice(["color = red", "color != blue", "color in {red, green}", "color not in {red, blue}", "n in {1, 2}"])
    if pick == 4:
        return draw.choice(["absent", "any", "all", "none"]) + draw.choice(["(s_1..s_3)", "(s_2, s_1)"])
    if pick == 5:
        return draw.choice(["s_1", "x is missing", "color is known"])
    if pick == 6:
        return f"count(s_1..s_3, color = red) {draw.choice(['>', '>=', '=', '!=', '<', '<='])} {draw.randrange(4)}".replace(">= 0", ">= 1").replace("< 0", "< 1")
    if pick == 7:
        return "not " + part()
    if pick == 8:
        return f"{part()} and {part()}"
    if pick == 9:
        return f"{part()} or {part()}"
    return f"at least 2 of ({a_condition(draw, depth - 1)}, s_2, {a_condition(draw, depth - 1)})"


def test_a_database_agrees():
    draw = random.Random(7)
    gap = lambda value: None if draw.random() < 0.2 else value
    rows = [tuple(map(gap, (draw.randrange(-8, 9) / 4, draw.randrange(-8, 9) / 4, draw.randrange(-3, 4), draw.randrange(2), draw.randrange(2), draw.randrange(2), draw.choice(["red", "green", "blue"])))) for _ in range(150)]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    database = sqlite3.connect(":memory:")
    database.execute("create table t (x real, y real, n real, s_1 real, s_2 real, s_3 real, color text)")
    database.executemany("insert into t values (?, ?, ?, ?, ?, ?, ?)", rows)
    head = "integer n, s_1..s_3\ndomain s_1..s_3 in [0, 1]\n"
    held = 0
    for _ in range(300):
        rule = f"r: {a_condition(draw, 2)} => yes"
        try:
            covered = check(head + rule + "\nq: x >= 0 => no", frame)["rules"][0]["covered"]
        except postil.ParseError as error:  # no point can satisfy it, or a count is always right
            assert "empty" in str(error) or "always true or never true" in str(error)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = database.execute(f"select count(*) from t where ({to_sql(rule)}) = 'yes'").fetchone()[0]
        assert found == covered, rule
        held += covered
    assert held > 3000


def test_what_sql_cannot_say_is_told():
    with pytest.warns(UserWarning, match="a direction holds on no row"):
        assert "CASE" in to_sql("more x => a\nx > 3 => a")
    with pytest.raises(postil.ParseError, match="no rule that SQL could say"):
        to_sql("more x => a")


@pytest.mark.parametrize("forest", [False, True])
def test_trees_of_scikit_learn(forest):
    from sklearn.datasets import load_iris
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True, as_frame=True)
    y = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    model = (RandomForestClassifier(20, random_state=0) if forest else DecisionTreeClassifier(min_samples_leaf=3, random_state=0)).fit(X, y)
    rules = from_tree(model, digits=17, support=5)
    assert len(rules) > 2 and "`petal length (cm)`" in str(rules)
    checked = check(rules, X, y)["rules"]
    if not forest:
        for rule, told in zip(rules, checked):
            assert round(told["precision"], 3) == pytest.approx(rule.sure, abs=1e-3)
            assert f"of {told['covered']}]" in rule.text
    rounded = from_tree(model, support=10, precision=0.95, most=3)
    assert len(rounded) == 3 and all(rule.sure >= 0.95 for rule in rounded)
    assert np.mean([told["precision"] for told in check(rounded, X, y)["rules"]]) > 0.9
    model = postil.RulesClassifier(advice=rules).fit(X, y)
    assert model.score(X, y) > 0.9


def test_trees_are_named_and_mistakes_told():
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0]] * 10)
    model = DecisionTreeClassifier(random_state=0).fit(X, X[:, 0] > 1)
    assert [str(rule) for rule in from_tree(model, ["a", "b"])] == ["r1 [sure = 100% of 20]: a <= 1.5 => False", "r2 [sure = 100% of 20]: a > 1.5 => True"]
    assert postil.RulesClassifier(advice=from_tree(model, ["a", "b"])).fit(pd.DataFrame(X, columns=["a", "b"]), X[:, 0] > 1).score(pd.DataFrame(X, columns=["a", "b"]), X[:, 0] > 1) == 1
    assert "=> yes" in str(from_tree(model, ["a", "b"], class_names=["no", "yes"]))
    with pytest.raises(postil.ParamError, match="2 columns"):
        from_tree(model, ["a"])
    for other in (LogisticRegression().fit(X, X[:, 0] > 1), DecisionTreeClassifier().fit(X, X > 1)):
        with pytest.raises(postil.ParamError, match="fitted tree"):
            from_tree(other)
    with pytest.raises(postil.ParamError, match="digits=0"):
        from_tree(model, digits=0)


def test_trees_on_rows():
    """Counted again on rows: thresholds that leave every row on its side, shares that are shares of rows, missing values."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(3)
    X = pd.DataFrame({"year": random.integers(2005, 2020, 400), "income": random.normal(20000, 5000, 400)})
    y = np.where((X["year"] > 2011) & (X["year"] < 2015) | (random.random(400) < 0.1), "hit", "miss")
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(X, y)
    assert "2011.5" in str(from_tree(tree, support=5)) and check(from_tree(tree, support=5), X, y)
    for weighted in (DecisionTreeClassifier(class_weight="balanced", min_samples_leaf=20, random_state=0).fit(X, y), AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=5, random_state=0).fit(X, y)):
        with pytest.raises(postil.ParamError, match="fitted with weights"):
            from_tree(weighted)
        rules = from_tree(weighted, X=X, y=y, precision=0.5)
        for rule, told in zip(rules, check(rules, X, y)["rules"]):
            assert told["precision"] == pytest.approx(rule.sure, abs=1e-3) and f"of {told['covered']}]" in rule.text
    gaps = X.astype(float)
    gaps.loc[random.random(400) < 0.2, "year"] = np.nan
    y = np.where(gaps["year"].isna() | (gaps["year"] > 2012), "hit", "miss")
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(gaps, y)
    rules = from_tree(tree, X=gaps, y=y, support=5)
    assert "(year > 2012 or year is missing) => hit" in str(rules)
    for rule, told in zip(rules, check(rules, gaps, y)["rules"]):
        assert told["precision"] == 1 and f"of {told['covered']}]" in rule.text


def test_tables_and_json():
    frame = pd.DataFrame({"column": ["glucose", "bmi"], "operator": [">=", "<"], "value": [126, 22.5], "class": ["sick", "well"]})
    rules = from_table(frame)
    assert [str(rule) for rule in rules] == ["glucose >= 126 => sick", "bmi < 22.5 => well"]
    document = to_json(rules)
    assert from_json(document).text == from_json(json.loads(document)).text == rules.text + "\n"
    assert to_english(rules).startswith("If glucose is at least 126, then sick.")
    assert len(from_list("JRIP rules:\n\n(a >= 3) => class=yes (2.0)\n => class=no (1.0)\n")) == 1


def test_dates_of_frames(tmp_path):
    when = pd.date_range("2024-01-01", periods=60, freq="D")
    frame = pd.DataFrame({"when": when, "x": np.arange(60) % 7})
    y = np.where(when >= "2024-02-01", "late", "early")
    rule = "when >= 2024-02-01 => late\nwhen < 2024-02-01 => early"
    frame.loc[5, "when"] = pd.NaT
    for X in (frame, frame.assign(when=frame["when"].dt.tz_localize("UTC")), frame.assign(when=[None if pd.isna(t) else t.date() for t in frame["when"]])):
        assert [told["covered"] for told in check(rule, X, y)["rules"]] == [29, 30]
    polars = pytest.importorskip("polars")
    for kind in (polars.Date, polars.Datetime("ms"), polars.Datetime("ns")):
        X = polars.DataFrame(frame.astype({"when": "datetime64[us]"})).with_columns(polars.col("when").cast(kind))
        assert [told["covered"] for told in check(rule, X, y)["rules"]] == [29, 30]
    model = postil.RulesClassifier(advice=rule, missing="mean").fit(frame, y)
    assert (model.predict(frame)[6:] == y[6:]).all()
    online = postil.RulesClassifier(advice=rule)
    import datetime

    for day in (datetime.date(2024, 1, 5), datetime.datetime(2024, 2, 5, 12), "2024-03-01", np.datetime64("2024-03-01T12", "ns"), datetime.datetime(2024, 2, 1, 1, tzinfo=datetime.timezone.utc)):
        online.learn_one({"when": day}, "late" if str(day) >= "2024-02" else "early")
    assert online.ledger()["fired"].tolist() == [4, 1]
    gaps = postil.RulesClassifier(advice=rule, missing="mean")
    for day in (None, datetime.date(2024, 1, 5), pd.NaT):
        gaps.learn_one({"when": day}, "early")
    assert gaps.ledger()["fired"].tolist() == [0, 1]
    assert online.predict_one({"when": datetime.date(2024, 5, 5)}) == "late"
    assert online.predict_one({"when": "2023-05-05"}) == "early"
    from postil.rules import col

    assert repr((col("when") >= datetime.date(2024, 3, 1)) >> "late") == "when >= 2024-03-01 => late"
    assert repr(col("when").between(datetime.date(2024, 3, 1), datetime.datetime(2024, 4, 1, 12)) >> "late") == "when between 2024-03-01 and 2024-04-01T12:00:00 => late"
    assert parse(col("when").between(datetime.date(2024, 3, 1), datetime.datetime(2024, 4, 1, 12)) >> "late")


def test_abstaining():
    X = pd.DataFrame({"x": [1.0, 5, 9, 2]})
    model = postil.RulesClassifier(advice="x >= 4 => b\nx < 2 => a").fit(X, ["a", "b", "b", "a"])
    assert model.abstains(X).tolist() == [False, False, False, True]
    with pytest.raises(AttributeError, match="an answer for every row"):
        postil.AROWClassifier().fit(X, ["a", "b", "b", "a"]).abstains(X)
