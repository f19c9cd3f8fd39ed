"""Pictures: what they show is what is so; and they look as they looked when they were last looked at (tests/python/pictures).

POSTIL_DRAW=1 draws those pictures anew; look at them before they are committed.
"""

import os
import pathlib

import numpy as np
import pandas as pd
import pytest

import postil

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.path import Path  # noqa: E402

PICTURES = pathlib.Path(__file__).parent / "pictures"
RULES = "domain x1 in [-3, 10]\ndomain x2 in [-5, 9]\nbelow: x2 <= 0 => positive\nabove: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive\nmyth [trust = 0.5]: x1 >= 5 => not positive\n"


@pytest.fixture(autouse=True)
def closed():
    with matplotlib.rc_context(matplotlib.rcParamsDefault | {"backend": "Agg", "figure.figsize": (4.8, 3.2), "figure.dpi": 80}):
        yield
    plt.close("all")


@pytest.fixture(scope="module")
def points():
    return postil.datasets.make("synthetic", rows=300, seed=4)


@pytest.fixture(scope="module")
def model(points):
    return postil.AdviceClassifier(advice=RULES).fit(*points)


def flowers():
    from sklearn.datasets import load_iris

    data = load_iris(as_frame=True)
    X = data.data.iloc[:, 2:].round(0).set_axis(["length", "width"], axis=1)
    return X, data.target.map(dict(enumerate(data.target_names)))


# ---- they look as they looked ----


def pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[:, :, :3].astype(float)


def blurred(image, size=6):
    height, width = image.shape[0] // size * size, image.shape[1] // size * size
    return image[:height, :width].reshape(height // size, size, width // size, size, 3).mean(axis=(1, 3))


def unlike(one, other):
    """The share of blocks of 6 by 6 pixels whose mean colours differ by a tenth."""
    if one.shape != other.shape:
        return 1.0
    return (np.abs(blurred(one) - blurred(other)).max(axis=2) > 25).mean()


def looks_as(name, ax):
    path = PICTURES / f"{name}.png"
    drawn = pixels(ax.figure)
    if os.environ.get("POSTIL_DRAW"):
        plt.imsave(path, drawn.astype(np.uint8))
    expected = plt.imread(path)[:, :, :3] * 255
    assert unlike(drawn, expected) < 0.002, f"{path.name} has changed: draw it with POSTIL_DRAW=1 and look at it"
    return drawn


def curve_of(model, points):
    return postil.evaluate.learning_curve({"examples alone": postil.AROWClassifier(scale="standard"), "with rules": model}, *points, train=150, checkpoints=[0, 1, 5, 20, 150], runs=4)


def test_the_plane(model, points):
    whole = looks_as("plane", postil.plots.plane(model, *points))
    # The comparison sees what matters: without the boundary, a rule or the names it is another picture.
    for part in (lambda ax: ax.collections[-1].remove(), lambda ax: ax.patches[0].remove(), lambda ax: [text.remove() for text in list(ax.texts)], lambda ax: ax.get_legend().remove()):
        ax = postil.plots.plane(model, *points)
        part(ax)
        assert unlike(pixels(ax.figure), whole) > 0.004


def test_classes_with_rules_that_say_not(points):
    X, y = flowers()
    fitted = postil.AdviceClassifier(advice="small: length <= 2 => setosa\nbig: length >= 6 => not versicolor\nmid: length >= 3 and length <= 4 => versicolor").fit(X, y)
    looks_as("classes", postil.plots.plane(fitted, X, y))


def test_the_learning_curve(model, points):
    looks_as("curve", postil.plots.learning_curve(curve_of(model, points)))


def test_calibration(model, points):
    looks_as("reliability", postil.plots.reliability(model, *points))


def test_evidence_of_a_number():
    X, y = postil.datasets.make("diabetes", rows=1000, seed=7)
    found = postil.rules.repair("risk: bmi >= 30 and glucose >= 160 => diabetes", X, y)
    ax = postil.plots.evidence(found, 1)
    looks_as("evidence", ax)
    point = found["numbers"][1]["curve"][40]
    right = next(line for line in ax.lines if line.get_label().startswith("right"))
    assert right.get_ydata()[list(right.get_xdata()).index(point["number"])] == point["right"] / point["covered"]
    dates = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=300)})
    postil.plots.evidence(postil.rules.repair("day >= 2024-05-01 => late", dates, np.where(dates.day >= "2024-06-01", "late", "early")))


def test_rules_over_time(model, points):
    looks_as("influence", postil.plots.rule_influence(postil.evaluate.rule_history(model, *points, checkpoints=[0, 1, 10, 100, 300])))


# ---- what they show is so ----


def test_regions_are_where_rules_hold(points):
    X, y = points
    text = RULES + "slanted: x1 + x2 >= 4 and x1 <= 6 => not positive\nfar: not (x1 between 0 and 7) => positive\n"
    fitted = postil.RulesClassifier(advice=text).fit(X, y)
    limits = [(-3, 10), (-5, 9)]
    regions = list(postil.plots._regions(fitted, X, ["x1", "x2"], limits))
    somewhere = np.random.default_rng(1).uniform([-3, -5], [10, 9], (4000, 2))
    holds = postil.rules.holds(text, pd.DataFrame(somewhere, columns=["x1", "x2"]))
    for place, rule in enumerate(postil.rules.parse(text)):
        inside = np.zeros(len(somewhere), dtype=bool)
        for name, _, _, corners in regions:
            if name == rule.id:
                inside |= Path(corners).contains_points(somewhere)
        assert (inside == holds[:, place]).all() and inside.any()


def test_each_rule_has_its_name_in_its_region(model, points):
    X, y = points
    ax = postil.plots.plane(model, X, y)
    assert {text.get_text() for text in ax.texts} == {"below", "above", "myth"}
    for text in ax.texts:
        place = [rule.id for rule in postil.rules.parse(RULES)].index(text.get_text())
        assert postil.rules.holds(RULES, pd.DataFrame([text.xy], columns=["x1", "x2"]))[0, place]


def test_the_boundary_is_where_predictions_change(model, points):
    X, y = points
    ax = postil.plots.plane(model, X, y)
    boundary = np.vstack([path.vertices for path in ax.collections[-1].get_paths()])
    assert len(boundary) > 50
    step = np.array([0.0, 0.1])
    above, below = (model.predict(pd.DataFrame(boundary + way * step, columns=["x1", "x2"])) for way in (1, -1))
    assert (above != below).mean() > 0.98
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["negative", "positive", "boundary"]


def test_legends_stand_beside_the_data(model, points):
    history = postil.evaluate.rule_history(model, *points, checkpoints=[0, 10])
    for ax in (postil.plots.plane(model, *points), postil.plots.learning_curve(curve_of(model, points)), postil.plots.rule_influence(history)):
        ax.figure.canvas.draw()
        legend, data = ax.get_legend().get_window_extent(), ax.get_window_extent()
        assert legend.x0 >= data.x1 and legend.x1 <= ax.figure.bbox.x1  # outside, and on the paper


def test_axes_are_honest_and_their_numbers_plain(model, points):
    X, y = points
    curve = curve_of(model, points)
    ax = postil.plots.learning_curve(curve)
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= 100 * curve["error_mean"].max()
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "10", "100"]
    ax = postil.plots.reliability(model, X, y)
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (0, 1))
    big = X * [1e6, 1e-3]
    ax = postil.plots.plane(postil.AROWClassifier(scale="standard").fit(big, y), big, y)
    ax.figure.canvas.draw()
    numbers = [label.get_text() for axis in (ax.xaxis, ax.yaxis) for label in axis.get_ticklabels()]
    assert not any("e" in number or "×" in number for number in numbers) and ax.xaxis.get_offset_text().get_text() == ""
    assert ax.get_xlim()[0] < big["x1"].min() and ax.get_xlim()[1] > big["x1"].max()


def test_few_whole_numbers_are_drawn_with_jitter():
    X, y = flowers()
    ax = postil.plots.plane(postil.AROWClassifier(scale="standard").fit(X, y), X, y)
    drawn = np.vstack([part.get_offsets() for part in ax.collections[:3]])
    assert len(np.unique(drawn, axis=0)) == len(X) > len(np.unique(X, axis=0))
    assert np.abs(drawn - np.round(drawn)).max() <= 1 / 6
    assert list(ax.get_xticks()) == sorted(X["length"].unique())


def test_other_columns_stand_at_what_is_usual(points):
    X, y = points
    X = X.assign(colour=np.where(X["x1"] > 3, "red", "blue"), more=np.arange(len(X)) % 7)[["more", "colour", "x1", "x2"]]
    fitted = postil.AdviceClassifier(advice="below: x2 <= 0 => positive\nred: colour = red and x2 > 1 => not positive").fit(X, y)
    ax = postil.plots.plane(fitted, X, y, features=["x1", "x2"])
    assert [text.get_text() for text in ax.texts] == ["below"]  # the other speaks of more than the plane
    boundary = np.vstack([path.vertices for path in ax.collections[-1].get_paths()])
    usual = pd.DataFrame({"more": X["more"].median(), "colour": X["colour"].mode()[0], "x1": boundary[:, 0], "x2": boundary[:, 1]})
    assert np.abs(fitted.decision_function(usual)).max() < 0.5 or (np.sign(fitted.decision_function(usual.assign(x2=usual["x2"] + 0.1))) != np.sign(fitted.decision_function(usual.assign(x2=usual["x2"] - 0.1)))).mean() > 0.95
    with pytest.raises(ValueError, match="a plane has two features"):
        postil.plots.plane(fitted, X, y, features=["x1"])


def test_many_rules_are_told_apart():
    history = pd.DataFrame([(f"r{k}", examples, k + examples) for k in range(20) for examples in (0, 10)], columns=["rule", "examples", "influence"])
    ax = postil.plots.rule_influence(history)
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 20
