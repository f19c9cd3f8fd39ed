"""Where experiments run: pieces of work that are kept when done, with progress and time left."""

import datetime
import hashlib
import inspect
import itertools
import json
import os
import pathlib
import platform
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import postil
from postil import _data, _postil, rules


@dataclass
class Task:
    """Data of one question, and how they are to be learned from."""

    X: pd.DataFrame | np.ndarray
    y: pd.Series | np.ndarray
    positive: str = ""
    advice: str = ""  # rules, as text
    scale: str = "standard"
    missing: str = "refuse"
    metric: str = "error"

    def rows(self):
        rows = _data.rows_of(self.X)
        classes = sorted({str(value) for value in self.y})
        codes = pd.Categorical([str(value) for value in self.y], categories=classes).codes
        rows.set_labels(np.ascontiguousarray(codes, dtype=np.float64), classes)
        return rows

    def fingerprint(self):
        values = pd.util.hash_pandas_object(pd.DataFrame(self.X), index=False).to_numpy()
        labels = "\n".join(str(value) for value in self.y)
        told = json.dumps([self.positive, self.advice, self.scale, self.missing, self.metric])
        return hashlib.sha256(values.tobytes() + labels.encode() + told.encode()).hexdigest()


@dataclass(frozen=True)
class Learner:
    """One that competes. Each run chooses from the grid, by cross-validation of its own training rows."""

    learner: str
    settings: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, list] = field(default_factory=dict)
    advice: bool = False
    only_last: bool = False  # a batch learner: one point, at the end

    def points(self):
        return [dict(zip(self.grid, values)) for values in itertools.product(*self.grid.values())]

    def recipes(self, task):
        base = {"learner": self.learner, "scale": task.scale, "missing": task.missing, "positive": task.positive}
        if self.advice and task.advice:
            base |= {"rules": task.advice, "rules_source": "rules"}
        return [base | {"settings": {name: _text(value) for name, value in (self.settings | point).items()}} for point in self.points()]

    def __str__(self):
        told = [f"{name}={_text(value)}" for name, value in self.settings.items()]
        told += [f"{name} of {', '.join(map(_text, values))}" for name, values in self.grid.items()]
        return f"`{self.learner}`" + (f", {', '.join(told)}" if told else "") + (", takes the rules" if self.advice else "")


def _text(value):
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass
class Job:
    """Work in units, each of which gives something that JSON can hold."""

    key: str
    units: int
    spec: Any  # all that the answer depends on, as JSON
    work: Callable[[int], Any]


def contest(key, task, learners, splits, checkpoints, folds=5, chunk=10):
    """The learners on the same splits: a job whose units are `chunk` splits each.

    `splits`: a list of pairs of row numbers, to learn from in this order and to test on.
    """
    curves = {name: learner for name, learner in learners.items() if not learner.only_last}
    ends = {name: learner for name, learner in learners.items() if learner.only_last}
    splits = [(np.asarray(train, dtype=np.uint32), np.asarray(test, dtype=np.uint32)) for train, test in splits]
    drawn = hashlib.sha256(b"".join(np.r_[len(train), train, test].tobytes() for train, test in splits)).hexdigest()

    def work(unit):
        part = splits[unit * chunk : (unit + 1) * chunk]
        answer = {}
        for group, places in ((curves, checkpoints), (ends, checkpoints[-1:])):
            if not group:
                continue
            recipes = [learner.recipes(task) for learner in group.values()]
            values, chosen = _postil.compare(task.rows(), recipes, part, places, metric=task.metric, folds=folds, threads=os.cpu_count())
            for name, of_learner, choices in zip(group, values, chosen):
                answer[name] = {"at": list(places), "values": of_learner.tolist(), "chosen": list(choices)}
        return answer

    spec = [task.fingerprint(), {name: repr(learner) for name, learner in learners.items()}, drawn, list(checkpoints), folds, chunk]
    return Job(key, -(-len(splits) // chunk), spec, work)


def curves_of(parts):
    """What the units of a contest gave, together: {learner: (checkpoints, values[checkpoint, run], chosen)}."""
    return {
        name: (parts[0][name]["at"], np.concatenate([np.array(part[name]["values"], dtype=float) for part in parts], axis=1), [place for part in parts for place in part[name]["chosen"]])
        for name in parts[0]
    }


def run_seed(seed, run):
    return np.random.default_rng([seed, run])


def split(rows, train, random):
    """`train` random rows to learn from, the others to test."""
    order = random.permutation(rows)
    return order[:train], order[train:]


def balanced_split(y, train, random):
    """As many training rows of each class; the others are for the test."""
    y = np.asarray(y)
    members = [random.permutation(np.flatnonzero(y == value)) for value in np.unique(y)]
    each = [train // len(members) + (place < train % len(members)) for place in range(len(members))]
    chosen = np.concatenate([rows[:count] for rows, count in zip(members, each)])
    return random.permutation(chosen), np.concatenate([rows[count:] for rows, count in zip(members, each)])


def rule_file(name):
    return (pathlib.Path(__file__).parent / "rules" / f"{name}.rules").read_text()


def rules_digest():
    texts = [path.read_bytes() for path in sorted((pathlib.Path(__file__).parent / "rules").glob("*.rules"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def statements(text):
    """What a rule file says besides its rules: domains, kinds, names."""
    return "\n".join(line for line in text.splitlines() if "=>" not in line and line.split("#")[0].strip()) + "\n"


def rules_about(text, name, keep=lambda rule: True):
    """The rules of a file about one class, with its other statements."""
    return statements(text) + "\n".join(str(rule) for rule in rules.parse(text) if rule.says == name and keep(rule)) + "\n"


# ---- running ----


class Meter:
    """One line on the terminal: what is done, how much of it, and how long it will take."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.shown = 0.0

    def update(self, name, done, total, left):
        if not self.stream.isatty() or (time.monotonic() - self.shown < 0.2 and done < total):
            return
        self.shown = time.monotonic()
        told = "" if left is None else f", {_duration(left)} left"
        self.stream.write(f"\r\033[K{name}: {done} of {total} parts{told}")
        self.stream.flush()

    def clear(self):
        if self.stream.isatty():
            self.stream.write("\r\033[K")
            self.stream.flush()


def _duration(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def engine_mark():
    """What computes: results of another build are not taken for this one's."""
    return hashlib.sha256(pathlib.Path(_postil.__file__).read_bytes()).hexdigest()


def machine():
    """What computes here: processor, cores, versions; no names."""
    model = platform.machine()
    try:
        found = re.search(r"model name\s*:\s*(.+)", pathlib.Path("/proc/cpuinfo").read_text())
        model = found.group(1) if found else model
    except OSError:
        pass
    return f"{os.cpu_count()} cores of {model}, Python {platform.python_version()}, Postil {postil.__version__}"


TELLING = ("page", "__main__", "experiment", "curves")  # modules that draw and tell, and compute nothing that is kept


def code_behind(work):
    """The sources that a piece of work may use: its module, and what that imports of this package; without what they say on pages."""
    package = __name__.rpartition(".")[0]
    waiting, seen = [inspect.getmodule(work)], {}
    while waiting:
        module = waiting.pop()
        name = getattr(module, "__name__", "")
        if not name.startswith(package + ".") or name.rpartition(".")[2] in TELLING or name in seen or not getattr(module, "__file__", None):
            continue
        seen[name] = pathlib.Path(module.__file__).read_text().split("\nEXPERIMENT = ")[0]
        for value in vars(module).values():
            waiting.append(value if inspect.ismodule(value) else sys.modules.get(getattr(value, "__module__", None) or ""))
    return sorted(seen.items())


def cache_folder():
    given = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(given) / "postil" / "experiments"


class Lab:
    """Does jobs unit by unit, in order; what was done before is not done again."""

    def __init__(self, name, folder=None, fresh=False, meter=None, inputs=()):
        self.folder = pathlib.Path(folder or cache_folder()) / name
        self.name, self.fresh, self.meter = name, fresh, meter or Meter()
        self.mark, self.inputs = engine_mark(), list(inputs)
        self.seconds = 0.0  # of all units, also those done before
        self.days, self.machines = set(), set()  # when and where they were done

    def _paths(self, job):
        """A file for each unit, named by all that the answer depends on: engine, data, rules, specification, and the code that does the work."""
        told = json.dumps([self.mark, self.inputs, code_behind(job.work), job.key, job.units, job.spec], sort_keys=True, default=repr)
        name = hashlib.sha256(told.encode()).hexdigest()[:24]
        return [self.folder / f"{name}-{unit}.json" for unit in range(job.units)]

    def _kept(self, path):
        if self.fresh:
            return None
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and {"seconds", "day", "machine", "answer"} <= set(found) else None

    def do(self, jobs):
        """{key: [what each unit gave]}."""
        self.folder.mkdir(parents=True, exist_ok=True)
        total = sum(job.units for job in jobs)
        answers = {job.key: [None] * job.units for job in jobs}
        paths = {job.key: self._paths(job) for job in jobs}
        times = {job.key: [] for job in jobs}
        missing = []
        for job in jobs:
            for unit in range(job.units):
                kept = self._kept(paths[job.key][unit])
                if kept is None:
                    missing.append((job, unit))
                else:
                    answers[job.key][unit] = kept["answer"]
                    times[job.key].append(kept["seconds"])
                    self.days.add(kept["day"])
                    self.machines.add(kept["machine"])
        for place, (job, unit) in enumerate(missing):
            self.meter.update(self.name, total - len(missing) + place, total, self._left(times, missing[place:]))
            begun = time.perf_counter()
            answer = job.work(unit)
            seconds = time.perf_counter() - begun
            times[job.key].append(seconds)
            path = paths[job.key][unit]
            part = path.with_suffix(f".{os.getpid()}.part")
            day, here = datetime.datetime.now(datetime.timezone.utc).date().isoformat(), machine()
            self.days.add(day)
            self.machines.add(here)
            part.write_text(json.dumps({"seconds": seconds, "day": day, "machine": here, "answer": answer}))
            part.replace(path)
            answers[job.key][unit] = json.loads(path.read_text())["answer"]  # as a later run would find it
        self.meter.clear()
        self.seconds += sum(sum(seconds) for seconds in times.values())
        return answers

    @staticmethod
    def _left(times, missing):
        known = [second for seconds in times.values() for second in seconds]
        if not known:
            return None
        mean = float(np.mean(known))
        return sum(float(np.mean(times[job.key])) if times[job.key] else mean for job, _ in missing)
