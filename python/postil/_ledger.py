"""The ledger as a DataFrame; loaded when it is first asked for, as pandas is."""

from __future__ import annotations

from typing import Any

import pandas as pd

from . import _html, _views


class Ledger(pd.DataFrame):
    """What became of each rule: a DataFrame, printed as the command prints it, and a table with bars in notebooks.

    What is selected from it is an ordinary DataFrame.
    """

    _metadata = ["_text", "_notes"]
    _text = ""
    _notes: list[str] = []

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        rules = self.astype(object).where(self.notna(), None).reset_index().to_dict("records")
        return _html.page(_views.ledger_view(rules, self._notes) or _html.paragraph("There are no rules."))
