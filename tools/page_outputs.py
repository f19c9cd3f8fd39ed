"""Runs the sessions that documentation pages show and compares what is printed with what the page says.

    tools/page_outputs.py README.md docs/tutorials/*.md             compare; end with 1 if a page is wrong
    tools/page_outputs.py --write README.md                         write what is printed into the page
    tools/page_outputs.py --only console|python PAGE ...            the sessions of one kind

A page may hold, and all sessions of a page share one temporary folder:

    ```console      lines that begin with "$ " are run by bash, with `postil` of build/; their output follows.
                    "..." on a line of its own stands for any lines. Lengths of time may differ.
    ```python       lines that begin with ">>> ", as in Python's doctest
    examples/       is the folder of this project
    ```text         a block whose first line is "# NAME.csv" (or .rules, .sql, .toml, .jsonl) is written to that file
"""

import argparse
import doctest
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w.-]+\.(?:csv|rules|sql|toml|jsonl))\n")
TIME = re.compile(r"\d[\d.e+-]* s\b")


def same(shown, printed):
    """Whether the output is as shown, times aside."""
    plain = lambda text: TIME.sub("TIME", "\n".join(line.rstrip() for line in text.splitlines()))  # noqa: E731
    parts = re.split(r"(?m)^\.\.\.\n?", plain(shown) + "\n")
    return re.fullmatch("(?s)" + ".*".join(map(re.escape, parts)), plain(printed) + "\n") is not None


def console(text, folder):
    """The block with what its commands really print, or as it is where that is what it shows."""
    out = []
    for part in re.split(r"(?m)^(?=\$ )", text):
        if not part.startswith("$ "):
            assert not part.strip(), f"a console block begins with a command: {part!r}"
            continue
        lines = part.splitlines(keepends=True)
        length = next(k for k, line in enumerate(lines) if not line.endswith("\\\n")) + 1
        command, shown = "".join(lines[:length]), "".join(lines[length:])
        path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", command[2:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, env=os.environ | {"PATH": path, "COLUMNS": "120"})
        printed = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
        out.append(command + (shown if same(shown, printed) else printed))
    return "".join(out)


class Recorder(doctest.DocTestRunner):
    """Keeps what each example prints."""

    def __init__(self):
        super().__init__(optionflags=doctest.NORMALIZE_WHITESPACE)
        self.wrong = {}

    def report_failure(self, out, test, example, got):
        self.wrong[example.lineno] = got

    def report_unexpected_exception(self, out, test, example, exc_info):
        self.wrong[example.lineno] = doctest._exception_traceback(exc_info)


def python(text, names):
    test = doctest.DocTestParser().get_doctest(text, names, "page", "page", 0)
    recorder = Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recorder.run(test, clear_globs=False)
    names.update(test.globs)
    lines = text.splitlines(keepends=True)
    for example in reversed(test.examples):
        if example.lineno in recorder.wrong:
            begin = example.lineno + example.source.count("\n")
            end = begin + example.want.count("\n")
            got = re.sub(r"(?m)^$(?=\n)", "<BLANKLINE>", recorder.wrong[example.lineno])
            lines[begin:end] = [re.sub(r" +$", "", got, flags=re.MULTILINE)]
    return "".join(lines)


def renewed(text, kinds):
    with tempfile.TemporaryDirectory() as name:
        folder, names = pathlib.Path(name), {}
        (folder / "bin").mkdir()
        (folder / "bin" / "postil").symlink_to(ROOT / "build" / "postil")
        (folder / "examples").symlink_to(ROOT / "examples")
        before = pathlib.Path.cwd()
        os.chdir(folder)

        def block(match):
            kind, content = match.groups()
            if kind == "console" and "console" in kinds:
                content = console(content, folder)
            elif kind == "python" and "python" in kinds and content.startswith(">>> "):
                content = python(content, names)
            elif file := FILE.match(content):
                (folder / file[1]).write_text(content)
            return f"```{kind}\n{content}```"

        try:
            return BLOCK.sub(block, text)
        finally:
            os.chdir(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write what is printed into the pages")
    parser.add_argument("--only", choices=["console", "python"], help="sessions of this kind only")
    parser.add_argument("pages", nargs="+", type=lambda name: pathlib.Path(name).resolve())
    arguments = parser.parse_args()
    wrong = 0
    for page in arguments.pages:
        shown = page.read_text()
        printed = renewed(shown, [arguments.only] if arguments.only else ["console", "python"])
        if printed != shown:
            wrong += 1
            if arguments.write:
                page.write_text(printed)
            shown_lines, printed_lines = shown.splitlines(), printed.splitlines()
            first = next((k for k, (a, b) in enumerate(zip(shown_lines, printed_lines)) if a != b), min(len(shown_lines), len(printed_lines)) - 1)
            print(f"{page}:{first + 1}: {'written anew' if arguments.write else f'shows {shown_lines[first]!r}, printed is {printed_lines[first]!r}'}")
    return 1 if wrong and not arguments.write else 0


if __name__ == "__main__":
    sys.exit(main())
