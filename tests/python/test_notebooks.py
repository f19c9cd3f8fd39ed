"""The notebooks in examples/ run, and print what they show.

POSTIL_NOTEBOOKS=write keeps the new outputs, which are to be read before they are committed.
"""

import os
import re

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

BOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def said(cell):
    """What a cell printed and showed as text, and what else it showed."""
    text, kinds = [], []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            text.append(output["text"])
            kinds.append(output["name"])
        else:
            assert output["output_type"] in ("display_data", "execute_result"), output
            text.append(re.sub(r"<(Figure|Axes).*>", "", output["data"].get("text/plain", "")))
            kinds += sorted(output["data"])
    return "".join(text), list(dict.fromkeys(kinds))  # one print may come in several pieces


def tidy(book):
    """Nothing that changes from run to run."""
    for cell in book.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            for output in cell.outputs:
                output.get("metadata", {}).clear()
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_prints_what_it_shows(path):
    shown = nbformat.read(path, as_version=4)
    run = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(run, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    if os.environ.get("POSTIL_NOTEBOOKS") == "write":
        tidy(run)
        nbformat.write(run, path)
        shown = run
    code = [(old, new) for old, new in zip(shown.cells, run.cells) if old.cell_type == "code"]
    assert len(code) > 5 and not any("stderr" in said(new)[1] for _, new in code)
    for old, new in code:
        assert said(new) == said(old), old.source


def test_there_are_four_and_they_are_small():
    assert [path.stem for path in BOOKS] == ["from_scikit_learn", "rules_and_few_labels", "stream_with_river", "why_did_it_say_that"]
    assert all(path.stat().st_size < 300_000 for path in BOOKS)


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    for cell in nbformat.read(path, as_version=4).cells:
        for link in re.findall(r"\]\(([^)#]+)", cell.source) if cell.cell_type == "markdown" else []:
            assert (path.parent / link).exists(), link
