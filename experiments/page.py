"""From results to files: numbers (CSV), picture (SVG, PNG) and a page with ours beside theirs."""

import io
import os
import pathlib
import re

import pandas as pd

from .experiment import PAPERS, Results, title_of
from .trials import Learner

MARK = "<!-- Written by `postil experiment run {name}`; do not edit. -->"
NOT_THE_PROTOCOL = "**not the protocol**"


def _number(value):
    if value is None or pd.isna(value):
        return ""
    if value != 0 and (abs(value) < 0.001 or abs(value) >= 1e5):
        return f"{value:.2g}"
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{value:.2f}"


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
    return "all" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _curve_table(part):
    """Learners across, numbers of examples down."""
    wanted = sorted(part["at"].unique())
    learners = list(dict.fromkeys(part.learner))
    rows = []
    for at in wanted:
        cells = []
        for learner in learners:
            found = part[(part.learner == learner) & (part["at"] == at)]
            cells.append(_with_error(found["mean"].iloc[0], found["se"].iloc[0]) if len(found) else "")
        rows.append([_number(at), *cells])
    return _grid([part["quantity"].iloc[0] + " after", *learners], rows, right=0)


def numbers(results):
    """Curves as tables of their own; single numbers together."""
    parts = []
    curves = results.table.groupby(["task", "quantity"], sort=False).filter(lambda part: part["at"].nunique() > 2)
    for (task, quantity), part in curves.groupby(["task", "quantity"], sort=False):
        parts.append(f"### {title_of(task)}{'' if quantity == 'error' else ', ' + quantity}\n\n{_curve_table(part)}")
    single = results.table.drop(curves.index)
    if results.wide:
        parts.append(_wide(single, results.paired))
    elif len(single):
        rows = [[title_of(row.task), row.learner, row.quantity, _number(row.at), _with_error(row.mean, row.se), str(row.runs)] for row in single.itertuples(index=False)]
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
            if paired is not None and quantity.startswith("error") and learner in set(paired.b):  # the one they are compared with: ahead of all
                against = paired[(paired.task == task) & (paired.b == learner)]
                better = len(against) > 0 and (against["p"] < 0.05).all() and (against["mean"] > 0).all()
            cells.append(f"**{cell}**" if better else cell)
        rows.append([title_of(task), quantity, *cells])
    told = f"Mean (standard error); bold: below {paired.b.iloc[0]}, p < 0.05 in a paired t-test; {paired.b.iloc[0]} itself is bold where it is below all others so.\n\n" if paired is not None and len(paired) else ""
    return told + _grid(["", "what", *learners], rows, right=2)


def counted(rows):
    """'12 of 20 values lie within the allowed gap; 5 more do that could hardly miss'."""
    easy = sum(bool(row["easy"]) for row in rows)
    return f"{sum(row['agrees'] for row in rows) - easy} of {len(rows) - easy} values lie within the allowed gap" + (f"; {easy} more {'does' if easy == 1 else 'do'}, but could hardly miss and {'is' if easy == 1 else 'are'} not counted" if easy else "")


def _by_panel(experiment, results, rows):
    """Counts of the panels one by one, and of variants that stand beside them against the same published values."""
    cells = []
    for variant in ("", *experiment.variants(results)):
        found = rows if variant == "" else experiment.agreement(results, variant)
        for task in dict.fromkeys(row["task"] for row in found):
            part = [row for row in found if row["task"] == task]
            easy = sum(bool(row["easy"]) for row in part)
            cells.append([title_of(task + variant), f"{sum(row['agrees'] for row in part) - easy} of {len(part) - easy}", str(easy)])
    if len(cells) < 2 or all(row["at"] is None for row in rows):
        return []
    return ["Panel by panel; a panel that the paper does not have is compared with the same published values, and only shown here:", _grid(["panel", "within the gap", "not counted"], cells)]


def _agreement_text(rows):
    """'adviceptron after 200 examples on diabetes: paper .245, ours .242 ± .005'."""

    def told(row):
        place = "" if row["at"] is None else f" at {_number(row['at'])}"
        return f"{title_of(row['task'])}, {row['learner']}, {row['quantity']}{place}: paper {_number(row['paper'])}, ours {_with_error(row['ours'], row['se'])}"

    return [told(row) for row in rows]


def _list(sentences):
    return "\n".join(f"- {sentence}" for sentence in sentences)


def command_line(experiment, done):
    words = [f"postil experiment run {experiment.name}"] + (["--quick"] if done.quick else [])
    return " ".join(words + [f"--set '{name}={value!r}'" for name, value in done.given.items()])


def text(experiment, done):
    results = done.results
    protocol = not done.quick and not done.given
    parts = [*_opening(experiment), f"`{command_line(experiment, done)}`" + ("" if protocol else f": {NOT_THE_PROTOCOL}; what is said below of reasons and assumptions is about the full one") + f". {' to '.join(dict.fromkeys((done.days[0], done.days[-1])))}, {' and '.join(done.machines)}; {_seconds(done.seconds)} of work."]
    if experiment.draw:
        parts.append(f"![{experiment.title}]({experiment.name}.svg)")
    if experiment.draw and any(row["at"] is not None for row in experiment.agreement(results)):
        parts.append("Lines are means over the runs, bands one standard error; squares are batch learners; crosses are read off the paper's figure (± .01).")
    parts += ["## Settings", _grid(["setting", "value"], [[name, _setting(value)] for name, value in done.settings.items()], right=2)]
    parts += ["## Numbers", f"All of them: [{experiment.name}.csv]({experiment.name}.csv).", numbers(results)]
    for title, sentence, header, cells in results.tables:
        parts += [f"### {title}", sentence, _grid(header, cells, right=1)]
    if results.paired is not None and len(results.paired):
        tests = [[title_of(row.task), f"{row.a} − {row.b}", _number(row.at), _with_error(row.mean, row.se), _significant(row.p)] for row in results.paired.itertuples(index=False)]
        parts += ["### Paired differences", "Student's t on the differences run by run, the ACML paper's test; bold: p < 0.05; no p where all differences are alike. Runs draw from the same rows, so they are not independent and p is too small: little where a run takes few of many rows, much where it takes most of them.", _grid(["task", "a − b", "at", "difference", "p"], tests, right=2)]
    if results.told:
        parts += ["### Of this run", _list(re.sub(r"\b[a-z]+_[a-z_]+\b", lambda word: title_of(word[0]), sentence) for sentence in results.told)]
    return "\n\n".join(parts + [conclusions(experiment, results, protocol)]) + "\n"


def _opening(experiment):
    figure = f"{experiment.figure} of {PAPERS[experiment.paper]}." if experiment.paper != "beyond" else "Beyond the papers."
    return [f"# {experiment.title}", MARK.format(name=experiment.name), figure, experiment.about]


CONCLUSIONS = ("## What agrees", "## What it shows")  # how they begin


def conclusions(experiment, results, protocol=True):
    """What the page says of its numbers: which agree with the paper, why others do not, what had to be assumed."""
    rows = experiment.agreement(results)
    agree, differ, easy = [row for row in rows if row["agrees"] and not row["easy"]], [row for row in rows if not row["agrees"]], [row for row in rows if row["easy"]]
    why = experiment.why if protocol else []
    parts = []
    if rows:
        parts.append(f"## What agrees\n\n{counted(rows)} (experiments/{experiment.paper}/expected.csv).{' ' + experiment.gaps if experiment.gaps else ''}")
        parts.append(_list(_agreement_text(agree)) if agree else "Nothing does.")
        if easy:
            parts.append("Within the gap, but not counted, because these values could hardly miss:\n\n" + _list(f"{told} ({row['easy']})" for row, told in zip(easy, _agreement_text(easy))))
        parts += _by_panel(experiment, results, rows)
        parts.append("## What does not")
        parts.append(_list(_agreement_text(differ) + why) if differ or why else "Nothing.")
    else:
        parts += ["## What it shows" if experiment.paper == "beyond" else "## What agrees, what does not", _list(why) if why else "There are no published numbers to compare with."]
    return "\n\n".join([*parts, "## What we had to assume", _list(experiment.assumed)])


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


def write(experiment, done, folder):
    """The files of one experiment; gives the path of the page."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / f"{experiment.name}.csv", done.results.table.to_csv(index=False))
    if experiment.draw:
        draw(experiment, done.settings, done.results, folder)
    page = folder / f"{experiment.name}.md"
    _write(page, text(experiment, done))
    return page


def draw(experiment, settings, results, folder):
    import matplotlib
    import matplotlib.pyplot as plt

    with matplotlib.rc_context({"svg.hashsalt": experiment.name, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = experiment.draw(settings, results)
        for kind in ("svg", "png"):
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)
            _write(folder / f"{experiment.name}.{kind}", re.sub(rb"[ \t]+\n", b"\n", drawn.getvalue()) if kind == "svg" else drawn.getvalue())
        plt.close(figure)


def kept_results(experiment, folder):
    """What a page's CSV holds of its run."""
    return Results(pd.read_csv(folder / f"{experiment.name}.csv"))


def rewrite(experiment, folder):
    """The sentences of a page anew, around the account of a run that stays, and judged by the numbers that are kept of it."""
    page = pathlib.Path(folder) / f"{experiment.name}.md"
    kept = page.read_text().split("\n\n")
    run = next(place for place, part in enumerate(kept) if part.startswith("`postil experiment run"))
    end = next(place for place, part in enumerate(kept) if part.startswith(CONCLUSIONS))
    said = conclusions(experiment, kept_results(experiment, page.parent), NOT_THE_PROTOCOL not in kept[run])
    _write(page, "\n\n".join([*_opening(experiment), *kept[run:end], said]) + "\n")
    return page


def _first_sentence(text):
    """Without its end at "M. africanum" or "et al. 2020"."""
    return re.split(r"(?<=[.?!]) (?=[A-Z`])", text)[0]


def write_index(known, papers, folder):
    """A page that lists what the folder holds; a README that is not ours stays."""
    index = folder / "README.md"
    mark = "<!-- Written by `postil experiment run`; do not edit. -->"
    if index.exists() and mark not in index.read_text():
        return
    lines = [
        "# Experiments",
        mark,
        "Every figure and table of the papers, made again; `postil experiment run NAME` makes one, `make experiments` all of them and these pages. Each page ends with what agrees, what does not, and what we had to assume.",
    ]
    for paper in papers:
        rows = [(name, each) for name, each in known.items() if each.paper == paper and (folder / f"{name}.md").exists()]
        if rows:
            lines.append(f"## {PAPERS[paper][0].upper() + PAPERS[paper][1:]}")
            lines.append(_grid(["page", "in the paper", "about"], [[f"[{each.title}]({name}.md)", each.figure, _first_sentence(each.about)] for name, each in rows], right=3))
    _write(index, "\n\n".join(lines) + "\n")
