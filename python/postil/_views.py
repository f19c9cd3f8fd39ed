"""What notebooks show: HTML of explanations, of checked rules and of the ledger, with everything that their texts say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._html import Html, Words, escaped, heading, page, paragraph, share_bar, signed_bar, table, text, verdict


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}%"


# ---- rules ----


def rules_view(rules: Iterable[Any]) -> str:
    rows = [[rule.id, Words(rule.condition), ("not " if rule.negated else "") + rule.says] for rule in rules]
    return page(table(["rule", "condition", "says"], rows))


def check_view(checked: dict[str, Any], notes: str) -> str:
    if checked["rows"] is None:
        rows = [[rule["id"], Words(rule["text"]), "direction" if "direction" in rule else f"{rule['sets']}{'+' if 'cut' in rule else ''}"] for rule in checked["rules"]]
        return page(table(["rule", "text", "sets"], rows), text(notes))
    rows = []
    for rule in checked["rules"]:
        if "direction" in rule:
            correlation = rule["correlation"]
            found = [Html(""), "", "" if correlation is None else f"correlation {correlation:.2f}", Html(""), "", "", "", None]
        else:
            known = rule["interval"]
            found = [
                share_bar(rule["coverage"]),
                _percent(rule["coverage"]),
                f"{rule['agreed']} of {rule['labelled']}" if rule["labelled"] else "",
                share_bar(rule["precision"], mark=rule["base_rate"], interval=known),
                _percent(rule["precision"]),
                "" if known is None else f"{_percent(known[0])} to {_percent(known[1])}",
                _percent(rule["base_rate"]),
                "" if rule["lift"] is None else f"{rule['lift']:.2f}",
            ]
        rows.append([rule["id"], Words(rule["text"]), *found, verdict(rule["verdict"])])
    columns = ["rule", "text", "covers", "", "right", "", "", "95 % interval", "base rate", "lift", "verdict"]
    return page(table(columns, rows), text(notes))


def repairs_view(found: dict[str, Any]) -> str:
    interval = lambda entry: " to ".join("" if end is None else str(end) for end in (entry["low"], entry["high"]))  # noqa: E731
    numbers = [[entry["rule"], Words(entry["comparison"]), entry["rows"], entry["best"], interval(entry)] for entry in found["numbers"]]
    repairs = []
    for entry in found["repairs"]:
        was, would = entry["was"], entry["would"]
        repairs.append([entry["number"], entry["rule"], Words(entry["text"]), entry["before"], str(entry["after"]), interval(entry), f"{_percent(was['precision'])} → {_percent(would['precision'])}", f"{_percent(was['coverage'])} → {_percent(would['coverage'])}", entry["changed"]])
    parts = [table(["rule", "comparison", "rows", "fits best", "95 % interval"], numbers)]
    parts.append(table(["", "rule", "would be", "was", "becomes", "95 % interval", "right", "covers", "labels that change sides"], repairs) if repairs else paragraph("Nothing to repair: these rows show nothing that chance does not explain."))
    return page(*parts)


# ---- the ledger ----


def _ledger_table(rules: list[dict[str, Any]]) -> str:
    largest = max((abs(rule["influence"]) for rule in rules if rule["influence"] is not None), default=0.0)
    rows = []
    for rule in rules:
        direction = rule["direction"] is not None  # it has no rows of its own
        counts = [None, None, None] if direction else [rule["fired"], rule["agreed"], rule["contradicted"]]
        influence = rule["influence"]
        rows.append(
            [
                rule["id"],
                Words(rule["text"]),
                *counts,
                share_bar(rule["precision"], mark=rule["base_rate"]),
                _percent(rule["precision"]),
                _percent(rule["base_rate"]),
                rule["z"],
                verdict(rule["verdict"]),
                rule["closeness"],
                Html("") if influence is None else signed_bar(influence, largest),
                influence,
                ", ".join(map(str, rule["contradicted_by"])),
            ]
        )
    columns = ["rule", "text", "fired", "agreed", "against", "precision", "", "base rate", "z", "verdict", "closeness", "influence", "", "contradicted by rows"]
    return table(columns, rows)


def ledger_view(rules: list[dict[str, Any]], notes: list[str], classes: list[str]) -> str:
    """`notes`: of each task; where there are several, these are the classes."""
    if not rules:
        return paragraph("There are no rules.")
    if len(notes) < 2:
        return _ledger_table(rules) + text("".join(notes))
    parts = []
    for name, note in zip(classes, notes):
        own = [rule for rule in rules if rule["class"] == name]
        parts += [paragraph(f"class {name}"), _ledger_table(own) if own else "", text(note)] if own or note else []
    return "".join(parts) + text("".join(notes[len(classes) :]))


# ---- models ----


def _weights_table(features: list[str], weights: list[float], raw: list[float], bias: list[float], top: int) -> str:
    order = sorted(range(len(weights)), key=lambda j: -abs(weights[j]))
    largest = abs(weights[order[0]]) if order else 0
    rows: list[list[Any]] = [[features[j], signed_bar(weights[j], largest), weights[j], raw[j]] for j in order[:top]]
    more = [["... and {} more (top=)".format(len(order) - top), Html(""), None, None]] if len(order) > top else []
    return table(["feature", "", "weight", "in raw units"], [*rows, *more, ["(bias)", Html(""), *bias]])


def explanation_view(told: dict[str, Any], title: str, learned: list[str], notes: list[str], top: int) -> str:
    parts = [heading(title)]
    tasks = [told[name] if told["weights"] and isinstance(told["weights"][0], list) else [told[name]] for name in ("weights", "raw_weights", "bias", "raw_bias")]
    names = told.get("questions") or (told["classes"] if len(learned) > 1 else [told["positive"]] if told["positive"] is not None else [""])
    for place, note in enumerate(learned):
        if names[place]:
            parts.append(paragraph(f"{told['label']} = {names[place]}"))
        if place < len(tasks[0]) and tasks[0][place]:
            weights, raw, bias, raw_bias = (values[place] for values in tasks)
            parts.append(_weights_table(told["features"], weights, raw, [bias, raw_bias], top))
        parts.append(text(note))
    if told["rules"]:
        parts += [heading("rules"), ledger_view(told["rules"], notes, told["classes"])]
    if "certificates" in told:
        parts += [heading("does the model obey?"), _certificates(told["certificates"])]
    return page(*parts)


def _certificates(found: list[dict[str, Any]]) -> str:
    found = sorted(found, key=lambda entry: entry["obeyed"] is not False)  # what is wrong comes first
    words = {True: Html('<b class="yes">obeyed</b>'), False: Html('<b class="no">not obeyed</b>'), None: "open"}
    return table(["rule", "", "proof or counterexample"], [[entry["rule"], words[entry["obeyed"]], Words(entry["text"])] for entry in found])


# ---- one row ----


def _sum_table(parts: list[tuple[float, str, bool]], top: int) -> str:
    largest = max((abs(score) for score, _, _ in parts), default=0)
    told = [part for part in parts if not part[2] or round(part[0], 4) != 0] or parts
    features = sum(feature for _, _, feature in told)
    rows: list[list[Any]] = []
    shown = 0
    for score, what, feature in told:
        shown += feature
        if feature and shown > top:
            if shown == features:
                rows.append([None, Html(""), f"... and {features - top} more features (top=)"])
            continue
        rows.append([round(score, 4) + 0.0, signed_bar(score, largest), Words(what)])
    if len(told) < len(parts):
        rows.append([None, Html(""), f"... and {len(parts) - len(told)} of 0.0000"])
    return table(["adds", "", ""], rows)


def row_view(told: dict[str, Any], sums: list[tuple[str, list[Any], list[Any]]], top: int) -> str:
    parts = [Html(f"<p>predicted: <strong>{escaped(told['label'])}</strong></p>")]
    tasks = told.get("per_class", [told])
    for task, (title, whole, by_rule) in sorted(zip(tasks, sums), key=lambda pair: pair[0]["class"] != told["label"]):
        tables = _sum_table(whole, top) + (paragraph("contribution by rule") + _sum_table(by_rule, top) if by_rule else "")
        unlikely = len(tasks) > 1 and task["class"] != told["label"]
        parts.append(f"<details><summary>{escaped(title)}</summary>{tables}</details>" if unlikely else paragraph(title) + tables)
    return page(*parts)


# ---- score cards ----


def scorecard_view(card: dict[str, Any]) -> str:
    points = [[item["item"] if k == 0 else "", entry["condition"], entry["points"]] for item in card["items"] for k, entry in enumerate(item["conditions"])]
    last = len(card["totals"]) - 1
    totals = []
    for k, band in enumerate(card["totals"]):
        low, high = band["low"], band["high"]
        total = "any" if last == 0 else f"{high} or less" if k == 0 else f"{low} or more" if k == last else f"{low}" if low == high else f"{low} to {high}"
        tested = None if band["test_rows"] == 0 else band["test_positives"] / band["test_rows"]
        share = band["probability"]
        totals.append([total, share_bar(share, interval=band["interval"]), _percent(share), " to ".join(map(_percent, band["interval"])), band["rows"], _percent(tested), band["test_rows"]])
    auc = ["-" if card[name]["auc"] is None else f"{card[name]['auc']:.3f}" for name in ("card", "model")]
    notes = [f"On the test rows: AUC {auc[0]} (the model: {auc[1]}), Brier score {card['card']['brier']:.3f} (the model: {card['model']['brier']:.3f})"]
    if not card["own_test"]:
        notes.append("The model may have been trained on the test rows; then its own numbers here are too good.")
    if card["left_out"]:
        notes.append(f"Columns and rules without points: {card['left_out']}")
    return page(
        heading(f"Score card for {card['positive']}"),
        table(["", "", "points"], points),
        paragraph(f"Add up the points. What a total means ({card['rows']} rows made the card, {card['test_rows']} others test it):"),
        table(["total", "", f"share of {card['positive']}", "95 % interval", "rows", "in test", "test rows"], totals),
        text("\n".join(notes)),
    )
