"""Draws learning curves, the plane of two features with rules and boundary, calibration, and rules over time.

Each function draws on the Axes given, or on a new figure, and returns the Axes. Needs matplotlib.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _data, _postil, rules

__all__ = ["evidence", "learning_curve", "plane", "reliability", "rule_influence"]

COLORS = ("#c2571a", "#1b6ca8", "#3b8f4f", "#8a4fa8", "#b8932a", "#7a7a7a")
LINES = ("-", "--", ":", "-.")
DISCRETE = 12  # values at most, all whole numbers


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _style(place):
    """As many lines as there are rules can be told apart."""
    return {"color": COLORS[place % len(COLORS)], "linestyle": LINES[place // len(COLORS) % len(LINES)], "marker": "."}


def _legend(ax, **options):
    """Beside the data, never on it."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False, **options)


def _examples_axis(ax, most):
    """0, 1, 10, 100, ... in plain numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    ax.set_xlabel("examples")
    ax.set_xlim(left=0)
    if most > 20:
        ax.set_xscale("symlog", linthresh=1)
        ax.xaxis.set_major_locator(FixedLocator([0, *(10**power for power in range(int(np.log10(most)) + 1))]))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xlim(0, most * 1.1)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _plain_numbers(axis):
    from matplotlib.ticker import ScalarFormatter

    formatter = ScalarFormatter(useOffset=False)
    formatter.set_scientific(False)
    axis.set_major_formatter(formatter)


def learning_curve(curve: Any, *, ax: Any = None) -> Any:
    """Draws the mean test error against examples, with a band of one standard error.

    Parameters
    ----------
    curve : DataFrame
        Of `postil.evaluate.learning_curve`.
    """
    ax = _axes(ax)
    for place, (name, part) in enumerate(curve.groupby("learner", sort=False)):
        style = _style(place)
        ax.plot(part["examples"], 100 * part["error_mean"], label=name, **style)
        spread = part["error_se"].fillna(0)
        ax.fill_between(part["examples"], 100 * (part["error_mean"] - spread), 100 * (part["error_mean"] + spread), color=style["color"], alpha=0.2, linewidth=0)
    _examples_axis(ax, curve["examples"].max())
    ax.set_ylim(0, max(1.05 * 100 * (curve["error_mean"] + curve["error_se"].fillna(0)).max(), 1))
    ax.set_ylabel("test error, %")
    _plain_numbers(ax.yaxis)
    _legend(ax)
    return ax


def reliability(model: Any, X: Any, y: Any, *, bins: int = 10, ax: Any = None) -> Any:
    """Draws how often the likeliest class is right against the probability given to it: on the diagonal, probabilities mean what they say.

    The size of a dot tells how many rows it stands for, its line the 95 % interval of the share.
    """
    ax = _axes(ax)
    shares = model.predict_proba(X)
    said = shares.max(axis=1)
    right = model.classes_[shares.argmax(axis=1)] == np.asarray(y)
    place = np.minimum((said * bins).astype(int), bins - 1)
    for k in np.unique(place):
        mine = place == k
        low, high = _wilson(right[mine].sum(), mine.sum())
        ax.plot([said[mine].mean()] * 2, [low, high], color=COLORS[1], linewidth=1, zorder=2)
        ax.scatter(said[mine].mean(), right[mine].mean(), s=20 + 200 * mine.mean(), color=COLORS[1], zorder=3, clip_on=False)
    ax.plot([0, 1], [0, 1], color=COLORS[5], linewidth=0.8, linestyle=":", zorder=1)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_aspect("equal")
    ax.set_xlabel("probability of the likeliest class")
    ax.set_ylabel("share of rows where it is right")
    return ax


def evidence(found: Any, number: int = 0, *, ax: Any = None) -> Any:
    """Draws what labelled rows say of a number in a rule: how often the rule would be right with other numbers, and on how many rows.

    The dotted line is the number as it is, the full one the number that fits best, the grey band its 95 % interval. The shaded curve below is the share of rows that the rule would cover.

    Parameters
    ----------
    found : Repairs
        Of `postil.rules.repair`.
    number : int
        Which of `found["numbers"]`, from 0.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    entry = found["numbers"][number]
    points = [point for point in entry["curve"] if point["covered"]]
    at, covered, right = (np.array([point[key] for point in points]) for key in ("number", "covered", "right"))
    if len(at) and isinstance(at[0], str):
        at = at.astype("datetime64[D]")
    ends = [_wilson(hits, count) for hits, count in zip(right, covered)]
    ax.fill_between(at, [low for low, _ in ends], [high for _, high in ends], step="mid", color=COLORS[1], alpha=0.2, linewidth=0)
    ax.step(at, right / covered, where="mid", color=COLORS[1], label="right, with its 95 % interval")
    ax.fill_between(at, covered / found["labelled"], step="mid", color=COLORS[5], alpha=0.35, linewidth=0, label="covers")
    low, high = (end if end is not None else edge for end, edge in zip((entry["low"], entry["high"]), (at.min(), at.max())))
    to_date = (lambda value: np.datetime64(value)) if at.dtype.kind == "M" else (lambda value: value)
    ax.axvspan(to_date(low), to_date(high), color="0.5", alpha=0.12, linewidth=0)
    ax.axvline(to_date(entry["number"]), color=COLORS[0], linestyle=":", linewidth=1.2, label="as it is")
    if entry["best"] is not None:
        ax.axvline(to_date(entry["best"]), color=COLORS[2], linewidth=1.2, label="fits best")
    ax.set_ylim(0, 1)
    ax.set_xlabel(f"number in {entry['rule']}: {entry['comparison']}")
    ax.set_ylabel("share of rows")
    ax.legend(frameon=False, fontsize="small")
    return ax


def _wilson(hits, count):
    """The interval that holds a share with probability 0.95 (Wilson 1927)."""
    share, z2 = hits / count, 1.96**2
    middle, half = (share + z2 / (2 * count)) / (1 + z2 / count), np.sqrt(z2 * (share * (1 - share) + z2 / (4 * count)) / count) / (1 + z2 / count)
    return middle - half, middle + half


def rule_influence(history: Any, *, what: str = "influence", ax: Any = None) -> Any:
    """Draws a column of the ledger, by rule, as examples came.

    Parameters
    ----------
    history : DataFrame
        Of `postil.evaluate.rule_history`.
    what : str, default='influence'
        The column: influence, precision, fired, ...
    """
    ax = _axes(ax)
    for place, (name, part) in enumerate(history.groupby("rule", sort=False)):
        ax.plot(part["examples"], part[what].astype(float), label=name, **_style(place))
    _examples_axis(ax, history["examples"].max())
    values = history[what].astype(float)
    if values.min() >= 0:
        ax.set_ylim(0, 1.03 if what in ("precision", "base_rate") else max(1.05 * values.max(), 1e-9))
    else:
        ax.axhline(0, color=COLORS[5], linewidth=0.8, linestyle=":")
    ax.set_ylabel(what.replace("_", " "))
    _plain_numbers(ax.yaxis)
    _legend(ax)
    return ax


# ---- the plane ----


def plane(model: Any, X: Any, y: Any, *, features: Any = None, limits: Any = None, ax: Any = None, resolution: int = 300) -> Any:
    """Draws data of two features, the regions where rules speak, and the boundary between the classes.

    Rules stand in the colour of the class they speak for; regions of rules that say "not" among several classes are hatched.
    Rules about other columns are not drawn. Columns of a few whole numbers are drawn with jitter.

    Parameters
    ----------
    model : fitted classifier
    X, y : the data
    features : two column names, optional
        Of more than two; the others stand at their medians, or at their most frequent value.
    limits : ((low, high), (low, high)), optional
        Of the two features; default: what the data span.
    """
    from matplotlib.lines import Line2D

    ax = _axes(ax)
    table = _table(model, X)
    features = list(table.columns[:2]) if features is None else list(features)
    if len(features) != 2:
        raise ValueError(f"a plane has two features, found {len(features)}")
    values = table[features].to_numpy(dtype=np.float64)
    limits = _limits(values) if limits is None else limits
    classes = model.classes_.tolist()
    colors = [COLORS[place % len(COLORS)] for place in range(len(classes))]
    if getattr(model, "advice", None):
        _draw_rules(ax, _regions(model, X, features, limits), [str(value) for value in classes], colors)
    shown = _jittered(values)
    for place, value in enumerate(classes):
        chosen = np.asarray(y) == value
        ax.scatter(*shown[chosen].T, s=12, color=colors[place], alpha=0.7, label=str(value), linewidths=0)
    grid = np.meshgrid(*(np.linspace(*limits[k], resolution) for k in range(2)))
    for margin in _margins(model, table, features, grid):
        if margin.min() < 0 < margin.max():
            ax.contour(*grid, margin, levels=[0], colors="black", linewidths=1.5)
    ax.set_xlim(limits[0])
    ax.set_ylim(limits[1])
    for axis, name, column in ((ax.xaxis, features[0], values[:, 0]), (ax.yaxis, features[1], values[:, 1])):
        axis.set_label_text(name)
        if _discrete(column):
            axis.set_ticks(np.unique(column[~np.isnan(column)]))
        _plain_numbers(axis)
    handles = ax.get_legend_handles_labels()[0]
    _legend(ax, handles=[*handles, Line2D([], [], color="black", linewidth=1.5, label="boundary")])
    return ax


def _table(model, X):
    """The data as a frame with the names that the model knows."""
    import pandas as pd

    if _data.is_pandas(X):
        return X.rename(columns=str)
    if _data.is_sparse(X):
        X = X.toarray()
    if hasattr(X, "to_pandas"):
        return X.to_pandas()
    return pd.DataFrame(np.asarray(X, dtype=np.float64), columns=list(model._engine.column_names) or None).rename(columns=str)


def _discrete(column):
    known = np.unique(column[~np.isnan(column)])
    return 0 < len(known) <= DISCRETE and bool((known == np.round(known)).all())


def _jittered(values):
    """So that points of one place are seen as several: up to a sixth of a step aside."""
    out, draw = values.copy(), np.random.default_rng(0)
    for k in range(2):
        if _discrete(values[:, k]):
            out[:, k] += draw.uniform(-1 / 6, 1 / 6, len(out))
    return out


def _limits(values):
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    beside = [0.4 if _discrete(values[:, k]) else 0.05 * ((high[k] - low[k]) or 1) for k in range(2)]
    return [(low[k] - beside[k], high[k] + beside[k]) for k in range(2)]


def _margins(model, table, features, grid):
    """Surfaces that are 0 on the boundary: the score of two classes; of more, how far each is ahead of the others."""
    import pandas as pd

    usual = {name: column.median() if pd.api.types.is_numeric_dtype(column) else column.mode().iloc[0] for name, column in table.items()}
    columns = {name: grid[features.index(name)].ravel() if name in features else [usual[name]] * grid[0].size for name in table.columns}
    points = pd.DataFrame(columns)[list(model._engine.column_names) or list(columns)]
    scores = model._engine.scores(model._model_rows(points.to_numpy() if all(map(pd.api.types.is_numeric_dtype, points.dtypes)) else points))
    if scores.shape[1] == 1:
        yield scores[:, 0].reshape(grid[0].shape)
        return
    for k in range(scores.shape[1]):
        yield (scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)).reshape(grid[0].shape)


# ---- where rules speak ----


def _regions(model, X, features, limits):
    """The polygons in the plane where each rule speaks: (rule, class, whether it says yes, corners)."""
    text, source = rules.read(model.advice)
    rows = _data.rows_of(X, None if _data.is_frame(X) else list(model._engine.column_names))
    known = [str(name) for name in model._engine.classes]
    shown = json.loads(_postil.show_rules(text, source, rows, {"classes": known, "missing": "mean", "positive": known[model._engine.positive] if len(known) == 2 else ""}))
    places = [shown["features"].index(name) for name in features]
    (left, right), (bottom, top) = limits
    for advice in shown["sets"]:
        corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]], dtype=float)
        for row, bound, equal in zip(advice["D"], advice["d"], advice["equality"]):
            if any(value != 0 for place, value in enumerate(row) if place not in places):
                corners = corners[:0]  # it speaks of more than the plane
            normal = np.array([row[place] for place in places])
            corners = _cut(corners, normal, bound)
            corners = _cut(corners, -normal, -bound) if equal else corners
        if len(corners):
            yield advice["rule"], advice["class"], advice["z"] > 0, corners


def _cut(corners, normal, bound):
    """What of a convex polygon lies where normal'x <= bound (Sutherland and Hodgman 1974)."""
    beyond = corners @ normal - bound
    out = []
    for k in range(len(corners)):
        after = (k + 1) % len(corners)
        if beyond[k] <= 0:
            out.append(corners[k])
        if beyond[k] * beyond[after] < 0:
            out.append(corners[k] + (corners[after] - corners[k]) * beyond[k] / (beyond[k] - beyond[after]))
    return np.array(out).reshape(-1, 2)


def _area_and_middle(corners):
    following = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1]
    area = cross.sum() / 2
    return abs(area), ((corners + following) * cross[:, None]).sum(axis=0) / (6 * area) if area else corners.mean(axis=0)


def _draw_rules(ax, regions, classes, colors):
    largest = {}  # a rule may speak in several regions: its name stands in the largest
    for name, about, yes, corners in regions:
        place = classes.index(about) if about in classes else 0
        if not yes and len(classes) == 2:
            place, yes = 1 - place, True
        area, middle = _area_and_middle(corners)
        ax.fill(*corners.T, facecolor=colors[place] if yes else "none", alpha=0.15, edgecolor=colors[place], hatch=None if yes else "///", linewidth=0)
        ax.plot(*np.vstack([corners, corners[:1]]).T, color=colors[place], linestyle="dashed", linewidth=1)
        if area >= largest.get(name, (-1,))[0]:
            largest[name] = area, middle, colors[place]
    taken = []
    for name, (_, middle, color) in largest.items():
        above = 9 * sum(bool(np.allclose(middle, other)) for other in taken)  # points; rules about one region
        taken.append(middle)
        box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "alpha": 0.75, "linewidth": 0}
        ax.annotate(name, middle, (0, above), textcoords="offset points", color=color, fontsize="small", fontweight="bold", ha="center", va="center", bbox=box, zorder=5)
