"""Tables that are not text, as JSON lines that the command reads.

    python -m postil.convert patients.parquet -o patients.jsonl
    python -m postil.convert patients.xlsx --sheet 2024 | postil train - --label outcome --model m.postil

Parquet, Arrow and Feather files need pyarrow and are converted part by part; Excel files need openpyxl (.xls: xlrd, .ods: odfpy). Stata files and JSON files that hold a list of objects need nothing more.
Texts stay texts, also those of digits, and dates become 2024-03-01 or 2024-03-01T12:30:00.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _errors

if TYPE_CHECKING:
    import pandas

__all__ = ["lines"]

_ENDINGS = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "excel": (".xlsx", ".xlsm", ".xls", ".ods"),
    "stata": (".dta",),
    "json": (".json",),
}
_ROWS = 65_536  # converted at a time


def _cell(column: str, value: Any) -> Any:
    """A value as JSON has it; None: missing."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isinf(value):
            raise _errors.DataError(f"column {column!r}: found {value}, expected a finite number")
        return None if math.isnan(value) else value
    if isinstance(value, datetime.datetime):
        if value != value:  # NaT
            return None
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value.strftime("%Y-%m-%d" if value.time() == datetime.time() else "%Y-%m-%dT%H:%M:%S")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, np.generic):
        return _cell(column, value.item())
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if type(value).__name__ == "Decimal":
        return float(value)
    raise _errors.DataError(f"column {column!r} holds values of type {type(value).__name__}; expected numbers, truth values, dates or text")


def _objects(frame: pandas.DataFrame) -> Iterator[str]:
    names = [str(name) for name in frame.columns]
    columns = [frame.iloc[:, j].astype(object).tolist() for j in range(len(names))]
    for row in zip(*columns):
        yield json.dumps({name: _cell(name, value) for name, value in zip(names, row)}, ensure_ascii=False, allow_nan=False)


def _arrow_batches(path: str) -> Iterator[Any]:
    import pyarrow.ipc

    try:
        reader = pyarrow.ipc.open_file(path)
        yield from (reader.get_batch(k) for k in range(reader.num_record_batches))
    except pyarrow.ArrowInvalid:  # an Arrow stream, or the first version of Feather
        try:
            with pyarrow.OSFile(path) as file:
                yield from pyarrow.ipc.open_stream(file)
        except pyarrow.ArrowInvalid:
            import pyarrow.feather

            yield from pyarrow.feather.read_table(path).to_batches()


def _of_arrow(batches: Iterable[Any]) -> Iterator[pandas.DataFrame]:
    """Record batches as frames. What pandas wrote as an index with a name is a column like others, and comes first."""
    done = 0
    for batch in batches:
        index = json.loads((batch.schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
        unnamed = [name for name in index if isinstance(name, str) and re.fullmatch(r"__index_level_\d+__", name)]
        frame = batch.to_pandas(ignore_metadata=True, integer_object_nulls=True).drop(columns=unnamed)
        frame = frame.iloc[:, sorted(range(frame.shape[1]), key=lambda j: frame.columns[j] not in index)]
        for numbers in index:  # an index that only counts is described, not stored
            if isinstance(numbers, dict) and numbers.get("name") is not None and numbers["name"] not in frame.columns:
                frame.insert(0, numbers["name"], numbers["start"] + numbers["step"] * np.arange(done, done + len(frame)))
        done += len(frame)
        yield frame


def _frames(path: str, kind: str, sheet: str | None) -> Iterator[pandas.DataFrame]:
    import pandas as pd

    if kind == "parquet":
        import pyarrow.parquet

        yield from _of_arrow(pyarrow.parquet.ParquetFile(path).iter_batches(_ROWS))
    elif kind == "arrow":
        yield from _of_arrow(_arrow_batches(path))
    elif kind == "excel":
        yield pd.read_excel(path, sheet_name=0 if sheet is None else sheet)
    else:
        with pd.read_stata(path, chunksize=_ROWS) as chunks:
            yield from chunks


def _kind(path: str) -> str:
    for kind, endings in _ENDINGS.items():
        if path.lower().endswith(endings):
            return kind
    known = ", ".join(ending for endings in _ENDINGS.values() for ending in endings)
    raise _errors.DataError(f"{path}: found a name with another ending, expected one of {known}")


def lines(path: str | os.PathLike[str], sheet: str | None = None) -> Iterator[str]:
    """The rows of a table as JSON objects, one string for each.

    >>> import pandas, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "patients.parquet")
    >>> pandas.DataFrame({"age": [50, None], "zip": ["01234", None]}).to_parquet(path)
    >>> print(*lines(path), sep="\\n")
    {"age": 50.0, "zip": "01234"}
    {"age": null, "zip": null}
    """
    path = os.fspath(path)
    kind = _kind(path)
    if sheet is not None and kind != "excel":
        raise _errors.DataError(f"{path}: only Excel files have sheets")
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: there is no such file")
    if kind != "json":
        for frame in _frames(path, kind, sheet):
            yield from _objects(frame)
        return
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _errors.DataError(f"{path}: expected a list of objects: [{{...}}, {{...}}]")
    for row in rows:
        yield json.dumps(row, ensure_ascii=False)


def _write(path: str, rows: Iterator[str]) -> None:
    """All of it under that name, or nothing."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise _errors.DataError(f"{path}: cannot write: it is a folder; expected the name of a file")
    if not os.path.isdir(folder):
        raise _errors.DataError(f"{path}: cannot write: there is no folder {os.path.dirname(path)}")
    temporary = None
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=".postil-", delete=False) as file:
            temporary = file.name
            file.writelines(row + "\n" for row in rows)
            file.flush()
            os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
    except BaseException as error:
        if temporary is not None:
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None and os.path.basename(str(error.filename or ".postil-")).startswith(".postil-"):  # of the file that is written
            raise _errors.DataError(f"{path}: cannot write: {error.strerror or error}") from None
        raise


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m postil.convert", description="Write a Parquet, Arrow, Feather, Excel, Stata or JSON file as JSON lines, which `postil` reads.")
    parser.add_argument("table", metavar="FILE", help=", ".join(ending for endings in _ENDINGS.values() for ending in endings))
    parser.add_argument("-o", "--output", metavar="OUT", help="file to write, .jsonl; default: standard output")
    parser.add_argument("--sheet", help="of an Excel file; default: the first")
    wanted = parser.parse_args(arguments)
    try:
        if wanted.output is not None and not wanted.output.endswith((".jsonl", ".ndjson")):
            raise _errors.DataError(f"{wanted.output}: JSON lines are written; a name that ends with .jsonl says so")
        rows = lines(wanted.table, wanted.sheet)
        if wanted.output is None:
            sys.stdout.writelines(row + "\n" for row in rows)
            sys.stdout.flush()
        else:
            _write(wanted.output, rows)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to say at the end either
        return 1
    except ImportError as error:
        print(f"postil.convert: {wanted.table}: {error}; pip install {error.name or 'the missing package'}", file=sys.stderr)
        return 1
    except Exception as error:  # whatever the libraries find wrong with the file
        print(f"postil.convert: {error}" if isinstance(error, (_errors.Error, FileNotFoundError)) else f"postil.convert: {wanted.table}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
