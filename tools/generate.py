"""Writes everything that is generated, documentation and Python estimators, from what the program says of itself.

    tools/generate.py           write the files
    tools/generate.py --check   write nothing; end with 1 if a file would change
"""

import csv
import html
import json
import pathlib
import subprocess
import sys
import tempfile

import generate_python
import readme_picture

ROOT = pathlib.Path(__file__).resolve().parent.parent
POSTIL = ROOT / "build" / "postil"
NOTE = "<!-- Written by tools/generate.py from `{}`; do not edit. -->\n"


def postil(*arguments, cwd=None):
    return subprocess.run([str(POSTIL), *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


# ---- learner pages ----


def parameter_table(parameters):
    lines = ["| name | | default | range | meaning |", "|---|---|---|---|---|"]
    for p in parameters:
        allowed = p["range"].replace("|", "\\|")
        lines.append(f"| `{p['name']}` | {p['symbol']} | {json.dumps(p['default']) if not isinstance(p['default'], str) else p['default']} | {allowed} | {p['help']} |")
    return "\n".join(lines)


EXAMPLE_RULES = """below: x2 <= 0 => positive
above: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive
"""


def example(learner):
    """A session on generated data with the output it really has."""
    advice = " --advice points.rules" if learner["advice"] else ""
    commands = [
        "make synthetic --rows 500 --seed 1 -o points.csv",
        f"train points.csv{advice} --learner {learner['name']} --passes 3 --quiet --model points.postil",
        "evaluate points.postil points.csv",
    ]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "points.rules").write_text(EXAMPLE_RULES)
        outputs = [postil(*command.split(), cwd=folder) for command in commands]
    shown = "".join(f"$ postil {command}\n" for command in commands)
    if learner["advice"]:
        shown = f"$ cat points.rules\n{EXAMPLE_RULES}{shown}"
    return f"```\n{shown}{outputs[-1]}```"  # the last one alone says nothing of time


def as_printed(learner):
    settings = learner["paper_settings"]
    return f"**As printed.** `--preset paper` is `{settings}` on columns as they are (`--scale none`): the algorithm as its paper prints it.\n\n" if settings else ""


def learner_page(learner):
    traits = [learner["task"], "online" if learner["online"] else "batch"]
    traits += ["takes advice"] if learner["advice"] else []
    traits += ["kernels"] if learner["kernels"] else []
    traits += ["[shards](../shards.md)"] if learner["shards"] else []
    return (
        f"# {learner['title']}\n\n{NOTE.format('postil learners --json')}\n"
        f"`--learner {learner['name']}` · {', '.join(traits)} · [{learner['reference']}](../references.bib)\n"
        f"{learner['page']}\n{as_printed(learner)}## Parameters\n\n{parameter_table(learner['params'])}\n\n## Example\n\n{example(learner)}\n"
    )


def learner_index(learners):
    lines = ["# Learners\n", NOTE.format("postil learners --json"), "| name | what | task | online | advice | shards |", "|---|---|---|---|---|---|"]
    for entry in learners:
        yes = {True: "yes", False: "no"}
        lines.append(f"| [`{entry['name']}`]({entry['name']}.md) | {entry['title']} | {entry['task']} | {yes[entry['online']]} | {yes[entry['advice']]} | {yes[entry['shards'] is not None]} |")
    return "\n".join(lines) + "\n"


# ---- the command ----


def command_page():
    text = "# The command\n\n" + NOTE.format("postil --help")
    waiting = [""]
    while waiting:
        verb = waiting.pop(0)
        page = postil(*verb.split(), "--help").strip()
        text += f"\n## postil {verb}".rstrip() + f"\n\n```\n{page}\n```\n"
        listed = page.split("Subcommands:")[1].splitlines() if "Subcommands:" in page else []
        waiting[:0] = [f"{verb} {line.split()[0]}".strip() for line in listed if line.startswith("  ") and not line.startswith("   ")]
    return text.replace(str(POSTIL), "postil")


# ---- the picture ----

# The corners of the three rules' regions (rules for the synthetic data, from the Adviceptron paper's Figure 1).
REGIONS = [("positive", [(1, 0), (2, 1), (4, -2), (3, -3)]), ("positive", [(5, 1), (6, 2), (8, -1), (7, -2)]), ("negative", [(3.25, 0.5), (4.25, 4.5), (6.25, 5.5)])]
COLORS = {"positive": "#1b6ca8", "negative": "#c2571a"}
WIDTH, HEIGHT, UNIT, LEFT, BOTTOM = 660, 560, 55, -2, -4  # pixels; pixels per unit; coordinates of the corner


def place(x, y):
    return f"{(x - LEFT) * UNIT:.1f},{HEIGHT - (y - BOTTOM) * UNIT:.1f}"


FEW = 6  # points that are learned from
RULES = """a1: x1 - x2 >= 1 and x1 - x2 <= 6 and 3*x1 + 2*x2 >= 3 and 3*x1 + 2*x2 <= 8 => positive
a2: x1 - x2 >= 4 and x1 - x2 <= 9 and 3*x1 + 2*x2 >= 17 and 3*x1 + 2*x2 <= 22 => positive
a3: 4*x1 - x2 >= 12.5 and -x1 + 2*x2 <= 4.75 and 5*x1 - 3*x2 <= 14.75 => not positive
"""


def picture():
    with tempfile.TemporaryDirectory() as folder:
        postil("make", "synthetic", "--rows", "250", "--seed", "1", "-o", "points.csv", cwd=folder)
        text = (pathlib.Path(folder) / "points.csv").read_text()
        (pathlib.Path(folder) / "few.csv").write_text("".join(text.splitlines(keepends=True)[: FEW + 1]))
        (pathlib.Path(folder) / "points.rules").write_text(RULES)
        lines = []
        for advice in ([], ["--advice", "points.rules"]):
            postil("train", "few.csv", *advice, "--quiet", "--model", "m", cwd=folder)
            explained = json.loads(postil("explain", "m", "--json", cwd=folder))
            lines.append((*explained["raw_weights"], explained["raw_bias"]))
        points = list(csv.DictReader(text.splitlines()))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="15">']
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    for name, corners in REGIONS:
        outline = " ".join(place(*corner) for corner in corners)
        parts.append(f'<polygon points="{outline}" fill="{COLORS[name]}" fill-opacity="0.15" stroke="{COLORS[name]}" stroke-dasharray="5 3"/>')
    for number, point in enumerate(points):
        x, y = place(float(point["x1"]), float(point["x2"])).split(",")
        size, ring = (6, ' stroke="black" stroke-width="1.5"') if number < FEW else (3, "")
        parts.append(f'<circle cx="{x}" cy="{y}" r="{size}" fill="{COLORS[point["label"]]}" fill-opacity="0.7"{ring}/>')
    for (w1, w2, b), style in zip(lines, ('stroke="#888" stroke-width="2" stroke-dasharray="2 4"', 'stroke="black" stroke-width="2.5"')):
        ends = [place(x, -(w1 * x + b) / w2) for x in (LEFT, LEFT + WIDTH / UNIT)]
        parts.append(f'<polyline points="{" ".join(ends)}" {style} fill="none"/>')
    legend = [("positive", COLORS["positive"]), ("negative", COLORS["negative"]), ("dashed: where a rule speaks", "#444"), (f"dotted: learned from {FEW} points (ringed)", "#777"), (f"line: from the same {FEW} and the rules", "black")]
    for row, (text, color) in enumerate(legend):
        parts.append(f'<text x="14" y="{26 + 21 * row}" fill="{color}">{html.escape(text)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def generated():
    learners = json.loads(postil("learners", "--json"))
    files = {"docs/learners/README.md": learner_index(learners), "docs/command.md": command_page(), "docs/picture.svg": picture(), "docs/few-labels.svg": readme_picture.picture()}
    files.update({f"docs/learners/{entry['name']}.md": learner_page(entry) for entry in learners})
    files.update(generate_python.generated(learners))
    files.update(generate_python.reference(learners, ROOT / "python/postil"))
    return files


def main():
    check = "--check" in sys.argv[1:]
    files, stale = generated(), []
    for name, text in files.items():
        path = ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for path in (ROOT / "docs/learners").glob("*.md"):
        if str(path.relative_to(ROOT)) not in files:
            stale.append(f"{path.relative_to(ROOT)} (no such learner)")
            if not check:
                path.unlink()
    print("\n".join(f"{'would change' if check else 'written'}: {name}" for name in stale) or "nothing to change")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
