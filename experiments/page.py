"""From results to files: numbers (CSV), picture (SVG, PNG) and a page with ours beside theirs."""

import datetime
import os
import pathlib
import platform
import re

import pandas as pd

import postil

from .experiment import PAPERS
from .lab import Learner

MARK = "<!-- Written by `postil experiment run {name}`; do not edit. -->"


def machine():
    """What ran this: processor, cores, system; no names."""
    model = platform.machine()
    try:
        found = re.search(r"model name\s*:\s*(.+)", pathlib.Path("/proc/cpuinfo").read_text())
        model = found.group(1) if found else model
    except OSError:
        pass
    return f"{os.cpu_count()} cores of {model}, Python {platform.python_version()}, Postil {postil.__version__}"


def _number(value):
    if value is None or pd.isna(value):
        return ""
    if value != 0 and (abs(value) < 0.001 or abs(value) >= 1e5):
        return f"{value:.2g}"
    return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.1f}".rstrip("0").rstrip(".")


def _with_error(value, error):
    return _number(value) if error is None or pd.isna(error) else f"{_number(value)} ± {_number(error)}"


def _grid(header, rows, right=1):
    """A Markdown table; columns from `right` on are numbers."""
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join("---:" if place >= right else "---" for place in range(len(header))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _setting(value):
    if isinstance(value, dict) and value and all(isinstance(entry, Learner) for entry in value.values()):
        return "<br>".join(f"{name}: {learner}" for name, learner in value.items())
    if isinstance(value, dict):
        return "<br>".join(f"*{name}* {_setting(entry)}" for name, entry in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_setting(entry) for entry in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _curve_table(part):
    """Learners across, numbers of examples down; few enough rows to read."""
    places = sorted(part["at"].unique())
    wanted = [at for at in places if at in (0, 1, 2, 5, 10, 20, 50, 100, 200, 300) or at == places[-1]] or places
    learners = list(dict.fromkeys(part.learner))
    rows = []
    for at in wanted:
        cells = []
        for learner in learners:
            found = part[(part.learner == learner) & (part["at"] == at)]
            cells.append(_with_error(found["mean"].iloc[0], found["se"].iloc[0]) if len(found) else "")
        rows.append([_number(at), *cells])
    return _grid([part["quantity"].iloc[0] + " after", *learners], rows, right=0)


def _results(results):
    """Curves as tables of their own; single numbers together."""
    parts = []
    curves = results.table.groupby(["task", "quantity"], sort=False).filter(lambda part: part["at"].nunique() > 2)
    for (task, _), part in curves.groupby(["task", "quantity"], sort=False):
        parts.append(f"### {task}\n\n{_curve_table(part)}")
    single = results.table.drop(curves.index)
    if results.wide:
        parts.append(_wide(single, results.paired))
    elif len(single):
        rows = [[row.task, row.learner, row.quantity, _number(row.at), _with_error(row.mean, row.se), str(row.runs)] for row in single.itertuples(index=False)]
        parts.append(_grid(["task", "learner", "what", "at", "value", "runs"], rows, right=3))
    return "\n\n".join(parts)


def _cell(value):
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


def _wide(part, paired):
    """Tasks down, learners across, as the papers print it: mean (standard error), bold where it is significantly below the last named in its pairs."""
    learners = list(dict.fromkeys(part.learner))
    rows = []
    for (task, quantity), found in part.groupby(["task", "quantity"], sort=False):
        cells = []
        for learner in learners:
            one = found[found.learner == learner]
            if len(one) == 0:
                cells.append("")
                continue
            cell = _cell(one["mean"].iloc[0]) + ("" if pd.isna(one["se"].iloc[0]) else f" ({_cell(one['se'].iloc[0])})")
            tested = paired[(paired.task == task) & (paired.a == learner)] if paired is not None and quantity.startswith("error") else ()
            better = len(tested) and tested["p"].iloc[0] < 0.05 and tested["mean"].iloc[0] < 0
            cells.append(f"**{cell}**" if better else cell)
        rows.append([task, quantity, *cells])
    told = f"Mean (standard error); bold: below {paired.b.iloc[0]}, p < 0.05 in a paired t-test.\n\n" if paired is not None and len(paired) else ""
    return told + _grid(["", "what", *learners], rows, right=2)


def _agreement_text(rows):
    """'adviceptron after 200 examples on diabetes: .245 there, .242 ± .005 here'."""

    def told(row):
        place = "" if row["at"] is None else f" at {_number(row['at'])}"
        return f"{row['task']}, {row['learner']}, {row['quantity']}{place}: {_number(row['paper'])} there, {_with_error(row['ours'], row['se'])} here"

    return [told(row) for row in rows]


def _list(sentences):
    return "\n".join(f"- {sentence}" for sentence in sentences)


def text(experiment, settings, results, seconds, quick, picture=True):
    rows = experiment.agreement(results)
    agree, differ = [row for row in rows if row["agrees"]], [row for row in rows if not row["agrees"]]
    now = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    parts = [
        f"# {experiment.title}",
        MARK.format(name=experiment.name),
        f"{experiment.figure} of {PAPERS[experiment.paper]}." if experiment.paper != "beyond" else "Beyond the papers.",
        experiment.about,
        f"`postil experiment run {experiment.name}`" + (" `--quick`: **a quick run, not the protocol**" if quick else "") + f". {now}, {machine()}; {_seconds(seconds)} of work.",
    ]
    if picture:
        parts.append(f"![{experiment.title}]({experiment.name}.svg)")
    if any(row["at"] is not None for row in rows):
        parts.append("Lines are means over the runs, bands one standard error; squares are batch learners; crosses are read off the paper's figure (± .01).")
    parts += ["## Settings", _grid(["setting", "value"], [[name, _setting(value)] for name, value in settings.items()], right=2)]
    parts += ["## Numbers", f"All of them: [{experiment.name}.csv]({experiment.name}.csv).", _results(results)]
    if results.paired is not None and len(results.paired):
        tests = [[row.task, f"{row.a} − {row.b}", _number(row.at), _with_error(row.mean, row.se), _significant(row.p)] for row in results.paired.itertuples(index=False)]
        parts += ["### Paired differences", "Student's t on the differences run by run; bold: p < 0.05. Runs share rows, so p is a little too small.", _grid(["task", "a − b", "at", "difference", "p"], tests, right=2)]
    if results.told:
        parts += ["### Of this run", _list(results.told)]
    if experiment.expected():
        parts.append(f"## What agrees\n\n{len(agree)} of {len(rows)} values lie within the allowed gap (experiments/{experiment.paper}/expected.csv).")
        parts.append(_list(_agreement_text(agree)) if agree else "Nothing does.")
        parts.append("## What does not")
        parts.append(_list(_agreement_text(differ) + experiment.why) if differ or experiment.why else "Nothing.")
    else:
        parts += ["## What agrees, what does not", _list(experiment.why) if experiment.why else "There are no published numbers to compare with."]
    parts += ["## What we had to assume", _list(experiment.assumed)]
    return "\n\n".join(parts) + "\n"


def _significant(p):
    if pd.isna(p):
        return ""
    return f"**{_number(p)}**" if p < 0.05 else _number(p)


def _seconds(seconds):
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def _write(path, content):
    """Whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_bytes(content if isinstance(content, bytes) else content.encode())
    part.replace(path)


def write(experiment, settings, results, seconds, quick, folder):
    """The files of one experiment; gives the path of the page."""
    import io

    import matplotlib
    import matplotlib.pyplot as plt

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / f"{experiment.name}.csv", results.table.to_csv(index=False))
    with matplotlib.rc_context({"svg.hashsalt": experiment.name, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = experiment.draw(settings, results)
        for kind in ("svg", "png"):
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)
            _write(folder / f"{experiment.name}.{kind}", re.sub(rb"[ \t]+\n", b"\n", drawn.getvalue()) if kind == "svg" else drawn.getvalue())
        plt.close(figure)
    page = folder / f"{experiment.name}.md"
    _write(page, text(experiment, settings, results, seconds, quick))
    return page
