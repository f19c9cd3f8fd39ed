"""Runs all test programs, shows what failed, and ends with the line "N passed, M failed[, K skipped]".

Needs: the presets release, dev and asan are built (tools/test.sh does that).
"""

import json
import os
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LAYERS = ["unit", "property", "oracle", "common"]
FUZZ_SECONDS = int(os.environ.get("POSTIL_FUZZ_SECONDS", "10"))


class Totals:
    passed = failed = skipped = 0

    def add(self, title, passed, failed, skipped, seconds, output=""):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped
        print(f"{title:<28} {passed:>4} passed {failed:>3} failed {skipped:>3} skipped  {seconds:6.1f} s", flush=True)
        if failed:
            print(output, flush=True)


def run(command, **options):
    started = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    return done.returncode, done.stdout, time.monotonic() - started


def run_gtest(totals, title, program):
    report = BUILD / f"report-{title.replace(' ', '-')}.json"
    report.unlink(missing_ok=True)
    code, output, seconds = run([program, f"--gtest_output=json:{report}", "--gtest_brief=1"])
    if not report.exists():
        totals.add(title, 0, 1, 0, seconds, output)
        return
    counts = json.loads(report.read_text())
    skipped = sum(test.get("result") == "SKIPPED" for suite in counts["testsuites"] for test in suite["testsuite"])
    failed = max(counts["failures"], 1 if code != 0 else 0)
    totals.add(title, counts["tests"] - counts["failures"] - skipped, failed, skipped, seconds, output)


def run_pytest(totals):
    report = BUILD / "report-pytest.xml"
    report.unlink(missing_ok=True)
    code, output, seconds = run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "tests", f"--junitxml={report}"])
    if not report.exists():
        totals.add("command and Python", 0, 1, 0, seconds, output)
        return
    suite = ElementTree.parse(report).getroot().find("testsuite")
    tests, skipped = int(suite.get("tests")), int(suite.get("skipped"))
    failed = int(suite.get("failures")) + int(suite.get("errors"))
    totals.add("command and Python", tests - failed - skipped, max(failed, 1 if code != 0 else 0), skipped, seconds, output)
    if skipped:
        print("\n".join(line for line in output.splitlines() if line.startswith("SKIPPED")))


def run_fuzzers(totals):
    code, output, seconds = run(["tools/fuzz.sh", "build/asan", str(FUZZ_SECONDS)])
    passed = sum(line.startswith("ok fuzz") for line in output.splitlines())
    fuzzers = len(list((ROOT / "tests/fuzz").glob("fuzz_*.cpp")))
    totals.add("fuzzers", passed, max(fuzzers - passed, 1 if code != 0 else 0), 0, seconds, output)


def main():
    totals = Totals()
    for layer in LAYERS:
        run_gtest(totals, layer, BUILD / "dev/tests" / f"test_{layer}")
    for layer in LAYERS:
        run_gtest(totals, f"{layer} sanitized", BUILD / "asan/tests" / f"test_{layer}")
    run_pytest(totals)
    run_fuzzers(totals)
    skipped = f", {totals.skipped} skipped" if totals.skipped else ""
    print(f"{totals.passed} passed, {totals.failed} failed{skipped}")
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
