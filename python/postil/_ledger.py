"""The ledger as a DataFrame; loaded when it is first asked for, as pandas is."""

from __future__ import annotations

from typing import Any

import pandas as pd

from . import _html, _postil, _views

COLUMNS = ["id", "text", "class", "polarity", "fired", "agreed", "contradicted", "precision", "base_rate", "z", "verdict", "closeness", "direction", "influence", "trust", "contradicted_by"]


class Ledger(pd.DataFrame):
    """What became of each rule: a DataFrame, printed as the command prints it, and a table with bars in notebooks.

    What is selected from it is an ordinary DataFrame.
    """

    _metadata = ["_text", "_notes", "_classes"]
    _text = ""
    _notes: list[str] = []
    _classes: list[str] = []

    @classmethod
    def of(cls, engine: _postil.Engine) -> Ledger:
        entries = engine.ledger()
        table = pd.DataFrame([{name: entry[name] for name in COLUMNS} for entry in entries], columns=COLUMNS)
        table["contradicted_by"] = [[row - 1 for row in entry["contradicted_by"]] for entry in entries]
        out = cls(table.set_index("id"))
        out._text, out._notes = engine.ledger_text()
        out._classes = engine.classes
        return out

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        rules = self.astype(object).where(self.notna(), None).reset_index().to_dict("records")
        return _html.page(_views.ledger_view(rules, self._notes, self._classes))
