"""What the engine tells: a dict with the names of the command's JSON, whose text is that of the command."""

import html


class Told(dict):
    def __init__(self, values, text):
        super().__init__(values)
        self._text = text

    def __str__(self):
        return self._text

    __repr__ = __str__


def table(columns, rows):
    """For notebooks."""

    def cell(value):
        return html.escape(f"{value:.3g}" if isinstance(value, float) else "" if value is None else str(value))

    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
