"""Warnings at the line of the user's program that called Postil."""

import sys
import warnings

_INSIDE = {"postil", "sklearn", "joblib", "river"}  # pipelines, searches and evaluations call Postil for a user


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
