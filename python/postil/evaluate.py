"""Learning curves, the history of rules, and answers only where a model is sure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

__all__ = ["abstain", "learning_curve", "risk_coverage", "rule_history"]


def abstain(model: Any, X: Any, *, below: float) -> np.ndarray:
    """Labels where the model is sure: the likeliest class, or None where its probability is smaller than `below`.

    Works with every classifier that has `predict_proba` and `classes_`.
    """
    if not 0 <= below <= 1:
        raise ValueError(f"below={below}; expected a probability from 0 to 1")
    probabilities = np.asarray(model.predict_proba(X))
    labels = np.asarray(model.classes_).astype(object)[probabilities.argmax(axis=1)]
    labels[probabilities.max(axis=1) < below] = None
    return labels


def risk_coverage(model: Any, X: Any, y: Any, *, shares: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)) -> pandas.DataFrame:
    """The error on the surest rows: how much better a model is that need not answer all of them.

    Rows that are equally sure are answered together, so that the coverage may be more than the share asked for.

    Returns
    -------
    DataFrame
        coverage (share of the rows answered), answered, below (the value of `abstain` that answers them), error
    """
    import pandas as pd

    probabilities, y = np.asarray(model.predict_proba(X)), np.asarray(y)
    sure = probabilities.max(axis=1)
    wrong = np.asarray(model.classes_)[probabilities.argmax(axis=1)] != y
    table = []
    for share in shares:
        if not 0 < share <= 1:
            raise ValueError(f"shares has {share}; expected shares above 0 and at most 1")
        below = np.sort(sure)[::-1][int(np.ceil(share * len(y) - 1e-9)) - 1]
        answered = sure >= below
        table.append((answered.mean(), int(answered.sum()), below, wrong[answered].mean()))
    return pd.DataFrame(table, columns=["coverage", "answered", "below", "error"])


def _checkpoints(rows):
    """0, 1, 2, 5, 10, 20, 50, ... and the last."""
    steps = [factor * 10**power for power in range(9) for factor in (1, 2, 5)]
    return [0, *(step for step in steps if step < rows), rows]


def _fitted(model):
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _error(model, X, y):
    return 1 - model.score(X, y)


def _one_run(models, X, y, learned, tested, checkpoints):
    """Test errors of each model at the checkpoints; NaN before it can predict."""
    from sklearn.base import clone

    take = X.iloc.__getitem__ if hasattr(X, "iloc") else X.__getitem__
    test, classes = (take(tested), y[tested]), np.unique(y)
    errors = {name: np.full(len(checkpoints), np.nan) for name in models}
    for name, model in models.items():
        fresh = clone(model)
        online = hasattr(fresh, "partial_fit")
        if hasattr(fresh, "expect"):
            fresh.expect(X, classes)
        done = 0
        for place, step in enumerate(checkpoints):
            if online and step > done:
                part = learned[done:step]
                fresh.partial_fit(take(part), y[part], **({} if hasattr(fresh, "expect") else {"classes": classes}))
            elif step > 0 and len(np.unique(y[learned[:step]])) > 1:
                fresh.fit(take(learned[:step]), y[learned[:step]])
            done = step
            if _fitted(fresh):
                errors[name][place] = _error(fresh, *test)
    return errors


def _order(draw, rows, train, groups):
    """Rows to learn from and rows to test on, in random order; the rows of a group are on one side."""
    if groups is None:
        order = draw.permutation(rows)
        return order[:train], order[train:]
    names, of_row = np.unique(groups, return_inverse=True)
    drawn = draw.permutation(len(names))
    order = np.argsort(np.argsort(drawn)[of_row], kind="stable")  # group by group
    end = np.flatnonzero(np.diff(np.argsort(drawn)[of_row[order]], prepend=-1, append=-1))  # where groups begin and end
    cut = end[np.searchsorted(end, train)]
    if cut == rows:
        raise ValueError(f"train={train} rows need all {len(names)} groups, so that none is left to test; expected fewer rows or more groups")
    return draw.permutation(order[:cut])[:train], order[cut:]


def learning_curve(
    models: dict[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    train: int | None = None,
    checkpoints: list[int] | None = None,
    runs: int = 20,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pandas.DataFrame:
    """Test error after so many examples, over random splits that are the same for all models.

    Parameters
    ----------
    models : dict of name: classifier
        Learned from anew in each run; what they know of test rows is nothing.
    X, y : frame or array, labels
        The data.
    groups : array, optional
        The group of each row, such as a patient. Rows of one group are never both learned from and tested.
    train : int, optional
        Rows to learn from in each run, the others test; default: half of them.
    checkpoints : list of int, optional
        Numbers of examples; 0 is what the rules alone say. Default: 0, 1, 2, 5, 10, ...
    runs : int
        Random splits.
    random_state : int
        Seed of the first.
    n_jobs : int, optional
        Runs at a time, as in scikit-learn: -1 is one for each CPU. The answer does not depend on it.

    Returns
    -------
    DataFrame
        learner, examples, error_mean, error_se (the standard error of the mean), runs
    """
    import pandas as pd
    from joblib import Parallel, delayed

    y = np.asarray(y)
    rows = len(y)
    train = rows // 2 if train is None else train
    if not 0 < train < rows:
        raise ValueError(f"train={train}; expected between 1 and {rows - 1} rows, so that some are left to test")
    checkpoints = sorted({min(step, train) for step in (_checkpoints(train) if checkpoints is None else checkpoints)})
    if groups is not None:
        groups = np.asarray(groups)
        if groups.shape != (rows,):
            raise ValueError(f"groups has the shape {groups.shape}; expected one group for each of the {rows} rows")
    orders = (_order(np.random.default_rng([random_state, run]), rows, train, groups) for run in range(runs))
    found = Parallel(n_jobs=n_jobs)(delayed(_one_run)(models, X, y, *order, checkpoints) for order in orders)
    errors = {name: np.array([part[name] for part in found]) for name in models}
    table = []
    for name, values in errors.items():
        for place, step in enumerate(checkpoints):
            known = values[~np.isnan(values[:, place]), place]
            deviation = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.nan
            table.append((name, step, known.mean() if len(known) else np.nan, deviation, len(known)))
    return pd.DataFrame(table, columns=["learner", "examples", "error_mean", "error_se", "runs"])


def rule_history(model: Any, X: Any, y: Any, *, checkpoints: list[int] | None = None) -> pandas.DataFrame:
    """The ledger as it grew: learns from the rows in order, from the beginning, and looks at it at the checkpoints.

    Returns
    -------
    DataFrame
        examples, rule, and the columns of `ledger()`
    """
    import pandas as pd
    from sklearn.base import clone

    y = np.asarray(y)
    take = X.iloc.__getitem__ if hasattr(X, "iloc") else X.__getitem__
    checkpoints = sorted({min(step, len(y)) for step in (_checkpoints(len(y)) if checkpoints is None else checkpoints)})
    fresh = clone(model).expect(X, np.unique(y))
    done, parts = 0, []
    for step in checkpoints:
        if step > done:
            fresh.partial_fit(take(slice(done, step)), y[done:step])
            done = step
        if fresh.__sklearn_is_fitted__():
            ledger = fresh.ledger().reset_index(names="rule")
            ledger.insert(0, "examples", step)
            parts.append(ledger)
    return pd.concat(parts, ignore_index=True)
