"""Where experiments run: pieces of work that are kept when done, with progress and time left."""

import datetime
import hashlib
import inspect
import json
import os
import pathlib
import platform
import re
import sys
import time

import numpy as np

import postil
from postil import _postil


class Meter:
    """What is done, how much of it, and how long it will take: one line on a terminal, one a minute elsewhere."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.shown = time.monotonic()

    def update(self, name, done, total, left):
        terminal = self.stream.isatty()
        if time.monotonic() - self.shown < (0.2 if terminal else 60):
            return
        self.shown = time.monotonic()
        told = f"{name}: {done} of {total} parts" + ("" if left is None else f", {_duration(left)} left")
        self.stream.write(f"\r\033[K{told}" if terminal else f"{told}\n")
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


TELLING = ("page", "__main__", "experiment", "curves", "lab")  # modules that run, draw and tell, and compute nothing that is kept


def code_behind(work):
    """The sources that a piece of work may use: its module, and what that imports of this package; without what they say on pages, which stands at the end."""
    package = __name__.rpartition(".")[0]
    waiting, seen = [inspect.getmodule(work)], {}
    while waiting:
        module = waiting.pop()
        name = getattr(module, "__name__", "")
        if not name.startswith(package + ".") or name.rpartition(".")[2] in TELLING or name in seen or not getattr(module, "__file__", None):
            continue
        seen[name] = re.split(r"\n(?:EXPERIMENT = |# ---- what pages say)", pathlib.Path(module.__file__).read_text())[0]
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
