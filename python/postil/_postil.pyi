"""The engine of Postil."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray
from typing_extensions import CapsuleType


class Rows:
    """Rows that Python lends, without copies."""

    @staticmethod
    def dense(matrix: Annotated[NDArray, dict(shape=(None, None), order='C', device='cpu', writable=False)], names: Sequence[str] | None = None) -> Rows:
        """float64 or float32 in C order"""

    @staticmethod
    def csr(indptr: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> Rows:
        """None if the indices of a row do not increase"""

    @staticmethod
    def columns(arrays: list, names: Sequence[str], rows: int) -> Rows:
        """arrays of numbers, or pairs of codes and the texts they stand for"""

    def append(self, batch: Rows) -> None:
        """takes the rows of another batch of the same columns"""

    def rename(self, names: Sequence[str]) -> None: ...

    def drop(self, name: str) -> None:
        """leaves a column out, if there is one of this name"""

    def set_labels(self, codes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Sequence[str]) -> None:
        """codes are places in classes; no classes: numbers"""

    def set_weights(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def names(self) -> list[str]: ...

class ArrowBatches:
    """The record batches of an Arrow stream."""

    def __init__(self, capsule: CapsuleType) -> None: ...

    @property
    def names(self) -> list[str]: ...

    def next(self) -> Rows:
        """the next batch; None at the end"""

class Engine:
    """A model, fitted to rows or learning as they come."""

    @staticmethod
    def fit(rows: Rows, recipe: dict, passes: int = 1, shuffle: bool = True, seed: int = 0, after_pass: Callable[[int, float], bool] | None = None, tell: Callable[[str, int], None] | None = None) -> Engine:
        """
        Learns from all rows. tell(what, done) hears how far it is. after_pass(passes, loss) says whether another pass should follow: loss is the weighted share of mistakes in the last, or the mean |error|.
        """

    @staticmethod
    def begin(like: Rows, recipe: dict) -> Engine:
        """Will learn from rows of these columns as they come."""

    def fit_more(self, rows: Rows, passes: int = 1, shuffle: bool = True, seed: int = 0, after_pass: Callable[[int, float], bool] | None = None, tell: Callable[[str, int], None] | None = None) -> None: ...

    def learn(self, rows: Rows, missing_allowed: bool = False) -> None:
        """Learns from the rows in turn, as learn_one would from each."""

    def learn_one(self, x: object, label: float, weight: float = 1.0) -> None: ...

    def labels_are(self, kind: str) -> None:
        """text, integer, number or truth: before the first label"""

    @property
    def label_kind(self) -> str: ...

    def label_code(self, text: str) -> float:
        """what learn and learn_one call a class; a new one gets a new code"""

    @property
    def labels(self) -> list[str]:
        """the classes, by label_code"""

    def advise(self, rules: str, source: str = 'advice') -> None: ...

    def fill(self, rows: Rows, only: bool = False) -> None:
        """
        the model's columns that the rows of a frame lack, as absent; only: others are dropped
        """

    def scores(self, rows: Rows) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """of each row and task"""

    def probabilities(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """of each class, given what scores gave; their sum is 1"""

    def silent(self, rows: Rows) -> object:
        """
        1 where no rule holds or they cancel; None if there is always an answer
        """

    def novelty(self, rows: Rows) -> object:
        """
        how unlike each row is to those learned; None if the learner does not know
        """

    def ask(self, rows: Rows, count: int, random: float, seed: int) -> str:
        """which rows to label next, as JSON"""

    @property
    def axis_count(self) -> int:
        """columns of transform; 0: the learner has no ellipsoid"""

    def transform(self, rows: Rows) -> object:
        """
        each row along the axes of the ellipsoid of each task; None if the learner has no ellipsoid
        """

    def scores_one(self, x: object) -> list[float]: ...

    def predict_one(self, x: object) -> object:
        """a class, or the score in regression; None if nothing was learned"""

    def probabilities_one(self, x: object) -> list[tuple[str, float]]:
        """each class and its probability; none if nothing was learned"""

    @property
    def ready(self) -> bool:
        """there is something to predict with"""

    @property
    def settled(self) -> bool:
        """the schema is known; before that, all rows are kept"""

    @property
    def missing_allowed(self) -> bool: ...

    @property
    def column_names(self) -> list[str]: ...

    @property
    def width(self) -> int: ...

    @property
    def sparse(self) -> bool: ...

    @property
    def outputs(self) -> int: ...

    @property
    def classes(self) -> list[str]: ...

    @property
    def class_count(self) -> int: ...

    @property
    def positive(self) -> int: ...

    @property
    def learner(self) -> str: ...

    @property
    def params(self) -> dict[str, str]: ...

    @property
    def scale(self) -> str: ...

    @property
    def rules(self) -> str: ...

    @property
    def features(self) -> list[str]: ...

    @property
    def class_weights(self) -> list[float]: ...

    @property
    def missing(self) -> str:
        """what stands for a missing value in the first column"""

    @property
    def counters(self) -> dict: ...

    @property
    def fit_reports(self) -> list[dict]: ...

    def feature_sizes(self) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')]]:
        """
        of each feature its column, and the square of its weight times its deviation, summed over the questions
        """

    def linear(self) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')]] | None:
        """
        weights and biases in raw units, a row for each task; None: it has no weights
        """

    def standardised_columns(self) -> list[str]:
        """
        those whose mean is 0 and whose deviation is 1 in the rows learned from
        """

    def odd_units(self) -> list[str]:
        """
        where the rules and the rows learned from do not seem to be in the same units
        """

    def explain(self, certify: str = '', top: int = 20) -> tuple:
        """
        what the model has learned: JSON, the text, its first line, what it says of kernels and ellipsoids, and of rules below their table
        """

    def report(self, rows: Rows, groups: Sequence[tuple[str, Sequence[str]]], origin: Sequence[tuple[str, str]], title: str = '', purpose: str = '', trained: str = '', examples: int = 3, path: str | None = None) -> str:
        """
        a page on the model and these rows, as HTML; also written to a file, if there is a path
        """

    def bounds_json(self, rows: Rows, passes: int = 1) -> str:
        """
        what theory promises of a model just fitted to these rows, in their order
        """

    def ledger_text(self) -> tuple[str, list[str]]:
        """the table of the rules, and what is said below it for each task"""

    def ledger(self) -> list:
        """what became of each rule: a dict a rule"""

    def explain_row(self, rows: Rows, top: int = 20) -> tuple:
        """
        why the first row gets its score: a dict as `postil explain --row --json` prints it, the text, and its sums
        """

    def to_onnx(self, path: str | None = None) -> bytes:
        """an ONNX file; also written, if there is a path"""

    def to_sql(self, table: str = 'data', path: str | None = None) -> str:
        """
        a query that predicts the rows of a table; also written to a file, if there is a path
        """

    def scorecard(self, rows: Rows, test: Rows | None = None, items: int = 10, bins: int = 5, seed: int = 0) -> list[str]:
        """the model as points that people add up: JSON, the text, and CSV"""

    def to_bytes(self) -> bytes: ...

    def save(self, path: str) -> None: ...

    @staticmethod
    def load(path: str) -> Engine: ...

    @staticmethod
    def from_bytes(bytes: bytes, name: str = 'bytes') -> Engine: ...

class Repairs:
    @property
    def json(self) -> str: ...

    @property
    def text(self) -> str: ...

    def apply(self, numbers: Sequence[int]) -> str:
        """The rules with these repairs, numbered from 1."""

def repair_rules(text: str, source: str, rows: Rows, recipe: dict, seed: int = 0) -> Repairs: ...

def pieces_of_rules(text: str, source: str = 'rules') -> list: ...

def format_rules(text: str, source: str = 'rules') -> str: ...

def check_rules(text: str, source: str, rows: Rows | None, recipe: dict, worth: WorthOptions | None = None) -> tuple:
    """JSON, the text, and what it says below its table"""

class WorthOptions:
    def __init__(self, labels: int, runs: int, seed: int) -> None: ...

def suggest_rules(text: str | None, source: str, rows: Rows, recipe: dict, count: int, conditions: int, seed: int = 0) -> tuple[str, str]:
    """Short rules that labelled rows support: JSON, and a text of rules."""

def show_rules(text: str, source: str, rows: Rows | None, recipe: dict) -> str: ...

def rules_that_hold(text: str, source: str, rows: Rows, recipe: dict) -> tuple:
    """
    Which rules hold on each row, as the index pointer and the indices of a sparse matrix in CSR form.
    """

def rules_from(form: str, text: str, source: str, unordered: bool = False) -> str:
    """Rules in another form, as rules."""

def rules_to(form: str, text: str, source: str) -> tuple[str, list[str]]:
    """Rules in another form, and what it could not say."""

def read_table(path: str, label: str | None = None, numbers: bool = False, ignored: Sequence[str] | None = None) -> dict:
    """
    A text file (CSV, LIBSVM, JSON lines, ARFF) as arrays; numbers: its labels are numbers; ignored: columns to leave out, and there are no labels
    """

def begin_shards(recipe: dict, rounds: int = 0) -> bytes:
    """The plan that the first round begins with."""

def update_shard(model: bytes, rows: Rows, shard: int, seed: int = 0, label_kind: str = '') -> bytes:
    """The state of a shard after a round."""

def merge_shards(a: bytes, b: bytes) -> bytes:
    """The state of the shards of a and, right after them, b."""

def finish_shards(state: bytes, shards: int) -> bytes:
    """What the next round begins with, or the model."""

def shards_done(model: bytes) -> bool: ...

def shards_stage(model: bytes) -> str: ...

def shards_numbers(model: bytes) -> bool:
    """whether labels are numbers"""

def compare(rows: Rows, entrants: Sequence[Sequence[dict]], splits: Sequence[tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]], checkpoints: Sequence[int], metric: str = 'error', folds: int = 5, passes: int = 1, seed: int = 0, threads: int = 1) -> tuple:
    """
    The metric on the test rows of each split, [entrant][checkpoint][split], and which of an entrant's recipes each split chose, by cross-validation of its training rows.
    """

def write_file(path: str, text: str) -> None:
    """The file as a whole, or the old one stays."""

def learners_json() -> str: ...

def canonical_label(text: str, kind: str = '') -> str: ...

def generate(name: str, path: str, rows: int = 0, seed: int = 0, params: Mapping[str, str] = {}) -> None:
    """Writes generated data, as `postil make` does, to a CSV file."""
