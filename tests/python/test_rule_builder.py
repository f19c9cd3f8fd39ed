"""Rules written as Python expressions are the rules of the language, and mistakes in writing them are answered."""

import random

import numpy as np
import pandas as pd
import pytest

import postil
from postil.rules import all_of, any_of, at_least, check, col, count, fmt, less, more, none_of, not_, parse


def test_what_is_built_is_what_is_written():
    glucose, bmi, smoker = col("glucose"), col("bmi"), col("smoker")
    for built, text in [
        (((glucose >= 126) & (bmi >= 30)) >> "diabetes", "glucose >= 126 and bmi >= 30 => diabetes"),
        ((smoker & ~col("plasma glucose")) >> 1, "smoker and not `plasma glucose` => 1"),
        ((((glucose > 1) | (bmi < 2)) & smoker) >> "x", "(glucose > 1 or bmi < 2) and smoker => x"),
        (~((glucose > 1) & smoker) >> "no way", 'not (glucose > 1 and smoker) => "no way"'),
        ((3 * glucose - bmi / 2 + 1 >= 2) >> -1, "3*glucose - 0.5*bmi + 1 >= 2 => -1"),
        ((glucose / bmi > 2) >> "a", "glucose/bmi > 2 => a"),
        ((1 - bmi <= glucose) >> "a", "1 - bmi <= glucose => a"),
        (glucose.between(100, 125) >> not_("a"), "glucose between 100 and 125 => not a"),
        (col("color").isin(["red", "dark blue"]) >> "a", 'color in {red, "dark blue"} => a'),
        ((col("color") != "red") >> "a", "color != red => a"),
        (col("color").notin(["in"]) >> "a", 'color not in {"in"} => a'),
        ((bmi.is_missing() | glucose.is_known()) >> "a", "bmi is missing or glucose is known => a"),
        (at_least(2, smoker, bmi > 30, any_of("s_1", "s_2")) >> "a", "at least 2 of (smoker, bmi > 30, any(s_1, s_2)) => a"),
        ((count(smoker, all_of("s_1"), none_of("s_2", "s_3")) == 2) >> "a", "count(smoker, all(s_1), none(s_2, s_3)) = 2 => a"),
        ((bmi > 30).unless(smoker | (glucose < 90)) >> "a", "bmi > 30 and not (smoker or glucose < 90) => a"),
        ((more("plasma glucose") >> "a").trust(2), "[trust = 2]: more `plasma glucose` => a"),
        (less(bmi) >> not_("a"), "less bmi => not a"),
        ((smoker >> "a").named("r 1").sure(0.8, of=20).trust(0.5), "`r 1` [sure = 80% of 20, trust = 0.5]: smoker => a"),
    ]:
        assert repr(built) == text
        assert fmt(built) == text + "\n"
        assert len(parse(built)) == 1


def test_random_conditions_keep_their_text():
    draw = random.Random(3)

    def condition(depth):
        if depth == 0:
            return draw.choice([col("x") > draw.randrange(9) / 4, col("s"), col("c") == "red", col("c").notin(["a b", 3]), col("y").is_known(), 2 * col("x") <= col("y") + 1])
        part = draw.randrange(4)
        if part == 0:
            return ~condition(depth - 1)
        if part == 1:
            return at_least(1, condition(depth - 1), condition(depth - 1))
        left, right = condition(depth - 1), condition(depth - 1)
        return left & right if part == 2 else left | right

    for _ in range(300):
        rule = condition(draw.randrange(1, 4)) >> "yes"
        assert fmt(rule) == f"{rule}\n"


@pytest.mark.parametrize(
    ("mistake", "answer"),
    [
        (lambda: (col("a") > 1) & (col("b") > 2) >> "x", "binds more tightly than &"),
        (lambda: 1 < col("a") < 2, r"neither true nor false.*\.between"),
        (lambda: col("a") > 1 and col("b") > 2, "not by and, or, not"),
        (lambda: (col("a") > 1) & 3, "is no condition"),
        (lambda: col("a") * col("b"), "is not linear"),
        (lambda: col("a") + (col("b") > 1), "is a condition, not a number"),
        (lambda: (col("a") + 1).isin([1]), "is no single column"),
        (lambda: col("a") > float("nan"), "expected a finite number"),
        (lambda: (col("a") >> "x").sure(80), "expected a share from 0 to 1"),
    ],
)
def test_mistakes_are_answered(mistake, answer):
    with pytest.raises((TypeError, postil.ParamError), match=answer):
        mistake()


def test_built_rules_advise_and_are_checked():
    X, y = postil.datasets.make("synthetic", rows=300, seed=1)
    rules = [((col("x2") <= 0) >> "positive").named("low"), ((col("x2") > 1) >> "negative").named("high")]
    model = postil.RulesClassifier(advice=rules).fit(X, y)
    assert model.score(X, y) > 0.85
    checked = check(rules, X, y)
    assert checked["together"]["error"] == pytest.approx(1 - model.score(X, y), abs=0.02)
    assert "verdict" in checked._repr_html_() and "together" in checked._repr_html_()
    assert checked["rules"][0]["covered"] == int((np.asarray(X)[:, 1] <= 0).sum())


ILL = "old: age >= 60 => ill"
COUNTED = {  # rules: what numpy says that they say of each row; "": nothing, or they cancel
    ILL: lambda age, heat: np.where(age >= 60, "ill", ""),
    ILL + "\nhot: heat >= 38 => ill": lambda age, heat: np.where((age >= 60) | (heat >= 38), "ill", ""),
    ILL + "\ncool: heat < 37 => not ill": lambda age, heat: np.where((age >= 60) & (heat >= 37), "ill", np.where((age < 60) & (heat < 37), "not ill", "")),
    ILL + "\ncool: heat < 37 => well": lambda age, heat: np.where((age >= 60) & (heat >= 37), "ill", np.where((age < 60) & (heat < 37), "well", "")),
    "cool: heat < 37 => not ill": lambda age, heat: np.where(heat < 37, "not ill", ""),
    ILL + "\ncool: heat < 37 => well\nhot: heat > 38 => sick": lambda age, heat: np.where(age >= 60, np.where((heat >= 37) & (heat <= 38), "ill", ""), np.where(heat < 37, "well", np.where(heat > 38, "sick", ""))),
}


@pytest.mark.parametrize("labels", ["none", "some", "all"])
@pytest.mark.parametrize("rules", COUNTED)
def test_what_rules_cover_needs_no_labels(rules, labels):
    draw = np.random.default_rng(5)
    X = pd.DataFrame({"age": draw.integers(20, 90, 200), "heat": draw.normal(37.5, 1, 200)})
    says = COUNTED[rules](X["age"].to_numpy(), X["heat"].to_numpy())
    y = draw.choice(["ill", "well"] + (["sick"] if "sick" in rules else []), 200).astype(object)
    there = {"none": np.zeros(200, bool), "some": draw.random(200) < 0.3, "all": np.ones(200, bool)}[labels]
    absent = draw.choice([0, 1, 2], 200)
    truth = y.astype(str)
    y[~there] = np.array([None, np.nan, pd.NA], dtype=object)[absent[~there]]
    ages, heats = X["age"] >= 60, {"hot": X["heat"] >= 38 if "sick" not in rules else X["heat"] > 38, "cool": X["heat"] < 37}
    for given in ([y, y.tolist(), pd.Series(y)] if labels != "none" else [y, None]):
        checked = check(rules, X, given)
        decided = says != ""
        right = np.array([one == label if not one.startswith("not ") else one[4:] != label for one, label in zip(says, truth)])
        assert checked["rows"] == 200 and checked["together"]["decided"] == decided.sum()
        assert checked["together"]["labelled"] == (decided & there).sum()
        assert checked["together"]["right"] == (decided & there & right).sum()
        for rule in checked["rules"]:
            holds = ages if rule["id"] == "old" else heats[rule["id"]]
            agrees = (truth == rule["text"].split("=> ")[1].removeprefix("not ")) != ("=> not" in rule["text"])
            assert (rule["covered"], rule["labelled"], rule["agreed"]) == (holds.sum(), (holds & there).sum(), (holds & there & agrees).sum())
        assert f"together: they cover {100 * decided.mean():.1f}% of the rows" in str(checked)
        assert ("right on" in str(checked)) == (labels != "none") and "0 of 0" not in str(checked)


def test_labels_of_two_kinds_are_refused():
    X = pd.DataFrame({"age": [70, 20, 30]})
    with pytest.raises(postil.DataError, match="y holds numbers and text, as 1 and 'ill'; expected labels of one kind"):
        check(ILL, X, [1, "ill", 0])
    with pytest.raises(postil.DataError, match="y has 2 labels, but X has 3 rows"):
        check(ILL, X, ["ill", None])


def test_other_words_for_a_rule_are_text_and_no_file():
    for text in ("if x2 <= 0 then positive", "x2 <= 0 -> positive"):
        assert parse(text)[0].says == "positive"
