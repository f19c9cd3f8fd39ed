#!/usr/bin/env python3
"""Learning curves from `postil curve --json`: in the terminal and, with --svg FILE, as a picture. Needs nothing but Python.

    postil curve DATA ... --json | tools/draw_curve.py --svg curve.svg
"""

import argparse
import html
import json
import math
import sys

COLORS = ("#3b8f4f", "#a3123f", "#1b6ca8", "#c2571a")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 400, 60, 20, 20, 50
BAR = 40


def place(examples):
    """Numbers of examples on a scale that has room for 0."""
    return math.log10(1 + examples)


def terminal(curve):
    most = max((value for learner in curve["learners"] for value in learner["error_mean"] if value), default=1)
    name_width = max(len(learner["name"]) for learner in curve["learners"])
    lines = []
    for k, examples in enumerate(curve["checkpoints"]):
        for learner in curve["learners"]:
            value = learner["error_mean"][k] or 0
            head = f"{examples:>6} examples" if learner is curve["learners"][0] else " " * 15
            lines.append(f"{head}  {learner['name']:<{name_width}}  {'█' * round(BAR * value / most):<{BAR}} {100 * value:5.1f} %")
    return "\n".join(lines)


def svg(curve, title):
    places = [place(examples) for examples in curve["checkpoints"]]
    most = max((value or 0) + (error or 0) for learner in curve["learners"] for value, error in zip(learner["error_mean"], learner["error_se"])) or 1
    across = lambda x: LEFT + (WIDTH - LEFT - RIGHT) * (x - places[0]) / ((places[-1] - places[0]) or 1)
    down = lambda y: TOP + (HEIGHT - TOP - BOTTOM) * (1 - max(0.0, y) / most)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    step = 10 ** math.floor(math.log10(most)) / (2 if most / 10 ** math.floor(math.log10(most)) < 3 else 1)
    for k in range(int(most / step) + 1):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down(k * step):.1f}" y2="{down(k * step):.1f}" stroke="#ddd"/><text x="{LEFT - 8}" y="{down(k * step) + 4:.1f}" text-anchor="end">{100 * k * step:g} %</text>')
    for x, examples in zip(places, curve["checkpoints"]):
        parts.append(f'<text x="{across(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{examples}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{html.escape(title)}</text>')
    for k, learner in enumerate(curve["learners"]):
        color = COLORS[k % len(COLORS)]
        points = [(x, value or 0, error or 0) for x, value, error in zip(places, learner["error_mean"], learner["error_se"])]
        upper = [f"{across(x):.1f},{down(y + e):.1f}" for x, y, e in points]
        lower = [f"{across(x):.1f},{down(y - e):.1f}" for x, y, e in reversed(points)]
        parts.append(f'<polygon points="{" ".join(upper + lower)}" fill="{color}" opacity="0.18"/>')
        parts.append(f'<polyline points="{" ".join(f"{across(x):.1f},{down(y):.1f}" for x, y, _ in points)}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - RIGHT - 8}" y="{TOP + 16 + 18 * k}" text-anchor="end" fill="{color}">{html.escape(learner["name"])}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", help="file for the picture")
    parser.add_argument("--names", help="A,B,...: what the learners are to be called")
    parser.add_argument("--title", default="labelled examples", help="below the picture")
    arguments = parser.parse_args()
    curve = json.load(sys.stdin)
    if arguments.names:
        for learner, name in zip(curve["learners"], arguments.names.split(",")):
            learner["name"] = name
    print(terminal(curve))
    if arguments.svg:
        with open(arguments.svg, "w", encoding="utf-8") as file:
            file.write(svg(curve, arguments.title))


if __name__ == "__main__":
    main()
