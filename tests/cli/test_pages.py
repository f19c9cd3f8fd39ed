"""Pages of the documentation: sessions print what is shown, and links lead somewhere."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if "```console" in page.read_text()], ids=name)
def test_commands_print_what_the_page_shows(page):
    done = subprocess.run([sys.executable, ROOT / "tools/page_outputs.py", "--only", "console", page], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def anchors(text):
    """What GitHub and MkDocs call the headings."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = [re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", heading) for heading in re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)]
    found = {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file.read_text())):
            wrong.append(target)
    assert not wrong, f"{name(page)} links to {wrong}"


def test_pages_name_no_paper_by_its_number():
    """The papers' numbers are ours alone; readers know titles and authors."""
    for page in PAGES:
        assert not re.search(r"\b(?:paper|papers|of|in) 00\d\b", page.read_text()), name(page)


def test_the_site_has_every_page():
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    outside = {"index.md", "CHANGELOG.md", "CONTRIBUTING.md"}
    assert listed - pages == outside
    assert {page for page in pages - listed if not page.startswith(("learners/", "experiments/"))} == set()
