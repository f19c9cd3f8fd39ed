"""What else can be done with rules, a few labels and rows without labels: the usual ways, with scikit-learn. All give the probability of +1."""

import functools
import warnings

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

WORTH = 10  # labels that the rules' votes on each side count for, as in `advised`


def base_rate(y):
    """Of +1, shrunk towards one half as `advised` shrinks it."""
    plus, minus = np.sum(y > 0), np.sum(y < 0)
    return 1 / (1 + ((minus + 1) / (plus + 1)) ** (len(y) / (len(y) + 5)))


def _fitted(model, x, y, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x, y, sample_weight=weights)


def _probability(model, x, y, test, weights=None):
    """Where there is one class only, nothing can be fitted: its base rate."""
    if len(set(np.asarray(y) > 0)) < 2:
        return np.full(len(test), base_rate(np.asarray(y)))
    return _fitted(model, x, y, weights).predict_proba(test)[:, 1]


def with_rule_columns(make, x, votes, labelled, y, pool, test):
    """A learner over the columns of the rows, one more for each rule, and their vote."""
    columns = np.c_[x, votes, np.sign(votes.sum(1))]
    return _probability(make(), columns[labelled], y, columns[test])


def pseudo_labels(worth, x, votes, labelled, y, pool, test):
    """Logistic regression over the columns; the votes stand for labels where there are none, each side for `worth` of them (None: each vote for one)."""
    vote = np.sign(votes.sum(1))
    pool = np.setdiff1d(pool, labelled)
    voted = pool[vote[pool] != 0]
    sides = {sign: np.sum(vote[voted] == sign) for sign in (1.0, -1.0)}
    weights = np.r_[np.ones(len(labelled)), [1 if worth is None else worth / sides[sign] for sign in vote[voted]]]
    return _probability(LogisticRegression(max_iter=500), x[np.r_[labelled, voted]], np.r_[y, vote[voted]], x[test], weights)


def posterior(votes, known, rounds=50):
    """How likely +1 is, from votes that are independent given the class: each rule's frequencies of +1, -1 and silence in either class, by expectation and maximisation.

    Rows whose class is known (`known` is not 0) keep it. A rule begins as one that is right in 7 of 10 cases.
    """
    kinds = [votes == sign for sign in (1, 0, -1)]
    p = np.where(known != 0, known > 0, 0.5 + 0.2 * np.sign(votes.sum(1)))
    for _ in range(rounds):
        rate = (p.sum() + 1) / (len(p) + 2)
        score = np.full(len(p), np.log(rate / (1 - rate)))
        for kind in kinds:
            yes, no = (p @ kind + 1) / (p.sum() + 3), ((1 - p) @ kind + 1) / ((1 - p).sum() + 3)
            score += kind @ np.log(yes / no)
        p = np.where(known != 0, known > 0, 1 / (1 + np.exp(-np.clip(score, -30, 30))))
    return p


def label_model(x, votes, labelled, y, pool, test):
    """Votes are weighed by a model of how good each rule is; a logistic regression learns from what it makes of the rows on which any rule holds."""
    rows = np.r_[labelled, np.setdiff1d(pool, labelled)]
    known = np.r_[y, np.zeros(len(rows) - len(labelled))]
    p = posterior(votes[rows], known)
    use = (known != 0) | (votes[rows] != 0).any(1)
    rows, p = rows[use], p[use]
    weights = np.r_[p, 1 - p] + 1e-9
    return _probability(LogisticRegression(max_iter=500), x[np.r_[rows, rows]], np.r_[np.ones(len(rows)), -np.ones(len(rows))], x[test], weights)


PEERS = {
    "logistic regression": functools.partial(with_rule_columns, functools.partial(LogisticRegression, max_iter=500)),
    "pseudo-labels": functools.partial(pseudo_labels, None),
    "pseudo-labels, weighed": functools.partial(pseudo_labels, WORTH),
    "label model": label_model,
    "forest": functools.partial(with_rule_columns, functools.partial(RandomForestClassifier, 200, random_state=0)),
    "boosting": functools.partial(with_rule_columns, functools.partial(GradientBoostingClassifier, random_state=0)),
}
