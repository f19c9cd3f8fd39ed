"""Rules from decision trees and forests of scikit-learn: the paths to leaves that are worth being told."""

from __future__ import annotations

import math
from typing import Any

from . import _errors, _postil
from ._rule_builder import _name, _number, _word


def _rounded(threshold: float, digits: int) -> float:
    """To so many digits that count; thresholds lie between values that were seen, and have more digits than they are worth."""
    if threshold == 0 or not math.isfinite(threshold):
        return threshold
    return round(threshold, digits - 1 - math.floor(math.log10(abs(threshold))))


def _paths(tree: Any):
    """Leaves of a tree, each with the bounds on the way: {feature: (above, at most)}."""
    open_nodes: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
    while open_nodes:
        node, bounds = open_nodes.pop()
        left, right = tree.children_left[node], tree.children_right[node]
        if left == right:
            yield node, bounds
            continue
        feature, threshold = tree.feature[node], tree.threshold[node]
        above, most = bounds.get(feature, (-math.inf, math.inf))
        open_nodes.append((right, {**bounds, feature: (max(above, threshold), most)}))
        open_nodes.append((left, {**bounds, feature: (above, min(most, threshold))}))


def _condition(bounds: dict[int, tuple[float, float]], names: list[str], digits: int) -> str:
    parts = []
    for feature in sorted(bounds):
        above, most = (_rounded(bound, digits) for bound in bounds[feature])
        if math.isfinite(above):
            parts.append(f"{_name(names[feature])} > {_number(above)}")
        if math.isfinite(most):
            parts.append(f"{_name(names[feature])} <= {_number(most)}")
    return " and ".join(parts)


def from_tree(model: Any, feature_names: Any = None, *, class_names: Any = None, support: int = 10, precision: float = 0.8, digits: int = 3, most: int | None = None):
    """Rules from a fitted tree or forest of scikit-learn, best first.

    Parameters
    ----------
    model : fitted classifier
        A DecisionTreeClassifier, or an ensemble of such with `estimators_`.
    feature_names : list of str, optional
        Names of the columns; not given: those it was fitted with.
    class_names : list, optional
        What to call the classes; not given: `model.classes_`.
    support : int
        Leaves with fewer training rows are left out.
    precision : float
        Leaves whose commonest class has a smaller share are left out. The share becomes how sure the rule is, the rows its weight.
    digits : int
        Thresholds are rounded to so many digits that count.
    most : int, optional
        Only so many rules, those of the most rows that they get right beyond the class's own share.
    """
    from .rules import parse

    trees = [estimator for estimator in getattr(model, "estimators_", [model])]
    if not all(hasattr(tree, "tree_") for tree in trees) or not hasattr(model, "classes_"):
        raise _errors.ParamError(f"from_tree needs a fitted tree or forest of scikit-learn that predicts classes, not {type(model).__name__}")
    columns = trees[0].tree_.n_features
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"f{j + 1}" for j in range(columns)])
    names = [str(name) for name in feature_names]
    classes = list(model.classes_ if class_names is None else class_names)
    if len(names) != columns or len(classes) != len(model.classes_):
        raise _errors.ParamError(f"the model has {columns} columns and {len(model.classes_)} classes, but there are {len(names)} and {len(classes)} names")
    found: dict[str, tuple[float, float, float, Any]] = {}
    for estimator in trees:
        tree = estimator.tree_
        base = tree.value[0][0] / tree.value[0][0].sum()
        for node, bounds in _paths(tree):
            shares = tree.value[node][0] / tree.value[node][0].sum()
            best, rows = int(shares.argmax()), int(tree.n_node_samples[node])
            condition = _condition(bounds, names, digits)
            if not condition or rows < support or shares[best] < precision:
                continue
            gain = rows * (shares[best] - base[best])
            if condition not in found or found[condition][0] < gain:
                found[condition] = (gain, shares[best], rows, classes[best])
    kept = sorted(found.items(), key=lambda item: -item[1][0])[:most]
    lines = [f"r{k + 1} [sure = {_number(round(100 * share, 1))}% of {rows}]: {condition} => {_word(_plain(says))}" for k, (condition, (_, share, rows, says)) in enumerate(kept)]
    return parse(lines)


def _plain(value: Any) -> Any:
    """A class as the language spells it."""
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, str) else float(_postil.canonical_label(str(int(value) if isinstance(value, bool) else value)))
