"""What strangers expect of a public project: files that forges and package managers read, and pages that name what exists."""

import datetime
import re
import subprocess

import pytest
import yaml
from conftest import ROOT

VERSION = re.search(r"project\(Postil VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
PAGES = ["CONTRIBUTING.md", "SECURITY.md", "docs/versioning.md", "docs/releasing.md", ".github/pull_request_template.md"]


def read_yaml(path):
    return yaml.safe_load((ROOT / path).read_text())


def test_citation():
    cff = read_yaml("CITATION.cff")
    # The fields that cff-version 1.2.0 requires, and those we use; docs/releasing.md has the full check.
    assert set(cff) <= {"cff-version", "message", "title", "abstract", "type", "authors", "version", "date-released", "license", "keywords"}
    assert {"cff-version", "message", "title", "authors"} <= set(cff)
    assert cff["cff-version"] == "1.2.0"
    assert cff["type"] == "software"
    assert cff["authors"] and all(author.get("name") or author.get("family-names") for author in cff["authors"])
    assert cff["version"] == VERSION
    assert isinstance(cff.get("date-released", datetime.date.today()), datetime.date)
    assert f'license = "{cff["license"]}"' in (ROOT / "pyproject.toml").read_text()


def test_a_released_version_has_its_date():
    """The changelog and CITATION.cff agree on whether this version is released."""
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    released = [heading for heading in headings if heading.startswith(f"{VERSION} (")]
    date = read_yaml("CITATION.cff").get("date-released")
    assert released == ([f"{VERSION} ({date})"] if date else [])


FORMS = sorted(path.name for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def test_there_are_forms_for_bugs_features_and_questions():
    assert FORMS == ["bug.yml", "feature.yml", "question.yml"]


@pytest.mark.parametrize("name", FORMS)
def test_issue_forms(name):
    form = read_yaml(f".github/ISSUE_TEMPLATE/{name}")
    assert form["name"] and form["description"]
    ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert ids and len(ids) == len(set(ids))
    for part in form["body"]:
        assert part["type"] in ("markdown", "input", "textarea", "dropdown", "checkboxes")
        assert part["attributes"]["value" if part["type"] == "markdown" else "label"]


def test_the_workflow_does_what_make_test_does():
    job = read_yaml(".github/workflows/test.yml")["jobs"]["test"]
    assert "bookworm" in job["container"]
    assert [list(step) for step in job["steps"]] == [["uses"], ["run"]]
    assert job["steps"][1]["run"] == "make test"


def test_the_hooks_are_those_of_make_lint():
    hooks = {hook["id"]: hook for repo in read_yaml(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]}
    assert {"clang-format", "ruff"} <= set(hooks)
    pinned = (ROOT / "tools/lint-requirements.txt").read_text().split()
    assert hooks["ruff"]["additional_dependencies"] == pinned
    try:
        installed = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        return  # only `make lint` installs it
    assert hooks["clang-format"]["additional_dependencies"] == [f"clang-format=={re.search('version ([0-9.]+)', installed)[1]}"]


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_what_exists(page):
    text = (ROOT / page).read_text()
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`(?:[^`\n]* )?make ([a-z]+)`", text))
    assert named <= targets
    folder = (ROOT / page).parent
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("http")]
    paths = re.findall(r"`((?:tools|tests|docs|cmake|src)/[\w./-]+)`", text)
    paths = [path for path in paths if not re.search(r"/x(_test)?\.cpp$|-N$", path)]  # examples of names
    assert [link for link in links if not (folder / link).exists()] + [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff"])
def test_no_address_is_invented(page):
    """There is no address or project site yet; when there is one, pyproject.toml has it."""
    known = (ROOT / "pyproject.toml").read_text()
    text = (ROOT / page).read_text()
    addresses = re.findall(r"[\w.+-]+@[\w-]+\.[\w.]+", text)
    sites = [site for site in re.findall(r"https?://([\w.-]+/?[\w.-]*)", text) if not site.startswith(("www.contributor-covenant.org", "github.com/mozilla"))]
    assert [name for name in addresses + sites if name not in known] == []
