"""python3 -m postil.experiments list | run NAME... | page NAME... : the papers' figures and tables."""

import argparse
import ast
import importlib
import json
import math
import os
import pathlib
import sys
import time

# Of each paper in its order.
MODULES = {
    "ecml2010": ["figure1", "synthetic", "diabetes", "tuberculosis", "sitvit2", "africanum", "scaling", "circle", "losses"],
    "annie2010": ["promoters", "diabetes_perceptron", "usps"],
    "acml2010": ["exact_relaxed", "relinearised", "hard_margin", "bayes_point_time", "soft_margin", "online_esvm", "online_regret", "soft_rbf", "neighbours"],
    "lecture": ["perceptron_bounds"],
    "beyond": ["fresh_rules", "bad_advice", "labels_worth", "long_stream", "drift", "advice_bounds", "numbers"],
}


def experiments():
    return {name.replace("_", "-"): importlib.import_module(f".{paper}.{name}", __package__).EXPERIMENT for paper, names in MODULES.items() for name in names}


def show_list(known, as_json):
    if as_json:
        print(json.dumps([{"name": name, "paper": each.paper, "figure": each.figure, "title": each.title, "needs": each.needs} for name, each in known.items()], indent=1))
        return
    paper = None
    for name, each in known.items():
        if each.paper != paper:
            paper = each.paper
            print(paper)
        print(f"  {name:<22} {each.figure + ':' if each.figure else ''} {each.title}{'   (needs ' + ', '.join(each.needs) + ')' if each.needs else ''}")


def parse_settings(words):
    given = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"--set {word}: expected NAME=VALUE")
        try:
            given[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            given[name] = value
    return given


def given_settings(each, arguments):
    """What the user wants otherwise; throws ValueError if the experiment has no such setting."""
    given = parse_settings(arguments.set)
    each.chosen_settings(arguments.quick, **given)
    return given


def without_nan(value):
    """As JSON has it: null where there is no number."""
    if isinstance(value, dict):
        return {name: without_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_nan(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def run_one(each, arguments):
    """Gives a sentence about what went wrong, or None."""
    import postil

    from . import data, experiment, page

    begun = time.perf_counter()
    try:
        done = experiment.run(each, arguments.quick, arguments.cache, arguments.fresh, **given_settings(each, arguments))
        written = page.write(each, done, arguments.out)
    except (data.Missing, OSError, postil.Error) as wrong:
        return f"{each.name}: {wrong}"
    rows = each.agreement(done.results)
    if arguments.json:
        found = json.loads(done.results.table.to_json(orient="records"))
        print(json.dumps(without_nan({"name": each.name, "page": str(written), "seconds": done.seconds, "expected": rows, "results": found})), flush=True)
    else:
        told = f"{page.counted(rows)}; " if rows else ""
        print(f"{each.name}: {told}{time.perf_counter() - begun:.1f} s; {written}", flush=True)
    try:
        each.check(done.settings, done.results)
    except AssertionError as wrong:
        return f"{each.name}: the shape is not as it should be: {wrong}"
    except KeyError as wrong:
        return f"{each.name}: with these settings its shape cannot be checked: {wrong}"
    return None


def rewrite_one(each, arguments):
    """Gives a sentence about what went wrong, or None."""
    from . import page

    try:
        written = page.rewrite(each, arguments.out)
        if arguments.pictures and each.draw:
            page.draw(each, each.settings, page.kept_results(each, arguments.out), arguments.out)
    except OSError as wrong:
        return f"{each.name}: {wrong}"
    except KeyError:
        return f"{each.name}: its picture shows more than its CSV holds; run it again"
    print(f"{each.name}: {written}")
    return None


def main():
    parser = argparse.ArgumentParser(prog="postil experiment", description="The papers' figures and tables, made again from scratch.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="list | run | page")
    lister = verbs.add_parser("list", help="what there is")
    lister.add_argument("--json", action="store_true", help="one JSON document")
    runner = verbs.add_parser("run", help="make figures or tables: numbers, picture, page")
    runner.add_argument("names", nargs="+", metavar="NAME", help="experiments, papers, or all")
    runner.add_argument("--quick", action="store_true", help="fewer runs: seconds, to see that it works")
    runner.add_argument("--out", default="postil-experiments", type=pathlib.Path, help="folder for pages, pictures and numbers (default: postil-experiments)")
    runner.add_argument("--fresh", action="store_true", help="do again what an earlier run has done")
    runner.add_argument("--cache", type=pathlib.Path, help="folder that keeps what is done, so that a run that was stopped goes on (default: in the user's cache)")
    runner.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="another value of a setting; may be repeated")
    runner.add_argument("--json", action="store_true", help="one JSON document a line")
    writer = verbs.add_parser("page", help="write the sentences of pages again; the numbers of their runs stay")
    writer.add_argument("names", nargs="+", metavar="NAME", help="experiments, papers, or all")
    writer.add_argument("--out", default="postil-experiments", type=pathlib.Path, help="folder of the pages (default: postil-experiments)")
    writer.add_argument("--pictures", action="store_true", help="draw the pictures again too, from the CSV files")
    arguments = parser.parse_args()
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        sys.exit("postil: the experiments draw with matplotlib, which is not installed: pip install 'postil[plots]'")
    from . import page

    known = experiments()
    if arguments.verb == "list":
        return show_list(known, arguments.json)
    wanted = []
    for name in arguments.names:
        if name == "all":
            wanted += known
        elif name in MODULES:
            wanted += [each for each in known if known[each].paper == name]
        elif name in known:
            wanted.append(name)
        else:
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            parser.error(f"there is no experiment '{name}'" + (f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known)}"))
    do_one = run_one if arguments.verb == "run" else rewrite_one
    try:
        for name in wanted if arguments.verb == "run" else []:
            given_settings(known[name], arguments)
    except ValueError as wrong:
        parser.error(str(wrong))
    failed = []
    try:
        for name in dict.fromkeys(wanted):
            failed += filter(None, [do_one(known[name], arguments)])
    except KeyboardInterrupt:
        sys.exit("\npostil: stopped; what was done is kept, the same command goes on from there")
    if arguments.out.is_dir():
        page.write_index(known, MODULES, arguments.out)
    for sentence in failed:
        print(f"postil: {sentence}", file=sys.stderr)
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("postil: stopped")
