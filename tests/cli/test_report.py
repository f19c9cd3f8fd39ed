"""`postil report`: a page that stands alone, says what `evaluate` says, and shows hostile names as text."""

import csv
import hashlib
import html.parser
import re

import numpy as np
import pytest
from conftest import run, run_json

VOID = {"meta", "br", "hr", "img", "input", "link"}
ALLOWED = set("html head meta title style body header nav main footer section article h1 h2 h3 h4 p ul li a dl dt dd div table caption thead tbody tr th td strong code pre span data details summary figure figcaption svg rect circle path text".split())


class Page(html.parser.HTMLParser):
    """Reads strictly: every tag that opens closes, in order; texts and exact values are kept."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids, self.values, self.texts, self.attributes = [], [], [], {}, [], []
        self.feed(source)
        self.close()
        assert self.open == []
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attrs):
        self._see(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self._see(tag, attrs)

    def _see(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "data" and "id" in attrs:
            self.values[attrs["id"]] = float(attrs["value"]) if attrs["value"] else None

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)


def check(source):
    """What must hold of every page."""
    page = Page(source)
    assert source.startswith("<!DOCTYPE html>") and set(page.tags) <= ALLOWED, set(page.tags) - ALLOWED
    assert page.tags.count("h1") == 1 and len(page.ids) == len(set(page.ids))
    assert ("meta", "content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:") in page.attributes
    assert not re.search(r"https?:|//[a-z]|url\(|@import|javascript:", source.lower())
    for tag, name, value in page.attributes:
        assert not name.startswith("on") and name not in ("src", "srcset", "action", "style"), (tag, name, value)
        if name == "href":
            assert value.startswith("#") and value[1:] in page.ids
    assert page.tags.count("table") == page.tags.count("caption")
    assert all(title in page.text for title in ("The model", "Summary", "Data", "How good the predictions are", "Groups of rows", "Rules", "Examples", "Limits of use", "How to make this page again"))
    assert not re.search(r"\bnan\b|\binf\b", page.text), re.findall(r".{40}\b(?:nan|inf)\b.{40}", page.text)
    return page


def report(*arguments, **options):
    done = run("report", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return check(done.stdout)


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """Patients of two sites, with a rule that is right and one that is not; the model has not seen the tested rows."""
    folder = tmp_path_factory.mktemp("report")
    draw = np.random.default_rng(1)

    def rows(count, shift, seed):
        run("make", "diabetes", "--rows", count, "--seed", seed, "-o", folder / "raw.csv", check=True)
        table = list(csv.DictReader(open(folder / "raw.csv")))
        for row in table:
            row["sex"] = str(draw.choice(["f", "m", "unknown"], p=[0.5, 0.45, 0.05]))
            row["bmi"] = f"{float(row['bmi']) + shift:.1f}" if row["bmi"] else ""
        return table

    for name, count, shift, seed in (("train", 500, 0, 1), ("test", 400, 5, 2)):
        table = rows(count, shift, seed)
        with open(folder / f"{name}.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(table[0]))
            writer.writeheader()
            writer.writerows(table)
    (folder / "r.rules").write_text("# from the guideline\nsugar: glucose >= 140 and bmi >= 30 => diabetes\nyoung: age < 30 => diabetes\nmore: more pedigree => diabetes\n")
    run("train", folder / "train.csv", "--label", "outcome", "--ignore", "sex", "--positive", "diabetes", "--advice", folder / "r.rules", "--model", folder / "m.postil", "--quiet", check=True)
    return folder


def test_the_page_says_what_evaluate_says(patients):
    page = report(patients / "m.postil", "--data", patients / "test.csv", "--by", "sex")
    told = run_json("evaluate", patients / "m.postil", patients / "test.csv", "--by", "sex")
    for name in ("accuracy", "balanced_error", "auc", "f1", "log_loss", "brier_score", "calibration_error", "examples"):
        assert page.values[name] == pytest.approx(told[name], rel=1e-12), name
    for truth in range(2):
        assert page.values[f"recall-{truth}"] == pytest.approx(told["classes"][truth]["recall"])
        assert page.values[f"precision-{truth}"] == pytest.approx(told["classes"][truth]["precision"])
        for guess in range(2):
            assert page.values[f"confusion-{truth}-{guess}"] == told["confusion"]["counts"][truth][guess]
    low, high = told["accuracy_interval"]
    assert f"{100 * low:.1f}% to {100 * high:.1f}%" in page.text
    # The balanced error by MOVER: the distances of Wilson's ends, squared and added.
    recalls = [(of["recall"], *of["recall_interval"]) for of in told["classes"]]
    middle = np.mean([recall for recall, _, _ in recalls])
    low = middle - np.sqrt(sum((recall - low) ** 2 for recall, low, _ in recalls)) / 2
    high = middle + np.sqrt(sum((high - recall) ** 2 for recall, _, high in recalls)) / 2
    assert f"classes as predicted {100 * (1 - middle):.1f}% {100 * (1 - high):.1f}% to {100 * (1 - low):.1f}%" in page.text
    for group in told["by"]["sex"]:
        low, high = group["accuracy_interval"]
        assert f"{group['value']} {group['rows']} {100 * group['accuracy']:.1f}% {100 * low:.1f}% to {100 * high:.1f}%" in page.text
    assert "few rows: read with caution" in page.text  # of sex unknown
    assert "mean higher by" in page.text  # bmi has moved
    assert page.tags.count("figure") == 3  # ROC, precision and recall, calibration


def test_the_interval_of_the_area(patients):
    """Newcombe's fifth method, solved here by a grid."""
    page = report(patients / "m.postil", "--data", patients / "test.csv")
    table = list(csv.DictReader(open(patients / "test.csv")))
    m = sum(row["outcome"] == "diabetes" for row in table)
    n = len(table) - m
    area, t = page.values["auc"], np.linspace(1e-6, 1 - 1e-6, 200_001)
    more = (m + n) / 2 - 1
    deviation = np.sqrt(t * (1 - t) * (1 + more * (1 - t) / (2 - t) + more * t / (1 + t)) / (m * n))
    inside = t[np.abs(area - t) <= 1.959964 * deviation]
    assert f"{inside[0]:.3f} to {inside[-1]:.3f}" in page.text


def test_rules_have_their_record_and_their_history(patients):
    page = report(patients / "m.postil", "--data", patients / "test.csv")
    ledger = {rule["id"]: rule for rule in run_json("explain", patients / "m.postil")["rules"]}
    for rule in ledger.values():
        assert rule["text"] in page.text
    for name in ("sugar", "young"):
        assert f"{name} {ledger[name]['agreed']} of {ledger[name]['fired']}" in page.text
    assert "# from the guideline" in page.text and "last contradicted by" in page.text
    # On the tested rows, counted here.
    table = list(csv.DictReader(open(patients / "test.csv")))
    held = [row for row in table if row["glucose"] and row["bmi"] and float(row["glucose"]) >= 140 and float(row["bmi"]) >= 30]
    right = sum(row["outcome"] == "diabetes" for row in held)
    assert f"sugar {len(held)} {100 * len(held) / len(table):.1f}% {right} of {len(held)}" in page.text


def test_it_says_what_it_was_made_from(patients):
    page = report(patients / "m.postil", "--data", patients / "test.csv", "--title", "Type 2 diabetes", "--purpose", "Research only", "--trained", "in May, by us", "--by", "sex,outcome")
    for name in ("m.postil", "test.csv"):
        assert hashlib.sha256((patients / name).read_bytes()).hexdigest() in page.text
    assert "Type 2 diabetes" in page.text and "Research only" in page.text and "in May, by us" in page.text
    assert "--by sex --by outcome" in page.text and "--title 'Type 2 diabetes'" in page.text
    bare = report(patients / "m.postil", "--data", patients / "test.csv")
    assert "The model file does not say when" in bare.text and "Not stated by the author" in bare.text


@pytest.mark.parametrize("over", [0, 1, 54, 55, 56, 57, 63])
def test_checksums_of_all_lengths(patients, tmp_path, over):
    """SHA-256 fills its last block in several ways."""
    text = "".join(open(patients / "test.csv").readlines()[:4])
    while len(text) % 64 != over:
        text += "\n"
    (tmp_path / "d.csv").write_text(text)
    assert hashlib.sha256(text.encode()).hexdigest() in report(patients / "m.postil", "--data", tmp_path / "d.csv").text


def test_training_rows_are_recognised(patients):
    assert "very likely the training rows" in report(patients / "m.postil", "--data", patients / "train.csv").text
    assert "If these are the rows the model was trained on, the numbers are too good" in report(patients / "m.postil", "--data", patients / "test.csv").text


def test_the_same_bytes_and_no_rows_if_asked(patients, tmp_path):
    for name in ("a.html", "b.html"):
        run("report", patients / "m.postil", "--data", patients / "test.csv", "-o", tmp_path / "r.html", check=True)
        (tmp_path / "r.html").rename(tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    page = report(patients / "m.postil", "--data", patients / "test.csv", "--examples", 0)
    assert "article" not in page.tags and "chose to show no rows" in page.text
    assert report(patients / "m.postil", "--data", patients / "test.csv", "--examples", 2).tags.count("article") == 2 + 4 + 2


def test_rows_without_labels(patients, tmp_path):
    table = list(csv.reader(open(patients / "test.csv")))
    with open(tmp_path / "u.csv", "w", newline="") as file:
        csv.writer(file).writerows(row[:-2] + row[-1:] for row in table)
    done = run("report", patients / "m.postil", "--data", tmp_path / "u.csv", "--by", "sex", check=True)
    page = check(done.stdout)
    assert "no label column 'outcome'" in done.stderr
    assert "These rows have no labels" in page.text and "accuracy" not in page.values and page.values["rows"] == 400
    assert "The summary" not in page.text and "the numbers are too good" not in page.text
    same = report(patients / "m.postil", "--data", patients / "test.csv", "--unlabelled")
    assert "accuracy" not in same.values
    assert run("report", patients / "m.postil", "--data", "-", stdin=(tmp_path / "u.csv").read_text()).returncode == 1


HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a&lt;b & 'c'", "\u202egnp.exe", "</style><style>*{display:none}", "]]>-->"]


def test_hostile_names_stay_text(tmp_path):
    draw = np.random.default_rng(2)
    with open(tmp_path / "h.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*HOSTILE[:3], "group <b>", "label<i>"])
        for _ in range(200):
            x, y = draw.normal(size=2)
            writer.writerow([f"{x:.3f}", f"{y:.3f}", draw.choice(HOSTILE[3:]), draw.choice(HOSTILE), HOSTILE[0] if x + y + draw.normal() > 0 else HOSTILE[1]])
    (tmp_path / "h.rules").write_text(f"# {HOSTILE[0]}\n'{HOSTILE[1][:3]}': `{HOSTILE[0]}` > 1 => \"{HOSTILE[0]}\"\n".replace(f"'{HOSTILE[1][:3]}'", "r1"))
    run("train", tmp_path / "h.csv", "--label", "label<i>", "--ignore", "group <b>", "--advice", tmp_path / "h.rules", "--model", tmp_path / "h.postil", "--quiet", check=True)
    done = run("report", tmp_path / "h.postil", "--data", tmp_path / "h.csv", "--by", "group <b>", "--title", HOSTILE[0], "--purpose", HOSTILE[4], check=True)
    page = check(done.stdout)
    for name in (*HOSTILE[:3], *HOSTILE[4:], "group <b>", "label<i>"):
        assert " ".join(name.split()) in page.text, name
    assert "\u202e" not in done.stdout and "\ufffdgnp.exe" in page.text
    assert "<script" not in done.stdout and "<img" not in done.stdout and done.stdout.count("<style>") == 1


def test_sparse_rows(tmp_path):
    """LIBSVM: features have numbers; a feature that training did not have is told; control characters do not come through."""
    draw = np.random.default_rng(4)
    lines = []
    for _ in range(120):
        a, b = draw.normal(size=2)
        lines.append(f"{1 if a > b else -1} 2:{a:.3f} 5:{b:.3f}\n")
    (tmp_path / "a.libsvm").write_text("".join(lines[:60]))
    (tmp_path / "b.libsvm").write_text("".join(lines[60:]) + "1 2:1 9:3\n")
    run("train", tmp_path / "a.libsvm", "--model", tmp_path / "m", "--learner", "pa", "--quiet", check=True)
    page = report(tmp_path / "m", "--data", tmp_path / "b.libsvm", "--title", "x\x01y")
    assert "x\ufffdy" in page.text and page.values["examples"] == 61
    assert "5 numbered features" in page.text and "1 value is of features that training did not have" in page.text
    assert page.values["accuracy"] == pytest.approx(run_json("evaluate", tmp_path / "m", tmp_path / "b.libsvm")["accuracy"])


def made(folder, kind, rows, *options):
    path = folder / f"{kind}.csv"
    run("make", kind, "--rows", rows, "-o", path, check=True)
    run("train", path, "--model", folder / "m", "--quiet", *options, check=True)
    return folder / "m", path


@pytest.mark.parametrize("learner", ["perceptron", "pa", "arow", "sgd", "advised", "wager", "svm", "kernel-perceptron", "voted-perceptron", "esvm-online", "kbsvm", "bayes-point"])
def test_all_kinds_of_learners(tmp_path, learner):
    model, path = made(tmp_path, "synthetic", 150, "--learner", learner)
    page = report(model, "--data", path)
    told = run_json("evaluate", model, path)
    for name in ("accuracy", "balanced_error", "auc", "log_loss"):
        assert page.values[name] == pytest.approx(told[name], rel=1e-12), name
    assert page.tags.count("article") >= 6


@pytest.mark.parametrize("options", [["--learner", "advised"], ["--learner", "svm", "--set", "multiclass=ovo"], ["--learner", "pa", "--set", "multiclass=joint"], ["--pca", "5", "--learner", "pa"]])
def test_several_classes(tmp_path, options):
    model, path = made(tmp_path, "tuberculosis", 300, *options)
    page = report(model, "--data", path)
    told = run_json("evaluate", model, path)
    for name in ("accuracy", "balanced_error", "auc", "f1", "log_loss", "brier_score", "calibration_error"):
        assert page.values[name] == pytest.approx(told[name], rel=1e-12), name
    assert "is found least often" in page.text and "AUC against the others" in page.text


def test_scores_are_sampled_where_there_are_very_many(tmp_path):
    """1,000 classes: room for the scores of 16,000 rows."""
    with open(tmp_path / "d.csv", "w") as file:
        file.write("x,y,label\n")
        file.writelines(f"{k % 25}.5,{k // 25 % 40}.5,c{k % 1000}\n" for k in range(16_400))
    run("train", tmp_path / "d.csv", "--label", "label", "--learner", "perceptron", "--model", tmp_path / "m", "--quiet", check=True)
    page = report(tmp_path / "m", "--data", tmp_path / "d.csv")
    assert "of a random sample of 16,000 rows" in page.text and page.values["examples"] == 16_400 and 0.5 < page.values["auc"] <= 1
    assert "a table of all 1000 classes would be too large" in page.text and "900 more classes" in page.text


def test_numbers(tmp_path):
    draw = np.random.default_rng(3)
    rows = draw.normal(size=(500, 3))
    with open(tmp_path / "n.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "site", "cost"])
        for a, b, c in rows:
            writer.writerow([f"{a:.3f}", f"{b:.3f}", "x" if c > 0 else "y", f"{10 + 3 * a - b + (2 if c > 0 else 0.2) * draw.normal():.3f}"])
    run("train", tmp_path / "n.csv", "--label", "cost", "--task", "regression", "--ignore", "site", "--model", tmp_path / "m", "--quiet", check=True)
    page = report(tmp_path / "m", "--data", tmp_path / "n.csv", "--by", "site")
    told = run_json("evaluate", tmp_path / "m", tmp_path / "n.csv", "--by", "site")
    for name in ("mae", "rmse", "r2", "examples"):
        assert page.values[name] == pytest.approx(told[name], rel=1e-12), name
    assert "clearly worse than on all rows" in page.text and "clearly better than on all rows" in page.text
    assert "The largest errors" in page.text and page.tags.count("circle") == 400
    with open(tmp_path / "n.csv") as file:
        unlabelled = "".join(line.rsplit(",", 1)[0] + "\n" for line in file)
    (tmp_path / "u.csv").write_text(unlabelled)
    assert "Predicted values run from" in report(tmp_path / "m", "--data", tmp_path / "u.csv").text


def test_rules_alone(patients, tmp_path):
    (tmp_path / "two.rules").write_text("sugar: glucose >= 126 => diabetes\nelse: glucose < 100 => not diabetes\n")
    for learner in ("advised", "rules", "advice-only"):
        run("train", "--advice", tmp_path / "two.rules", "--classes", "healthy,diabetes", "--label", "outcome", "--learner", learner, "--model", tmp_path / "m", "--quiet", check=True)
        page = report(tmp_path / "m", "--data", patients / "test.csv")
        assert "None: the model comes from rules alone" in page.text and "no training rows" in page.text
        assert page.values["accuracy"] == pytest.approx(run_json("evaluate", tmp_path / "m", patients / "test.csv")["accuracy"])


def test_a_perfect_model_has_an_honest_interval(tmp_path):
    (tmp_path / "d.csv").write_text("x,label\n" + "".join(f"{k},{'yes' if k > 0 else 'no'}\n" for k in [*range(-12, 13)] * 2))
    run("train", tmp_path / "d.csv", "--kind", "x=number", "--learner", "svm", "--model", tmp_path / "m", "--quiet", check=True)
    page = report(tmp_path / "m", "--data", tmp_path / "d.csv")
    assert page.values["auc"] == 1 and re.search(r"1\.000 (?:\(95 % interval )?0\.[89]\d\d to 1\.000", page.text)


def test_mistakes_are_told(patients, tmp_path):
    done = run("report", patients / "m.postil", "--data", patients / "test.csv", "--by", "sax")
    assert done.returncode != 0 and "sax" in done.stderr and "sex" in done.stderr
    (tmp_path / "many.csv").write_text((patients / "test.csv").read_text().split("\n")[0] + ",key\n" + "".join(f"{line},{k}\n" for k, line in enumerate(3 * (patients / "test.csv").read_text().split("\n")[1:-1])))
    done = run("report", patients / "m.postil", "--data", tmp_path / "many.csv", "--by", "key", "-o", tmp_path / "never.html")
    assert done.returncode == 2 and "--by" in done.stderr and "1000 different values" in done.stderr and not (tmp_path / "never.html").exists()
    assert run("report", patients / "m.postil").returncode == 2
    (tmp_path / "empty.csv").write_text((patients / "test.csv").read_text().split("\n")[0] + "\n")
    assert "there are no rows" in run("report", patients / "m.postil", "--data", tmp_path / "empty.csv").stderr
