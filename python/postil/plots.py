"""Pictures: learning curves with bands, the plane with data, rules and the line, the influence of rules over time.

Each draws on the Axes given, or on a new figure, and returns the Axes. Needs matplotlib.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _data, _postil, rules

__all__ = ["learning_curve", "plane", "reliability", "rule_influence"]

COLORS = ("#c2571a", "#1b6ca8", "#3b8f4f", "#8a4fa8", "#b8932a", "#7a7a7a")


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def learning_curve(curve: Any, *, ax: Any = None) -> Any:
    """Mean test error against examples, with a band of one standard error. `curve`: of postil.evaluate.learning_curve."""
    ax = _axes(ax)
    for place, (name, part) in enumerate(curve.groupby("learner", sort=False)):
        color = COLORS[place % len(COLORS)]
        ax.plot(part["examples"], 100 * part["error_mean"], label=name, color=color, marker=".")
        spread = part["error_se"].fillna(0)
        ax.fill_between(part["examples"], 100 * (part["error_mean"] - spread), 100 * (part["error_mean"] + spread), color=color, alpha=0.2, linewidth=0)
    if curve["examples"].max() > 20:
        ax.set_xscale("symlog", linthresh=1)
    ax.set_xlabel("examples")
    ax.set_ylabel("test error, %")
    ax.legend()
    return ax


def reliability(model: Any, X: Any, y: Any, *, bins: int = 10, ax: Any = None) -> Any:
    """How often the likeliest class is right, against the probability given to it: on the diagonal, probabilities mean what they say.

    The size of a dot tells how many rows it stands for.
    """
    ax = _axes(ax)
    shares = model.predict_proba(X)
    said = shares.max(axis=1)
    right = model.classes_[shares.argmax(axis=1)] == np.asarray(y)
    place = np.minimum((said * bins).astype(int), bins - 1)
    for k in np.unique(place):
        mine = place == k
        ax.scatter(said[mine].mean(), right[mine].mean(), s=20 + 200 * mine.mean(), color=COLORS[1], zorder=2)
    ax.plot([1 / shares.shape[1], 1], [1 / shares.shape[1], 1], color=COLORS[5], linewidth=0.8, linestyle=":", zorder=1)
    ax.set_xlabel("probability of the likeliest class")
    ax.set_ylabel("share of rows where it is right")
    return ax


def rule_influence(history: Any, *, what: str = "influence", ax: Any = None) -> Any:
    """A column of the ledger, by rule, as examples came. `history`: of postil.evaluate.rule_history."""
    ax = _axes(ax)
    for place, (name, part) in enumerate(history.groupby("rule", sort=False)):
        ax.plot(part["examples"], part[what].astype(float), label=name, color=COLORS[place % len(COLORS)], marker=".")
    ax.set_xscale("symlog", linthresh=1)
    ax.set_xlabel("examples")
    ax.set_ylabel(what)
    ax.legend()
    return ax


def _regions(model, X, features, grid):
    """Where in the plane each rule speaks: (class, says yes, mask)."""
    text, source = rules.read(model.advice)
    names = list(model._engine.column_names)
    rows = _data.rows_of(X, None if _data.is_frame(X) else names)
    known = [str(name) for name in model._engine.classes]
    shown = json.loads(_postil.show_rules(text, source, rows, {"classes": known, "missing": "mean", "positive": known[model._engine.positive] if len(known) == 2 else ""}))
    places = [shown["features"].index(name) for name in features]
    for advice in shown["sets"]:
        inside = np.ones(grid[0].shape, dtype=bool)
        for row, bound in zip(advice["D"], advice["d"]):
            others = [value for place, value in enumerate(row) if place not in places and value != 0]
            if others:
                inside[:] = False  # it speaks of more than the plane
                break
            inside &= row[places[0]] * grid[0] + row[places[1]] * grid[1] <= bound
        yield advice["class"], advice["z"] > 0, inside


def plane(model: Any, X: Any, y: Any, *, features: Any = None, limits: Any = None, ax: Any = None, resolution: int = 300) -> Any:
    """Data of two features, the regions where rules speak, and the line between the classes, as in the papers' Figure 1.

    Parameters
    ----------
    model : fitted classifier
    X, y : the data
    features : two column names, optional
        Of more than two; the others stand at their medians.
    limits : ((low, high), (low, high)), optional
        Of the two features; default: what the data span.
    """
    ax = _axes(ax)
    names = list(model._engine.column_names)
    features = names[:2] if features is None else list(features)
    if len(features) != 2:
        raise ValueError(f"a plane has two features, found {len(features)}")
    places = [names.index(name) for name in features]
    values = np.asarray(X, dtype=np.float64)
    low, high = values[:, places].min(axis=0), values[:, places].max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1)
    limits = [(low[k] - margin[k], high[k] + margin[k]) for k in range(2)] if limits is None else limits
    grid = np.meshgrid(*(np.linspace(*limits[k], resolution) for k in range(2)))
    classes = model.classes_.tolist()
    if getattr(model, "advice", None):
        for name, yes, inside in _regions(model, X, features, grid):
            shade = [str(value) for value in classes].index(name) if name in [str(value) for value in classes] else 0
            if not yes and len(classes) == 2:
                shade = 1 - shade
            ax.contourf(*grid, inside.astype(float), levels=[0.5, 1.5], colors=[COLORS[shade % len(COLORS)]], alpha=0.15)
            ax.contour(*grid, inside.astype(float), levels=[0.5], colors=[COLORS[shade % len(COLORS)]], linestyles="dashed", linewidths=1)
    for place, value in enumerate(classes):
        chosen = np.asarray(y) == value
        ax.scatter(values[chosen, places[0]], values[chosen, places[1]], s=12, color=COLORS[place % len(COLORS)], alpha=0.7, label=str(value), linewidths=0)
    points = np.tile(np.median(values, axis=0), (grid[0].size, 1))
    points[:, places[0]], points[:, places[1]] = grid[0].ravel(), grid[1].ravel()
    scores = model._engine.scores(model._model_rows(points))
    predicted = model._predicted(scores)
    for value in classes[1:] if len(classes) == 2 else classes:
        ax.contour(*grid, (predicted == value).reshape(grid[0].shape).astype(float), levels=[0.5], colors="black", linewidths=1.5)
    ax.set_xlabel(features[0])
    ax.set_ylabel(features[1])
    ax.legend()
    return ax
