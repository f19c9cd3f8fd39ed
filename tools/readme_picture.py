"""The picture of the README, docs/few-labels.svg, from the numbers in docs/few-labels.csv; tools/generate.py draws it.

To measure the numbers again (POSTIL_DATA names the folder of real data sets, which holds pima/pima.csv.gz):

    postil experiment run fresh-rules --set runs=100 --set 'tasks=["diabetes"]' --set 'peers=["logistic regression"]' --out build/few-labels
    tools/readme_picture.py build/few-labels/fresh-rules.csv        # keeps the curves that the picture shows, and draws it
"""

import csv
import io
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = ROOT / "docs" / "few-labels.csv"
PICTURE = ROOT / "docs" / "few-labels.svg"
LAST = 200  # labels
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 400, 62, 244, 52, 52
LOW, HIGH = 0.20, 0.50
# learner in the CSV file: name in the picture (two lines at most), colour, dashes, whether its standard errors are drawn
LOOKS = {
    "logistic regression": ("labels alone,\nlogistic regression", "#8a5a00", "7 4", True),
    "advised, no rules": ("labels alone,\nPostil", "#5c6670", "", True),
    "rules as written": ("two rules alone", "#3b8f4f", "2 4", False),
    "advised": ("two rules and labels,\nPostil", "#0b5fa5", "", True),
}


def kept(text):
    """The lines of the experiment's table that the picture needs."""
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["learner"] in LOOKS and row["quantity"] == "balanced error" and row["task"] == "diabetes" and int(row["at"]) <= LAST]
    lines = [f"{row['learner'].replace(',', '')},{row['at']},{float(row['mean']):.4f},{float(row['se']):.4f},{row['runs']}" for row in rows]
    return "\n".join(["learner,labels,balanced_error,standard_error,runs", *lines]) + "\n"


def across(labels):
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log1p(labels) / math.log1p(LAST)


def down(error):
    return TOP + (HEIGHT - TOP - BOTTOM) * (HIGH - error) / (HIGH - LOW)


def text(x, y, words, **attributes):
    return f'<text x="{x:.1f}" y="{y:.1f}" ' + " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in attributes.items()) + f">{words}</text>"


def picture():
    curves = {}
    for row in csv.DictReader(NUMBERS.read_text().splitlines()):
        curves.setdefault(row["learner"], []).append((int(row["labels"]), float(row["balanced_error"]), float(row["standard_error"])))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Helvetica, Arial, sans-serif" font-size="14" role="img">']
    parts.append("<title>Error on new patients against the number of labelled patients, with two rules and without</title>")
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>')  # its own background: it reads the same on a dark page
    parts.append(text(LEFT, 28, "Error on new patients (mean of the two classes)", fill="#222", font_size=16, font_weight="bold"))
    for error in (0.2, 0.3, 0.4, 0.5):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down(error):.1f}" y2="{down(error):.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, down(error) + 5, f"{100 * error:.0f} %", fill="#444", text_anchor="end"))
    for labels, *_ in curves["advised"]:
        parts.append(f'<line x1="{across(labels):.1f}" x2="{across(labels):.1f}" y1="{down(LOW):.1f}" y2="{down(LOW) + 5:.1f}" stroke="#888"/>')
        parts.append(text(across(labels), down(LOW) + 21, labels, fill="#444", text_anchor="middle"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "labelled patients", fill="#222", text_anchor="middle"))
    heights = []
    for learner, (name, color, dashes, errors) in LOOKS.items():
        points = curves[learner.replace(",", "")]
        if errors:
            edge = [f"{across(x):.1f},{down(y + e):.1f}" for x, y, e in points] + [f"{across(x):.1f},{down(y - e):.1f}" for x, y, e in reversed(points)]
            parts.append(f'<polygon points="{" ".join(edge)}" fill="{color}" opacity="0.15"/>')
        elif learner == "rules as written":
            points = [(x, points[0][1], 0) for x, *_ in points]  # rules alone need no labels: their error before the first
        line = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y, _ in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="{3 if learner == "advised" else 2}" stroke-linejoin="round"{dashed}/>')
        heights.append((name, color, dashed, learner == "advised"))
    for k, (name, color, dashed, bold) in enumerate(heights):
        y = TOP + 24 + 58 * k
        parts.append(f'<line x1="{WIDTH - RIGHT + 14}" x2="{WIDTH - RIGHT + 46}" y1="{y - 5}" y2="{y - 5}" stroke="{color}" stroke-width="{3 if bold else 2}"{dashed}/>')
        for n, words in enumerate(name.split("\n")):
            parts.append(text(WIDTH - RIGHT + 54, y + 18 * n, words, fill=color, **({"font_weight": "bold"} if bold else {})))
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    if len(sys.argv) > 1:
        NUMBERS.write_text(kept(pathlib.Path(sys.argv[1]).read_text()))
    PICTURE.write_text(picture())


if __name__ == "__main__":
    main()
