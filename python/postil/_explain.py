"""Explanations: dicts with the names of `postil explain --json`, a text, and a table for notebooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _data, rules
from ._told import Told, table

if TYPE_CHECKING:
    import pandas


class Explanation(Told):
    """What a model has learned."""

    def _repr_html_(self):
        parts = [f"<p>{self['learner']}, classes: {', '.join(self['classes'])}</p>"]
        weights, raw, bias, raw_bias = (self[name] for name in ("weights", "raw_weights", "bias", "raw_bias"))
        if weights and not isinstance(weights[0], list):
            weights, raw, bias, raw_bias = [weights], [raw], [bias], [raw_bias]
        for place, values in enumerate(weights):
            order = sorted(range(len(values)), key=lambda j: -abs(values[j]))[:20]
            title = f"weights of {self['classes'][place]}" if len(weights) > 1 else "weights"
            rows = [[self["features"][j], values[j], raw[place][j]] for j in order] + [["(bias)", bias[place], raw_bias[place]]]
            parts.append(f"<p>{title}</p>" + table(["feature", "weight", "in raw units"], rows))
        if self["rules"]:
            names = ["id", "text", "fired", "agreed", "contradicted", "verdict", "influence"]
            parts.append("<p>rules</p>" + table(names, [[rule[name] for name in names] for rule in self["rules"]]))
        return "".join(parts)


class RowExplanation(Told):
    """Why one row gets its score."""

    def _repr_html_(self):
        parts = [f"<p>predicted: {self['label']}</p>"]
        for task in self.get("per_class", [self]):
            features = sorted(task["features"], key=lambda entry: -abs(entry["contribution"]))
            rows = [[entry["feature"], entry["value"], entry["contribution"]] for entry in features] + [["(bias)", "", task["bias"]]]
            parts.append(f"<p>score of {task['class']}: {task['score']:.4g}</p>" + table(["feature", "value", "adds"], rows))
            if task["rules"]:
                rows = [[entry["id"], "holds" if entry["holds"] else "", entry["contribution"]] for entry in task["rules"]]
                parts.append(table(["rule", "here", "adds"], [*rows, ["the examples", "", task["data"]]]))
        return "".join(parts)


class ExplainMixin:
    """What an estimator has learned, and what became of its rules."""

    def explain(self, row: Any = None, *, certify: Any = None) -> Explanation | RowExplanation:
        """What the model has learned, or why one row gets its score.

        Parameters
        ----------
        row : one row, or a frame of one row; optional
            To be explained: what each feature and each rule adds to its score.
        certify : rules, optional
            For each, a proof that the model obeys it everywhere, or a counterexample.

        Returns
        -------
        Explanation or RowExplanation
            A dict as `postil explain --json` prints it; its text is that of the command.
        """
        engine = self._ready()
        if row is not None:
            return RowExplanation(*engine.explain_row(self._one_row(row)))
        text = "" if certify is None else rules.read(certify)[0]
        return Explanation(json.loads(engine.explain_json(text)), engine.explain_text())

    def _one_row(self, row):
        if _data.is_named_row(row):
            import pandas as pd

            values = {str(name): value for name, value in row.items()}
            if not hasattr(self, "feature_names_in_") and not set(values) & set(self._engine.column_names):
                values = dict(zip(self._engine.column_names, values.values()))  # columns without names, in their order
            return _data.rows_of(pd.DataFrame([{name: values.get(name, np.nan if self._engine.missing_allowed else 0) for name in self._engine.column_names}]))
        if _data.is_plain_row(row):
            return self._model_rows(np.asarray(row, dtype=np.float64)[None, :])
        rows = self._rows(row, reset=False)
        if len(rows) != 1:
            raise ValueError(f"explain tells of one row, found {len(rows)}")
        return rows

    def ledger(self) -> pandas.DataFrame:
        """What became of each rule, as a DataFrame: how often it held, agreed and was contradicted, and what it moved.

        `contradicted_by` holds the last few rows that spoke against it, counted from 0 in the order they were given.
        """
        import pandas as pd

        entries = self._ready().ledger()
        columns = ["id", "text", "class", "polarity", "fired", "agreed", "contradicted", "precision", "base_rate", "z", "verdict", "closeness", "direction", "influence", "trust", "contradicted_by"]
        table = pd.DataFrame([{name: entry[name] for name in columns} for entry in entries], columns=columns)
        table["contradicted_by"] = [[row - 1 for row in entry["contradicted_by"]] for entry in entries]
        return table.set_index("id")
