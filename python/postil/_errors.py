"""What Postil complains about. Every error says where, what was found and what was expected."""

from typing import NamedTuple


class Place(NamedTuple):
    """A place in a file. What is not known is None; lines and columns count from 1."""

    file: str | None = None
    line: int | None = None
    column: int | None = None


class Subject(NamedTuple):
    """What an error is about: its kind ('column', 'class', 'parameter', 'rule', ...) and its name."""

    kind: str
    name: str | None = None


class Error(ValueError):
    """Whatever Postil complains about: a message, and its parts.

    Attributes
    ----------
    code : str
        The kind of problem in a word that does not change: 'unknown_column', 'not_a_number', ...
    subject : Subject or None
        What it is about.
    place : Place
        Where it is, in a file.
    found, expected : str or None
        What stands there, and what should.
    remedy : str or None
        What would help.
    """

    __module__ = "postil"

    code: str = "failed"
    subject: Subject | None = None
    place: Place = Place()
    found: str | None = None
    expected: str | None = None
    remedy: str | None = None


class ParamError(Error):
    """A parameter that does not exist or is out of range."""

    __module__ = "postil"

    code = "bad_option"


class DataError(Error):
    """Data that cannot be read, or do not fit the model."""

    __module__ = "postil"

    code = "bad_data"


class NoSuchFile(DataError, FileNotFoundError):
    """A file that is not there."""

    __module__ = "postil"

    @classmethod
    def from_error(cls, error):
        """The same error, of this kind."""
        new = cls(str(error))
        new.__dict__.update(error.__dict__)
        return new


class ParseError(Error):
    """Rules that cannot be understood."""

    __module__ = "postil"

    code = "bad_syntax"


class ModelError(Error):
    """A model file that is damaged, foreign or from another version."""

    __module__ = "postil"

    code = "damaged_file"
