"""What the engine tells."""


class Told(dict):
    """A dict with the names of the command's JSON, whose text is that of the command."""

    def __init__(self, values, text, notes=""):
        super().__init__(values)
        self._text = text
        self._notes = notes  # what stands in no table

    def __str__(self):
        return self._text

    __repr__ = __str__
