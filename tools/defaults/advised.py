"""What each ingredient of the default learner is worth: docs/mathematics.md part D done plainly with numpy, many draws at once, and variants of it.

    POSTIL_DATA=... build/venv/bin/python tools/defaults/advised.py > docs/defaults-advised.md

Tasks: experiments/beyond/fresh_tasks.py. Rules as they are; every rule turned round; every second one turned round. About ten minutes.
"""

import dataclasses
import os
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from experiments.beyond import fresh_tasks

AT = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500]
DRAWS, SETTLING, UNLABELLED, MOST_TESTED = 8, 256, 1500, 1500
LEFT_OUT = ("tb east_asian", "tb bovis", "tb indo_oceanic", "tb africanum", "strains euro_american", "tb east_african_indian")  # others of their kind stay


@dataclasses.dataclass(frozen=True)
class Form:
    """The learner and what may be changed about it. Sizes of variances: docs/mathematics.md part D."""

    examples: tuple = (64,)  # stiffness of the learners of examples alone; their odds are .1 together
    both: tuple = (3, 0.3)  # of the learner of both: its columns and its constant
    parts: str = "NRG"
    centred: bool = True  # columns minus their mean
    offset: bool = True  # the base rate
    share: bool = True
    claim: bool = True
    rules: bool = True  # a column for each rule
    plane: bool = True
    studied: bool = True  # the plane learns from rows without labels
    silence: float = 0.75  # from which share of rules that say the same, silence counts for the other side
    vote_centred: bool = False
    trusted: float = 0.9  # from which agreement with the votes on the plane is fully trusted; 0: always


VARIANTS = {
    "as it is": Form(),
    "without the base rate": Form(offset=False),
    "without the share": Form(share=False),
    "without the claim": Form(claim=False),
    "without a column for each rule": Form(rules=False),
    "without the plane": Form(plane=False),
    "the plane of the rules alone, nothing from rows without labels": Form(studied=False),
    "silence says nothing": Form(silence=2),
    "the vote minus its mean": Form(vote_centred=True),
    "columns as they are": Form(centred=False),
    "the plane trusted whatever the votes say": Form(trusted=0),
    "without the learner of rules": Form(parts="NG"),
    "without the learner of both": Form(parts="NR"),
    "examples at 8/S": Form(examples=(8,)),
    "examples at 8/S and at 64/S": Form(examples=(8, 64)),
    "both at 1.2/S": Form(both=(1.2, 0.1)),
    "both at 6/S": Form(both=(6, 0.5)),
    "examples alone": Form(parts="N"),
}

CONCLUSION = """Conclusions. The plane, the base rate, the learner of both and the rows without labels matter most. Silence (rows on which no rule holds) and centring the votes matter for log loss before the first labels. A column for each rule and the claim matter if some rules are wrong. The share matters if all are. A second stiffness of the examples' learner, planes of single
rules and a second learner of both, which earlier versions had, made no difference and were removed. How far the plane agrees with the votes matters only if no hyperplane can follow the rules: balanced error before the first label .303 without it and .088 with it on `circle`, .264 and .058 on `corners`. Weak spots: promoters and splice IE before 10 labels, reversed rules before 20, `keywords` between 5 and 50, where the learner of both is worse than the rules as written were at the start.
"""


def sigmoid(v):
    return 1 / (1 + np.exp(-np.clip(v, -700, 700)))


def logit(p):
    p = np.clip(p, 1e-300, 1 - 1e-16)
    return np.log(p) - np.log1p(-p)


def step_size(margin, s, weight=1.0):
    """a = weight sigmoid(-(margin + a s)), and the curvature there."""
    low, high = np.zeros_like(margin), np.full_like(margin, weight)
    a = weight * sigmoid(-margin) / (1 + weight * s / 4)
    for _ in range(60):
        p = sigmoid(-(margin + a * s))
        gap = a - weight * p
        if np.max(np.abs(gap)) <= 1e-12:
            break
        low, high = np.where(gap < 0, a, low), np.where(gap < 0, high, a)
        newton = a - gap / (1 + weight * s * p * (1 - p))
        a = np.where((newton > low) & (newton < high), newton, (low + high) / 2)
    p = sigmoid(-(margin + a * s))
    return a, weight * p * (1 - p)


class Learner:
    """One for each draw, over the same columns: means and variances of the weights."""

    def __init__(self, w, v):
        self.w, self.v = np.array(w, float), np.array(v, float)

    def learn(self, phi, y, offset, weight=1.0):
        u = self.v * phi
        a, c = step_size(y * ((self.w * phi).sum(1) + offset), (phi * u).sum(1), weight)
        self.w += (y * a)[:, None] * u
        self.v /= 1 + c[:, None] * phi * u


# ---- a task as arrays ----


def planes_of(task):
    """What the rules alone ask of a hyperplane, on every row."""
    from postil import AdviceOnlyClassifier

    model = AdviceOnlyClassifier(advice=task.advice, scale="standard" if task.scaled and not task.sparse else "none", missing="mean")
    model.fit(task.X, task.labels())
    return model.decision_function(task.X) * (1 if list(model.classes_).index(task.says) == 1 else -1)


def arrays_of(name, kind):
    task = fresh_tasks.TASKS[name]()
    lines, count = [], 0
    for line in task.advice.splitlines():
        if "=>" in line.split("#")[0]:
            count += 1
            if kind == "turned round" or (kind == "half turned" and count % 2 == 0):
                condition, says = line.split("#")[0].rsplit("=>", 1)
                says = says.strip()
                line = f"{condition}=> {says[4:] if says.startswith('not ') else 'not ' + says}"
        lines.append(line)
    task.advice = "\n".join(lines) + "\n"
    return task, task.encoded(), task.y, task.votes, planes_of(task)


def draws_of(task, rows, seed=0):
    """Rows to learn from in their order, to be tested on, and to be looked at without their labels."""
    for draw in range(DRAWS):
        learned, tested, rest = task.draw(rows, MOST_TESTED, np.random.default_rng([seed, draw]))
        yield learned, tested, np.r_[learned, rest][:UNLABELLED]


def columns_of(form, task, x, votes, plane, rows, unlabelled):
    """Label-free: the columns of all rows, from what the rows given show."""
    count, m = len(rows), votes.shape[1]
    x = x - x[rows].sum(0) / (count + 5) if form.centred and not task.sparse else x
    size = max(1e-9, (x[rows] ** 2).sum(1).mean())
    holds, total = (votes != 0).any(1), votes.sum(1)
    signs = np.where(votes.max(0) > 0, 1, -1)
    yes, no = np.sum(signs > 0), np.sum(signs < 0)
    silent = (-1 if yes >= no else 1) if max(yes, no) >= form.silence * m and holds[rows].any() else 0
    vote = np.where(holds, np.clip(total, -1, 1), silent).astype(float)
    plane = plane / np.sqrt((5 + (plane[rows] ** 2).sum()) / (count + 5))
    kappa = 0.0
    plus, minus = [i for i in unlabelled if vote[i] > 0][:700], [i for i in unlabelled if vote[i] < 0][:700]
    if form.studied and min(len(plus), len(minus)) > 10:
        n = x.shape[1]
        pupil = Learner(np.zeros((1, n + 1)), np.r_[np.full(n, 16 / size), 1][None])
        for i in np.random.default_rng(0).permutation(np.r_[plus, minus]):
            side = np.sign(vote[i : i + 1])
            pupil.learn(np.r_[x[i], 1][None], side, 0.0, 10 / len(plus if side[0] > 0 else minus))
        taught = x @ pupil.w[0, :-1] + pupil.w[0, -1]
        kappa = 1 - 10 / min(len(plus), len(minus))
        plane = (1 - kappa) * plane + kappa * taught / np.sqrt((taught[unlabelled] ** 2).mean())
    rho = 1.0
    if form.trusted and all((vote[unlabelled] * side > 0).sum() >= 3 for side in (1, -1)):
        right = np.mean([np.mean(plane[unlabelled][vote[unlabelled] * side > 0] * side > 0) for side in (1, -1)])
        rho = float(np.clip((right - 0.5) / (form.trusted - 0.5), 0, 1))
    if form.vote_centred and silent:
        vote = vote - (vote[rows].sum() + 2 * silent) / (count + 2)
    return {"x": x, "size": size, "plane": plane if form.plane else 0 * plane, "vote": vote, "rules": votes, "sign": np.sign(total), "kappa": kappa, "m": m, "rho": rho}


def start_of(form, of, part):
    """Mean and variance of each weight: the constant, the plane, the vote, the claim, the rules, the columns."""
    n, m, k, r = of["x"].shape[1], of["m"], of["kappa"] * of["rho"], of["rho"]
    q = 0.3 * min(1, 3 / max(1, m)) if form.rules else 0
    claim = (1, 0.25) if form.claim else (0, 0)
    few = {"R": [(0, 0.5), (2 * k, k), (2 - k, 1), claim], "G": [(0, form.both[1]), (1.5 * r + k / 2, 1), (2 - r / 2 - k / 2, 1), claim]}.get(part, [(0, 1), (0, 0), (0, 0), (0, 0)])
    x = {"R": 0, "G": form.both[0]}.get(part, part) / of["size"]
    w = [mean for mean, _ in few] + [0] * (m + n)
    return w, [variance for _, variance in few] + [q if part in ("R", "G") else 0] * m + [x] * n


def curve(form, task, x, y, votes, plane):
    draws = list(draws_of(task, max(AT)))
    length = min(len(learned) for learned, _, _ in draws)
    seen = [columns_of(form, task, x, votes, plane, np.unique(np.r_[learned[:SETTLING], unlabelled]) if form.studied else learned[:SETTLING], unlabelled) for learned, _, unlabelled in draws]
    kinds = [*form.examples, *[part for part in form.parts if part in "RG"]]
    odds = [0.1 / len(form.examples)] * len(form.examples) + [{"R": 0.3, "G": 0.6}[part] for part in form.parts if part in "RG"]
    learners = [Learner(*map(np.array, zip(*(start_of(form, of, kind) for of in seen)))) for kind in kinds]
    prior = np.tile(np.array(odds) / sum(odds), (DRAWS, 1))
    q, t, plus, minus = prior.copy(), 0, np.zeros(DRAWS), np.zeros(DRAWS)

    def offsets():
        return t / (t + 5) * np.log((plus + 1) / (minus + 1)) if form.offset else np.zeros(DRAWS)

    def phi(draw, rows, offset):
        of = seen[draw]
        claim = np.where(of["sign"][rows] * offset < 0, -offset, 0.0)
        return np.concatenate([np.stack([np.ones(len(rows)), of["plane"][rows], of["vote"][rows], claim], axis=1), of["rules"][rows], of["x"][rows]], axis=1)

    values = []
    for t in range(length + 1):
        o = offsets()
        if t in AT:
            balanced, loss = [], []
            for draw, (_, test, _) in enumerate(draws):
                columns = phi(draw, test, o[draw])
                score = logit(sum(q[draw, k] * sigmoid(columns @ learner.w[draw] + o[draw]) for k, learner in enumerate(learners)))
                truth, says = y[test] > 0, score >= o[draw]
                if truth.any():
                    balanced.append((np.mean(~says[truth]) + np.mean(says[~truth])) / 2)
                loss.append(np.mean(np.log1p(np.exp(-np.clip(np.where(truth, score, -score), -30, 700)))))
            values.append((np.mean(balanced), np.mean(loss)))
        if t == length:
            break
        rows = [learned[t] for learned, _, _ in draws]
        label = y[rows]
        columns = np.concatenate([phi(draw, np.array([row]), o[draw]) for draw, row in enumerate(rows)])
        for k, learner in enumerate(learners):
            q[:, k] *= sigmoid(label * ((learner.w * columns).sum(1) + o))
        q /= q.sum(1, keepdims=True)
        if form.share:
            q = (1 - 1 / (100 + t)) * q + prior / (100 + t)
        for learner in learners:
            learner.learn(columns, label, o)
        plus, minus = plus + (label > 0), minus + (label < 0)
    return np.array(values + [values[-1]] * (len(AT) - len(values)))  # a short task stays where it ends


def work(job):
    name, kind = job
    task, x, y, votes, plane = arrays_of(name, kind)
    return job, {variant: curve(form, task, x, y, votes, plane) for variant, form in VARIANTS.items() if kind == "as written" or variant != "examples alone"}


def main():
    names = [name for name in fresh_tasks.TASKS if name not in LEFT_OUT]
    kinds = ["as written", "turned round", "half turned"]
    with ProcessPoolExecutor(2) as pool:
        done = dict(pool.map(work, [(name, kind) for name in names for kind in kinds]))
    print("# Why the default learner is made as it is\n\n<!-- Written by tools/defaults/advised.py; needs the real data sets. -->\n")
    print(f"Each line leaves out or changes one ingredient of `advised` ([mathematics.md](mathematics.md), part D). Means over {len(names)} tasks with rules that were written without looking at the data, {DRAWS} draws each: balanced error (decided by the balanced threshold) and log loss after 0, 1, 2, ... labels. Each method first sees {UNLABELLED} rows without labels.\n")
    print(CONCLUSION)
    for title, kind, what in (("Balanced error, rules as they were written", "as written", 0), ("Log loss, rules as they were written", "as written", 1), ("Balanced error, every rule reversed", "turned round", 0), ("Balanced error, every second rule reversed", "half turned", 0)):
        print(f"## {title}\n\n| | {' | '.join(map(str, AT))} |\n|---|{'---:|' * len(AT)}")
        for variant in VARIANTS:
            if variant in done[names[0], kind]:
                mean = np.mean([done[name, kind][variant][:, what] for name in names], axis=0)
                print(f"| {variant} | {' | '.join(f'{value:.3f}'[1:] if value < 1 else f'{value:.2f}' for value in mean)} |")
        print()
    print("## By task, balanced error of `advised` with rules as they were written\n")
    print(f"| | as written | plane | {' | '.join(map(str, AT))} |\n|---|---:|---:|{'---:|' * len(AT)}")
    for name in names:
        task, _, y, votes, plane = arrays_of(name, "as written")
        usual = -1 if np.mean(y > 0) < 0.5 else 1
        errors = [np.mean([np.mean(says[y == sign] != sign) for sign in (1, -1)]) for says in (np.where(votes.sum(1) == 0, usual, np.sign(votes.sum(1))), np.where(plane >= 0, 1, -1))]
        print(f"| {name} | {' | '.join(f'{value:.3f}'[1:] for value in [*errors, *done[name, 'as written']['as it is'][:, 0]])} |")


if __name__ == "__main__":
    main()
