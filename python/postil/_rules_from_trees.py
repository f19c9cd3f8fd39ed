"""Rules from decision trees and forests of scikit-learn: the paths to leaves that are worth being told."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from . import _errors
from ._rule_builder import _name, _number, _word


@dataclasses.dataclass(frozen=True)
class _Range:
    """What the splits on the way leave of a column."""

    above: float = -math.inf
    most: float = math.inf
    missing: bool = True  # a missing value comes this way

    def left(self, threshold, missing):
        return _Range(self.above, min(self.most, threshold), self.missing and missing)

    def right(self, threshold, missing):
        return _Range(max(self.above, threshold), self.most, self.missing and missing)

    def holds(self, x: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(x), self.missing, (x > self.above) & (x <= self.most))


def _paths(tree: Any, gaps: bool):
    """Leaves of a tree, each with what is left of the columns on the way. `gaps`: it was fitted on rows with missing values."""
    goes_left = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count))
    splits = tree.children_left != tree.children_right
    knows_missing = gaps or bool(np.any(goes_left[splits]) or np.any(np.isinf(tree.threshold[splits])))
    open_nodes: list[tuple[int, dict[int, _Range]]] = [(0, {})]
    while open_nodes:
        node, ranges = open_nodes.pop()
        if not splits[node]:
            yield node, ranges
            continue
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        here = ranges.get(feature, _Range(missing=knows_missing))
        open_nodes.append((tree.children_right[node], {**ranges, feature: here.right(threshold, not goes_left[node])}))
        open_nodes.append((tree.children_left[node], {**ranges, feature: here.left(threshold, bool(goes_left[node]))}))


def _rounded(threshold: float, digits: int, column: np.ndarray | None) -> float:
    """The shortest number that leaves every row on its side; without rows, so many digits that count."""
    if threshold == 0 or not math.isfinite(threshold):
        return threshold
    place = math.floor(math.log10(abs(threshold)))
    if column is None:
        return round(threshold, digits - 1 - place)
    for count in range(1, 18):
        shorter = round(threshold, count - 1 - place)
        if np.array_equal(column <= shorter, column <= threshold):
            return shorter
    return threshold


def _condition(ranges: dict[int, _Range], names: list[str]) -> str:
    parts = []
    for feature in sorted(ranges):
        name, here = _name(names[feature]), ranges[feature]
        if math.isinf(here.above) and here.above > 0:  # beyond every number
            parts.append(f"{name} is missing")
            continue
        sides = [f"{name} > {_number(here.above)}"] if math.isfinite(here.above) else []
        sides += [f"{name} <= {_number(here.most)}"] if math.isfinite(here.most) else []
        if not here.missing:
            parts += sides or [f"{name} is known"]
        elif sides:
            parts.append(f"({'(' * (len(sides) > 1)}{' and '.join(sides)}{')' * (len(sides) > 1)} or {name} is missing)")
    return " and ".join(parts)


@dataclasses.dataclass
class _Model:
    """What a fitted model has to do with rules: its trees, names, and the rows to count with, if there are any."""

    trees: list
    names: list[str]
    classes: list
    rows: np.ndarray | None
    labels: np.ndarray | None  # places in classes

    def share_of_classes(self, tree) -> np.ndarray:
        counts = tree.value[0][0] if self.labels is None else np.bincount(self.labels, minlength=len(self.classes))
        return counts / counts.sum()

    def counts(self, tree, node, ranges) -> np.ndarray:
        """Rows of each class in a leaf: on the rows, or as the tree has them."""
        if self.rows is None:
            return tree.value[node][0] / tree.value[node][0].sum() * tree.n_node_samples[node]
        there = np.ones(len(self.rows), dtype=bool)
        for feature, here in ranges.items():
            there &= here.holds(self.rows[:, feature])
        return np.bincount(self.labels[there], minlength=len(self.classes))

    def rounded(self, ranges, digits) -> dict[int, _Range]:
        out = {}
        for feature, here in ranges.items():
            column = None if self.rows is None else self.rows[:, feature]
            above, most = _rounded(here.above, digits, column), _rounded(here.most, digits, column)
            out[feature] = _Range(above, most, here.missing) if above < most else here
        return out


def _understood(model, feature_names, X, y, class_names) -> _Model:
    trees = list(getattr(model, "estimators_", [model]))
    if not all(hasattr(tree, "tree_") for tree in trees) or not hasattr(model, "classes_") or getattr(model, "n_outputs_", 1) != 1:
        raise _errors.ParamError(f"from_tree needs a fitted tree or forest of scikit-learn that predicts one label of classes, not {type(model).__name__}")
    columns = trees[0].tree_.n_features
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"f{j + 1}" for j in range(columns)])
    names = [str(name) for name in feature_names]
    classes = [_plain(name) for name in (model.classes_ if class_names is None else class_names)]
    if len(names) != columns or len(classes) != len(model.classes_):
        raise _errors.ParamError(f"the model has {columns} columns and {len(model.classes_)} classes, but there are {len(names)} and {len(classes)} names")
    if (X is None) != (y is None):
        raise _errors.ParamError("X and y are given together, or neither")
    weighted = getattr(model, "class_weight", None) is not None or hasattr(model, "estimator_weights_")
    weighted |= trees[0] is model and not math.isclose(model.tree_.weighted_n_node_samples[0], model.tree_.n_node_samples[0])
    if X is None and weighted:
        raise _errors.ParamError("the model was fitted with weights, and its shares are not shares of rows: give X and y, to count them again")
    rows = None if X is None else np.asarray(X, dtype=np.float64)
    return _Model(trees, names, classes, rows, None if y is None else np.searchsorted(model.classes_, np.asarray(y)))


def from_tree(model: Any, feature_names: Any = None, *, X: Any = None, y: Any = None, class_names: Any = None, support: int = 10, precision: float = 0.8, digits: int = 6, most: int | None = None):
    """Rules from a fitted tree or forest of scikit-learn, best first.

    Parameters
    ----------
    model : fitted classifier
        A DecisionTreeClassifier, or an ensemble of such with `estimators_`.
    feature_names : list of str, optional
        Names of the columns; not given: those it was fitted with.
    X, y : array or frame, and labels, optional
        Rows to count with, best those it was fitted on, and needed if these have missing values: thresholds are then the shortest numbers that leave every row on its side, and how sure a rule is, is how often it is right on them. A model with weights needs them.
    class_names : list, optional
        What to call the classes; not given: `model.classes_`.
    support : int
        Leaves with fewer rows are left out.
    precision : float
        Leaves whose commonest class has a smaller share are left out. The share becomes how sure the rule is, the rows its weight.
    digits : int
        Without X, thresholds are rounded to so many digits that count.
    most : int, optional
        Only so many rules, those of the most rows that they get right beyond the class's own share.
    """
    from .rules import parse

    if not (support >= 1 and 0 <= precision <= 1 and digits >= 1):
        raise _errors.ParamError(f"support={support}, precision={precision}, digits={digits}; expected support >= 1, precision from 0 to 1, digits >= 1")
    told = _understood(model, feature_names, X, y, class_names)
    gaps = told.rows is not None and bool(np.isnan(told.rows).any())
    found: dict[str, tuple[float, float, int, Any]] = {}  # by condition: gain, share, rows, class
    for estimator in told.trees:
        tree = estimator.tree_
        base = told.share_of_classes(tree)
        for node, exact in _paths(tree, gaps):
            ranges = told.rounded(exact, digits)
            counts = told.counts(tree, node, ranges)
            count, best = round(counts.sum()), int(counts.argmax())
            condition = _condition(ranges, told.names)
            if not condition or count < support or counts[best] < precision * count:
                continue
            share = float(counts[best]) / count
            gain = count * (share - base[best])
            if condition not in found or found[condition][0] < gain:
                found[condition] = (gain, share, count, told.classes[best])
    kept = sorted(found.items(), key=lambda item: -item[1][0])[:most]
    return parse([f"r{k + 1} [sure = {_number(round(100 * share, 1))}% of {count}]: {condition} => {_word(says)}" for k, (condition, (_, share, count, says)) in enumerate(kept)])


def _plain(value: Any) -> Any:
    """A class as the package spells it: truth values as True and False."""
    value = value.item() if hasattr(value, "item") else value
    return str(value) if isinstance(value, bool) else value
