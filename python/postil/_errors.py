"""What Postil complains about. Every error says where, what was found and what was expected."""


class Error(ValueError):
    """Whatever Postil complains about."""

    __module__ = "postil"


class ParamError(Error):
    """A parameter that does not exist or is out of range."""

    __module__ = "postil"


class DataError(Error):
    """Data that cannot be read, or do not fit the model."""

    __module__ = "postil"


class ParseError(Error):
    """Rules that cannot be understood."""

    __module__ = "postil"


class ModelError(Error):
    """A model file that is damaged, foreign or from another version."""

    __module__ = "postil"
