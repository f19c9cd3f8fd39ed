"""What explanations, checks and ledgers show: text as the command prints it, in Python's words; HTML that says all of it; warnings at the user's line."""

import html
import html.parser
import re
import types
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import run
from sklearn.pipeline import make_pipeline

import postil
from postil import _html
from postil.rules import check, parse

RULES = "domain x1 in [-2, 10]\ndomain x2 in [-5, 9]\nbelow: x2 <= 0 => positive\nabove: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive\nmyth: x1 >= 5 => not positive\nup: more x1 => positive\n"


@pytest.fixture(scope="module")
def points():
    return postil.datasets.make("synthetic", rows=300, seed=4)


@pytest.fixture(scope="module")
def model(points):
    X, y = points
    return postil.AdviceClassifier(advice=RULES).fit(X, y)


class Balanced(html.parser.HTMLParser):
    """Reads text out of HTML whose tags close as they opened."""

    def __init__(self):
        super().__init__()
        self.open, self.said, self.tags = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] != "style":
            self.said.append(data)


def said_by(view):
    reader = Balanced()
    reader.feed(view._repr_html_())
    assert reader.open == [] and set(reader.tags) <= {"div", "style", "table", "thead", "tbody", "tr", "th", "td", "span", "i", "b", "p", "pre", "strong", "details", "summary"}
    return re.sub(r"\s+", " ", " ".join(reader.said))


def sentences(text):
    """Of a text, what stands in no table: lines that do not begin with spaces and are longer than a head."""
    return [re.sub(r"\s+", " ", line) for line in text.splitlines() if re.match(r"\S", line) and not line.startswith(("rule ", "label =", "below ", "above ", "myth ", "up "))]


# ---- everything the command says ----


def test_explanations_certify_in_text_and_html(model):
    told = model.explain(certify=RULES)
    for verdict in ("myth: not obeyed; ", "below: obeyed everywhere in its region; score >= ", "above: obeyed everywhere"):
        assert verdict in str(told)
    said = said_by(told)
    for entry in told["certificates"]:
        assert entry["text"] in str(told) and html.unescape(entry["text"]) in said
    assert said.index("myth not obeyed") < said.index("below obeyed")  # what is wrong comes first
    assert "certif" not in str(model.explain()) and "obeyed" not in said_by(model.explain())


@pytest.mark.parametrize("name", ["AdviceClassifier", "WagerClassifier", "PAAdviceptronClassifier", "KnowledgeSVC", "SVC", "EllipsoidalSVC", "RulesClassifier", "KernelKnowledgeSVC"])
def test_html_says_what_the_text_says(points, name):
    X, y = points
    form = getattr(postil, name)
    params = {"advice": RULES} if "advice" in form().get_params() else {}
    fitted = form(**params).fit(X[:80], y[:80])
    told = fitted.explain()
    said = said_by(told)
    expected = [line for line in sentences(str(told)) if not line.startswith(("postil",))]
    assert expected and all(line in said for line in expected), [line for line in expected if line not in said]
    for line in str(told).splitlines():  # kernels and axes
        if "support vectors" in line or "novelty" in line:
            assert line.strip() in said
    if params:
        assert all(line in said_by(fitted.ledger()) for line in sentences(str(fitted.ledger())))


def test_checks_say_contradictions_in_html(points):
    X, y = points
    for told in (check(RULES, X, y), check(RULES)):
        said = said_by(told)
        assert "rules that contradict each other" in said and "no linear model can follow all rules at once" in said
        for line in str(told).splitlines():
            if line.startswith(("together", "rules that", "  ", "positive", "rule ")) and not line.startswith("rule  "):
                assert re.sub(r"\s+", " ", line.strip()) in said
    told = check(RULES, X, y)
    for rule in told["rules"]:
        assert f"{rule['agreed']} of {rule['covered']}" in said_by(told) or "direction" in rule
        assert rule["verdict"] in said_by(told)


def test_one_row_adds_up_in_html(points, model):
    X, y = points
    for fitted in (model, postil.KnowledgeSVC(advice=RULES).fit(X, y), postil.RulesClassifier(advice=RULES).fit(X, y)):
        told = fitted.explain(X.iloc[0])
        said = said_by(told)
        for line in str(told).splitlines():
            if found := re.match(r" +-?[\d.]+  (.*)", line):
                assert found[1] in said
    assert "contribution by rule" in said_by(postil.KnowledgeSVC(advice=RULES).fit(X, y).explain(X.iloc[0]))
    numbers = [float(number) for number in re.findall(r'<td class="number">(-?[\d.e-]+)</td>', model.explain(X.iloc[0])._repr_html_())]
    assert sum(numbers) == pytest.approx(model.decision_function(X[:1])[0] * (1 if model.predict(X[:1])[0] == model.classes_[1] else -1), rel=0.02)


def test_several_classes_each_have_their_story(points):
    X, _ = points
    y = np.where(X["x2"] > 2, "high", np.where(X["x1"] > 4, "right", "left"))
    fitted = postil.AdviceClassifier(advice="h: x2 >= 3 => high\nr: x1 >= 6 => right").fit(X, y)
    said = said_by(fitted.explain(X.iloc[0]))
    assert all(f"log-odds of {name}" in said for name in ("high", "right", "left"))
    ledger = said_by(fitted.ledger())
    assert ledger.index("class high") < ledger.index("class right") and ledger.count("shares in the next prediction:") == len([line for line in str(fitted.ledger()).splitlines() if line.startswith("shares in the next prediction:")])


def test_pairs_of_classes_each_have_their_story(points):
    X, _ = points
    y = np.where(X["x1"] < 2, "a", np.where(X["x1"] < 4, "b", "c"))
    fitted = postil.KnowledgeSVC(multiclass="ovo", advice="one: x1 <= 1 => a\ntwo: x1 >= 5 and x2 <= 9 => c").fit(X, y)
    said = said_by(fitted.explain())
    for pair in ("a against b", "a against c", "b against c"):
        assert f"label = {pair}" in said
    assert "a against c two: x1 >= 5 does the work" in re.sub(r"\s+", " ", str(fitted.explain())) and "a against c two: x1 >= 5 does the work" in said


# ---- Python's words ----


def test_no_words_of_the_command(points, model):
    X, y = points
    wide = pd.concat([X] + [X.add_suffix(f"_{k}") for k in range(15)], axis=1)
    fitted = postil.AdviceClassifier(advice=RULES).fit(wide, y)
    for told in (fitted.explain(), fitted.explain(wide.iloc[0]), fitted.ledger(), check(RULES, X, y)):
        for text in (str(told), said_by(told)):
            assert "--" not in re.sub(r"-{3,}", "", text) and not re.search(r"\blines?\b", text)
    assert "... and 12 more (top=)" in str(fitted.explain()) and "... and 12 more (top=)" in said_by(fitted.explain())
    assert "more features (top=)" in str(fitted.explain(wide.iloc[0]))
    assert "more" not in str(fitted.explain(top=100)).replace("more x1", "") and str(fitted.explain(top=3)).count("x1_") + str(fitted.explain(top=3)).count("x2_") <= 3


@pytest.mark.parametrize("top", [-1, "3", 2.5])
def test_top_is_a_number_of_features(model, top):
    with pytest.raises(postil.ParamError, match="expected how many features to show"):
        model.explain(top=top)


def test_rows_count_from_0_everywhere(points, model):
    X, y = points
    rows = model.ledger().loc["myth", "contradicted_by"]
    assert rows and all(X["x1"].iloc[row] >= 5 and y.iloc[row] == "positive" for row in rows)
    shown = "last contradicted in row " + ", ".join(map(str, rows))
    assert shown in str(model.explain()) and shown in str(model.ledger())
    assert ", ".join(map(str, rows)) in said_by(model.ledger()) and ", ".join(map(str, rows)) in said_by(model.explain())
    assert [rule["contradicted_by"] for rule in model.explain()["rules"] if rule["id"] == "myth"] == [rows]


def test_many_pairs_are_cut_with_a_hint(points):
    X, y = points
    many = [f"a{k}: x1 >= {k / 10} => positive" for k in range(5)] + [f"b{k}: x2 >= {k / 10} => not positive" for k in range(5)]
    told = check(many, X, y)
    assert "and 15 more pairs ('disagreements', 'conflicts' and 'overlaps' of this dict have all)" in str(told) and len(told["disagreements"]) == 25


def test_the_ledger_is_a_frame(model):
    ledger = model.ledger()
    assert isinstance(ledger, pd.DataFrame) and type(ledger[["fired"]]) is pd.DataFrame and type(ledger.head(1)) is pd.DataFrame
    assert str(ledger).startswith("rule ") and "With your rules the model made" in str(ledger)
    assert said_by(postil.AROWClassifier().fit([[0.0], [1.0]], [0, 1]).ledger()).strip() == "There are no rules."


# ---- safe and readable ----


def test_everything_is_escaped(points):
    X, y = points
    evil = '<script>alert("x")</script>'
    X = X.rename(columns={"x1": evil})
    rules = f"`{evil}`: `{evil}` >= 5 => not positive\nbelow: x2 <= 0 => positive"
    fitted = postil.AdviceClassifier(advice=rules).fit(X, y)
    for view in (parse(rules), check(rules, X, y), check(rules), fitted.ledger(), fitted.explain(certify=rules), fitted.explain(X.iloc[0])):
        page = view._repr_html_()
        assert "<script" not in page and html.escape(evil) in page
        said_by(view)
    assert "<script" not in postil.AROWClassifier().fit(X, np.where(y == "positive", evil, "b")).explain()._repr_html_()


def luminance(color):
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_bars_and_words_stand_out_on_light_and_dark():
    """WCAG: 3 to 1 for graphics, 4.5 to 1 for words."""
    for colors, paper in ((_html._LIGHT, "#ffffff"), (_html._DARK, "#111111")):
        values = dict(re.findall(r"--postil-(\w+):(#\w{6})", colors))
        for name, needed in (("yes", 4.5), ("no", 4.5)):
            light, dark = sorted((luminance(values[name]), luminance(paper)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= needed, (name, paper)


# ---- warnings ----


def line_of(call):
    """The warnings of a call: file and line of each, and the line of the call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(warning.filename, warning.lineno) for warning in caught], [str(warning.message) for warning in caught], call.__code__.co_firstlineno


ODD = ["x1 >= 50000 => positive", "x2 >= 70000 => not positive", "x1 >= 90000 and x2 >= 50000 => positive"]


def test_one_warning_for_many_rules_at_the_users_line(points):
    X, y = points
    fresh = postil.AdviceClassifier(advice=ODD)
    stream = postil.AdviceClassifier(advice=ODD)
    for call in (
        lambda: fresh.fit(X, y),
        lambda: make_pipeline("passthrough", postil.AdviceClassifier(advice=ODD)).fit(X, y),
        lambda: stream.partial_fit(X, y, classes=["negative", "positive"]),
        lambda: postil.AdviceClassifier(advice=ODD).learn_many(X, y),
        lambda: postil.RulesClassifier().fit(X, y),
        lambda: postil.rules.to_sql(["more x1 => positive", "more x2 => positive", "x1 > 1 => positive"]),
    ):
        places, texts, line = line_of(call)
        assert places == [(__file__, line)], (places, texts)
    texts = line_of(lambda: postil.AdviceClassifier(advice=ODD).fit(X, y))[1]
    assert len(texts) == 1 and all(number in texts[0] for number in ("50000", "70000", "90000"))


def test_solvers_that_stop_early_warn_once():
    model = postil.SVC()
    stopped = {"converged": False, "status": "did not converge", "iterations": 7}
    model._engine = types.SimpleNamespace(fit_reports=[stopped, stopped | {"converged": True}, stopped])
    places, texts, line = line_of(lambda: model._report_convergence())
    assert places == [(__file__, line)] and texts == ["svm: did not converge after 7 iterations"]


def test_the_commands_text_is_ours(points, tmp_path):
    """But for line numbers, to the letter."""
    X, y = points
    X.assign(label=y).to_csv(tmp_path / "points.csv", index=False)
    (tmp_path / "r.rules").write_text(RULES)
    model = postil.AdviceClassifier(advice=RULES).fit(X, y)
    model.save(tmp_path / "m.postil")
    printed = run("explain", tmp_path / "m.postil", "--certify", tmp_path / "r.rules", check=True).stdout
    ours = str(model.explain(certify=RULES))
    assert [line for line in printed.splitlines() if "contradicted" not in line] == [line for line in ours.splitlines() if "contradicted" not in line]


# ---- names that the model does not know ----


@pytest.mark.parametrize("missing", ["mean", None])
def test_a_slip_in_a_name_is_told(missing):
    X = pd.DataFrame({"bmi": [20.0, 30, 40, 35], "glucose": [80.0, 150, 160, 90]})
    y = ["no", "yes", "yes", "no"]
    model = postil.AdviceClassifier(advice="glucose >= 126 => yes", missing=missing).fit(X, y)
    counts = "missing" if missing else "0"
    for row in ({"bmii": 33, "glucose": 150}, pd.Series({"bmii": 33, "glucose": 150})):
        with pytest.warns(UserWarning, match=f"^explain: the model has no column 'bmii'; did you mean 'bmi'\\? The row lacks 'bmi', which counts as {counts}.$"):
            assert model.explain(row)["label"] == "yes"
    with pytest.warns(UserWarning, match="no column 'height'. Nor has it 'weight'"):
        model.explain({"bmi": 33, "glucose": 150, "height": 1, "weight": 2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.explain({"bmi": 33, "glucose": 150})
        model.explain(X.iloc[0])
        model.explain([33, 150])
        model.debug_one({"bmii": 33, "glucose": 150})
        assert model.predict_one({"bmii": 33, "glucose": 150}) == "yes"  # a new feature, in River's manner
        labelled = postil.AdviceClassifier().fit(X.assign(ill=y), "ill")
        labelled.explain(X.assign(ill=y).iloc[0])
        plain = postil.AROWClassifier().fit(X.to_numpy(), y)
        plain.explain({"a": 1.0, "b": 2.0})


def test_examples_are_counted_once_for_all_passes(points):
    X, y = points
    for passes, title in ((1, "perceptron on 300 examples, progressive error"), (4, "perceptron on 300 examples, 4 passes, progressive error")):
        told = postil.PerceptronClassifier(max_iter=passes, tol=None).fit(X, y).explain()
        assert str(told).startswith(title) and title in told._repr_html_()
    more = postil.PerceptronClassifier(max_iter=1, tol=None, warm_start=True).fit(X, y).fit(X[:7], y[:7])
    assert str(more.explain()).startswith("perceptron on 307 examples in 2 passes, ")
    assert str(postil.PerceptronClassifier().partial_fit(X, y).explain()).startswith("perceptron on 300 examples, progressive")


def test_tables_of_one_row_leave_out_columns_that_add_nothing():
    X = pd.DataFrame({"age": [70.0, 30, 65, 20], "night": ["no", "yes", "no", "yes"], **{f"a{k}": [1.0, 1, 1, 1] for k in range(12)}})
    story = postil.AdviceClassifier(advice="age >= 60 => ill").fit(X, ["ill", "well", "ill", "well"]).explain(X.iloc[0])
    said = said_by(story)
    assert "night is no" in said and "night=" not in said and "a3" not in said and "... and 12 of 0.0000" in said
    assert "night is no" in str(story) and re.search(r"\.\.\. and 12 lines of 0\.0000", str(story))
    assert {"night=no", "night=yes", "a3"} <= {entry["feature"] for entry in story["features"]}
