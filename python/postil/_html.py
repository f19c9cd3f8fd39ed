"""Tables with small bars for notebooks, on light and on dark paper. Everything that comes from users is escaped."""

from __future__ import annotations

import html
from typing import Any

# Text takes the colour of the page. The colours of bars follow the reader's system, and Jupyter's theme where it says which.
_LIGHT = "--postil-yes:#1b6ca8;--postil-no:#b34d12;--postil-rest:#8a8a8a;"
_DARK = "--postil-yes:#6db3e8;--postil-no:#f0935a;--postil-rest:#9a9a9a;"
_STYLE = f"""<style>
.postil{{{_LIGHT}color:inherit;line-height:1.4;overflow-x:auto}}
@media (prefers-color-scheme:dark){{.postil{{{_DARK}}}}}
[data-jp-theme-light="true"] .postil{{{_LIGHT}}}
[data-jp-theme-light="false"] .postil,.vscode-dark .postil{{{_DARK}}}
.postil table{{border-collapse:collapse;margin:.3em 0 .8em;color:inherit}}
.postil th,.postil td{{padding:.15em .6em;text-align:left;border:0;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent);white-space:nowrap}}
.postil td.words{{white-space:normal;min-width:14em;max-width:36em}}
.postil th{{font-weight:600}}
.postil .number{{text-align:right;font-variant-numeric:tabular-nums}}
.postil summary{{cursor:pointer;margin:.3em 0}}
.postil p{{margin:.3em 0}}
.postil pre{{margin:.3em 0;color:inherit;background:none}}
.postil .bar{{display:inline-block;position:relative;width:5em;height:.75em;background:color-mix(in srgb,currentColor 9%,transparent);vertical-align:baseline}}
.postil .bar i{{position:absolute;top:0;bottom:0;background:var(--postil-yes)}}
.postil .bar i.no{{background:var(--postil-no)}}
.postil .bar i.range{{top:40%;bottom:40%;background:currentColor;opacity:.55}}
.postil .bar i.mark{{width:2px;top:-.15em;bottom:-.15em;background:currentColor}}
.postil b.yes{{color:var(--postil-yes)}}
.postil b.no{{color:var(--postil-no)}}
</style>"""


class Html(str):
    """What needs no escaping."""


class Words(str):
    """A text that may be broken into lines."""


def page(*parts: str) -> str:
    return f'<div class="postil">{_STYLE}{"".join(parts)}</div>'


def escaped(value: object) -> str:
    return html.escape(str(value))


def text(lines: str) -> str:
    """What stands in no table, as it is."""
    return f"<pre>{escaped(lines.rstrip())}</pre>" if lines.strip() else ""


def paragraph(line: str) -> str:
    return f"<p>{escaped(line)}</p>"


def heading(line: str) -> str:
    return f"<p><strong>{escaped(line)}</strong></p>"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Html):
        return value
    return escaped(f"{value:.3g}" if isinstance(value, float) else value)


def table(columns: list[str], rows: list[list[Any]]) -> str:
    """Numbers stand to the right, as do the heads of their columns."""
    number = [any(isinstance(row[k], (int, float)) for row in rows) for k in range(len(columns))]
    right = [' class="number"' if is_number else "" for is_number in number]
    head = "".join(f"<th{right[k]}>{escaped(name)}</th>" for k, name in enumerate(columns))
    words = ' class="words"'
    body = "".join("<tr>" + "".join(f"<td{words if isinstance(value, Words) else right[k]}>{_shown(value)}</td>" for k, value in enumerate(row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


# ---- bars ----


def _part(kind: str, low: float, high: float) -> str:
    low, high = (min(max(100 * end, 0), 100) for end in (low, high))
    return f'<i class="{kind}" style="left:{low:.1f}%;width:{high - low:.1f}%"></i>'


def _mark(place: float) -> str:
    return f'<i class="mark" style="left:calc({min(max(100 * place, 0), 100):.1f}% - 1px)"></i>'


def share_bar(share: float | None, *, mark: float | None = None, interval: Any = None) -> Html:
    """A share of 1, with a mark for what is usual, and how well it is known."""
    if share is None:
        return Html("")
    parts = _part("yes" if mark is None or share >= mark else "no", 0, share)
    parts += _part("range", *interval) if interval else ""
    parts += "" if mark is None else _mark(mark)
    return Html(f'<span class="bar">{parts}</span>')


def signed_bar(value: float, largest: float) -> Html:
    """To the right of the middle if positive, to the left if negative."""
    half = 0.5 * abs(value) / largest if largest > 0 else 0
    part = _part("yes", 0.5, 0.5 + half) if value >= 0 else _part("no", 0.5 - half, 0.5)
    return Html(f'<span class="bar">{part}{_mark(0.5)}</span>')


_GOOD, _BAD = ("supported", "helps"), ("contradicted", "harms")


def verdict(word: str) -> Html:
    kind = "yes" if word in _GOOD else "no" if word in _BAD else ""
    return Html(f'<b class="{kind}">{escaped(word)}</b>' if kind else escaped(word))
