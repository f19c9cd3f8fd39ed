"""Labels as users write them, and as the engine calls them: by text."""

import re

import numpy as np

from . import _errors, _postil


def class_text(label):
    """The name of a class in model files and rules."""
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, (int, np.integer)):
        return str(int(label))
    if isinstance(label, (float, np.floating)):
        return _postil.canonical_label(repr(float(label)))
    return str(label)


_KINDS = (("truth", (bool, np.bool_)), ("integer", (int, np.integer)), ("number", (float, np.floating, int, np.integer)), ("text", str))


def kind_of(labels):
    """What labels are, as the engine calls it, so that a model file can hand them back; '' of those of several kinds."""
    return next((kind for kind, types in _KINDS if labels and all(isinstance(label, types) for label in labels)), "")


_FAMILIES = ((str, "text"), ((bool, np.bool_), "truth values"), ((int, np.integer, float, np.floating), "numbers"))


def family_of(label):
    """What labels of one task have in common, in words."""
    return next((words for types, words in _FAMILIES if isinstance(label, types)), type(label).__name__)


def is_missing(label):
    """Whether there is no label: None, NaN, NaT or pandas.NA."""
    if label is None:
        return True
    if isinstance(label, (str, int)):
        return False
    try:
        return bool(label != label)
    except TypeError:  # pandas.NA does not say whether it differs
        return True


def known(y):
    """The labels that are there, as an array, and a mask that tells which these are (None: all). Throws if they are of several kinds."""
    if isinstance(y, (list, tuple)):
        cells = np.empty(len(y), dtype=object)  # numpy would make one text of NaN
        try:
            cells[:] = y
        except ValueError:  # lists of labels
            cells = np.asarray(y)
    else:
        cells = np.asarray(y)
    if cells.dtype.kind == "f" and cells.ndim == 1:
        there = ~np.isnan(cells)
    elif cells.dtype.kind == "O" and cells.ndim == 1:
        there = np.array([not is_missing(label) for label in cells.tolist()], dtype=bool)
    else:
        return cells, None
    labels = cells if there.all() else cells[there]
    if labels.dtype.kind == "O":
        first = {}
        for label in labels.tolist():
            first.setdefault(family_of(label), label)
        refuse_mixture(first)
        labels = np.array(labels.tolist()) if set(first) <= {words for _, words in _FAMILIES} else labels
    return labels, None if there.all() else there


def spread(codes, there):
    """Codes of the labels that are there, among NaN for those that are not."""
    if there is None:
        return codes
    out = np.full(len(there), np.nan)
    out[there] = codes
    return out


def refuse_mixture(first):
    """`first`: a label of each family."""
    if len(first) > 1:
        (one, a), (other, b) = list(first.items())[:2]
        raise _errors.DataError(f"y holds {one} and {other}, as {a!r} and {b!r}; expected labels of one kind. Write all of them as text, or all as numbers")


def from_texts(texts, kind):
    """The classes of a model as an array. Where their kind is not known: whole numbers, numbers, truth values, or text."""
    if kind in ("", "integer") and all(re.fullmatch(r"-?\d+" if kind else r"-?\d{1,18}", text) for text in texts):
        return np.array([int(text) for text in texts])
    if kind in ("", "number") and all(re.fullmatch(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text) for text in texts):
        return np.array([float(text) for text in texts])
    if kind in ("", "truth") and set(texts) <= {"False", "True"}:
        return np.array([text == "True" for text in texts])
    return np.array(texts)


def distinct(y):
    """np.unique(y, return_inverse=True), but quick for the few whole numbers that classes mostly are."""
    if y.dtype.kind in "iub" and len(y) > 1000:
        low, high = int(y.min()), int(y.max())
        later = y == high
        if low != high and np.count_nonzero(later) + np.count_nonzero(y == low) == len(y):  # two classes
            return np.array([low, high]).astype(y.dtype), later.astype(np.float64)
        if high - low < 1000:
            shifted = (y if low == 0 else y - low).astype(np.intp, copy=False)
            present = np.flatnonzero(np.bincount(shifted, minlength=high - low + 1))
            codes = np.zeros(high - low + 1)
            codes[present] = np.arange(len(present))
            values = (present + low).astype(y.dtype) if y.dtype != bool else present.astype(bool)
            return values, codes[shifted]
    values, codes = np.unique(y, return_inverse=True)
    return values, codes.astype(np.float64)


class Classes:
    """Which label the engine means by which code, and by which class number."""

    def __init__(self, values=()):
        self._take(list(values))
        texts = self.texts()
        if len(set(texts)) < len(texts):
            raise _errors.DataError(f"two classes would be called alike: {', '.join(sorted(texts))}")

    def _take(self, values):
        self.values = values  # by code, as Python objects
        self.codes = {value: float(code) for code, value in enumerate(values)}
        self.by_text = {class_text(value): value for value in values}

    def texts(self):
        return [class_text(value) for value in self.values]

    def labels_of(self, texts, kind):
        """The labels with these names, in this order; some may be known from rules alone."""
        if all(text in self.by_text for text in texts):
            return [self.by_text[text] for text in texts]
        return [self.by_text.get(text, value) for text, value in zip(texts, from_texts(texts, kind).tolist())]

    def follow(self, engine):
        """Codes as an engine has them that was restored."""
        ordered = self.labels_of(engine.labels, engine.label_kind)
        self._take(ordered + [value for value in self.values if value not in ordered])

    def check_kind(self, value):
        """Throws if a new label is of another kind than those before it."""
        if self.values and class_text(value) not in self.by_text:
            refuse_mixture({family_of(label): label for label in (self.values[0], value)})

    def add(self, value, engine):
        """The code of a label not met before. Throws if the engine takes no more classes."""
        if not self.values:
            engine.labels_are(kind_of([value]))
        code = engine.label_code(class_text(value))
        if int(code) == len(self.values):
            self.values.append(value)
            self.by_text[class_text(value)] = value
        self.codes[value] = code
        return code
