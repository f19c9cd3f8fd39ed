"""python/postil/_learners.py and _names.py: an estimator for each learner of the registry, with real signatures and docstrings."""

import ast
import json
import pathlib
import re
import textwrap

BIBLIOGRAPHY = pathlib.Path(__file__).resolve().parent.parent / "docs/references.bib"

NOTE = '"""Written by tools/generate.py from `postil learners --json`; do not edit."""\n'

# Where Python has another name: words it keeps for itself, what scikit-learn calls it, and what means something else here.
NAMES = {"lambda": "lambda_", "seed": "random_state", "advice": "advice_mode", "novelty": "keep_novelty", "tolerance": "tol", "cache": "cache_size"}

# Values that scikit-learn's users know by other words, by the range of the parameter.
WORDS = {
    "none|uniform": {True: "uniform", False: "none"},
    "linear|polynomial|rbf|precomputed": {"poly": "polynomial"},
    "linear|polynomial|rbf": {"poly": "polynomial"},
}

# Two estimators of one learner: what each fixes or leaves out.
FORMS = {
    "svm": [
        ("SVC", "Support vector machine with C", {"nu": None, "multiclass": "ovo"}),
        ("NuSVC", "Support vector machine with nu", {"C": None, "nu": 0.5, "multiclass": "ovo"}),
    ]
}

# scikit-learn's PassiveAggressive* are leaving it: their users' parameters are taken here.
PEER = {
    "pa": [
        ("loss", None, "scikit-learn's name for the variant: 'hinge' or 'epsilon_insensitive' is pa1, 'squared_hinge' or 'squared_epsilon_insensitive' is pa2; None: `variant` decides", "str | None"),
        ("learning_rate", None, "'pa1' or 'pa2', as in scikit-learn's SGD estimators; None: `variant` decides", "str | None"),
        ("early_stopping", False, "fit sets rows aside and stops when their error has not fallen by `tol` for `n_iter_no_change` passes; False: the mistakes of each pass, made before learning each row, are watched", "bool"),
        ("validation_fraction", 0.1, "with early_stopping: the share of rows that are set aside; (0, 1)", "float"),
    ]
}

ONLINE = [
    ("max_iter", 1000, "most passes over the rows that fit makes", "int"),
    ("tol", 1e-3, "fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by this for n_iter_no_change passes; None: all passes are made", "float | None"),
    ("n_iter_no_change", 5, "see tol", "int"),
    ("shuffle", True, "each pass of fit has its own random order", "bool"),
    ("random_state", None, "seed of these orders; None is 0, so that the same data give the same model", "Any"),
    ("warm_start", False, "fit goes on from what was learned before", "bool"),
]
VERBOSE = ("verbose", 0, "1: report progress on standard error", "int")
CALLBACK = ("callback", None, "called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a solver works; what it raises ends fit", "Any")
FEATURE_NAMES = ("feature_names", None, "names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out", "Any")
ADVICE = ("advice", None, "rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the path of a file", "Advice | None")
SCALE = ("scale", None, "how columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax' by their range, 'maxabs' by their largest absolute value")
MISSING = ("missing", None, "what stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused")
CLASS_WEIGHT = ("class_weight", None, "{class: weight}, or 'balanced': classes count alike")
FIT_INTERCEPT = ("fit_intercept", True, "whether there is a constant term", "bool")
SHARED_PARAMETERS = {entry[0] for entry in (ADVICE, FEATURE_NAMES, SCALE, MISSING, CLASS_WEIGHT, FIT_INTERCEPT, *ONLINE, VERBOSE, CALLBACK)}


def has_advice(learner):
    return learner["advice"] or any(p["name"] == "start" and "advice" in p["range"].split("|") for p in learner["params"])


def parameters(learner, regression, fixed):
    """(python name, default, sentence, registry name or None, type), in the order of the signature."""
    settings = dict(pair.split("=") for pair in learner["regression_settings"].split()) if regression else {}
    out = []
    for p in learner["params"]:
        name, default = p["name"], p["default"]
        if fixed.get(name, 0) is None:
            continue
        if name in settings:
            default = type(default)(settings[name])
        default = fixed.get(name, default)
        if name == "bias":
            out += intercept(p, default)
            continue
        if p["kind"] == "integer":
            default = int(default)
        if name == "seed":
            default = None
        also = ", ".join(f"{shown(word)} is {shown(value)}" for word, value in WORDS.get(p["range"], {}).items())
        out.append((NAMES.get(name, name), default, "; ".join(filter(None, [sentence_of(p), also])), name, annotation(p)))
    if has_advice(learner):
        out.append((*ADVICE[:3], None, ADVICE[3]))
        out.append((*FEATURE_NAMES[:3], None, FEATURE_NAMES[3]))
    scaled = learner["advice"] or (regression and learner["name"] in ("sgd", "arow"))  # steps on squares run away from large numbers; V begins alike for all columns
    out.append((SCALE[0], "standard" if scaled else "none", SCALE[2], None, 'Literal["standard", "minmax", "maxabs", "none"]'))
    out.append((*MISSING, None, 'Literal["mean", "zero", "indicator"] | None'))
    if not regression:
        out.append((*CLASS_WEIGHT, None, 'dict[Any, float] | Literal["balanced"] | None'))
    if learner["online"]:
        out += [(*entry[:3], None, entry[3]) for entry in ONLINE]
    out += [(*entry[:3], None, entry[3]) for entry in (VERBOSE, CALLBACK)]
    return out + [(*entry[:3], None, entry[3]) for entry in PEER.get(learner["name"], [])]


def intercept(parameter, default):
    """The registry's `bias`, as scikit-learn's users know it: whether there is one, and where there is a choice, which."""
    words = [word for word in parameter["range"].split("|") if word != "none"]
    out = [(*FIT_INTERCEPT[:3], None, FIT_INTERCEPT[3])]
    if words[0].startswith("("):
        return [*out, ("intercept_scaling", default, sentence_of(parameter), "bias", "float")]
    if len(words) == 1:
        return out
    return [*out, ("intercept", default, f"with fit_intercept: {parameter['help']}", "bias", f"Literal[{', '.join(map(json.dumps, words))}]")]


def sentence_of(parameter):
    """What a parameter is, with the numbers that it may be; words that it may be are in its type."""
    choices = parameter["range"].split("|")
    text = re.sub(r"^(\w[\w-]*):", lambda match: f"'{match[1]}':" if match[1] in choices else match[0], parameter["help"])
    interval = re.match(r"([\[(])([^,]+), ([^\])]+)([\])])", parameter["range"])
    return text + ("; " + numbers(*interval.groups()) if interval and parameter["name"] != "seed" else "")


def numbers(left, low, high, right):
    """An interval in words."""
    if high == "inf":
        return f"{'at least' if left == '[' else 'above'} {low}"
    if left == "[" and right == "]":
        return f"from {low} to {high}"
    if left == "(" and right == ")":
        return f"between {low} and {high}"
    return f"{'at least' if left == '[' else 'above'} {low}, {'at most' if right == ']' else 'below'} {high}"


def annotation(parameter):
    """The type of a parameter of the registry."""
    if parameter["name"] == "seed":
        return "Any"
    words = [word for word in parameter["range"].split("|") if not word.startswith(("(", "["))]
    others = WORDS.get(parameter["range"], {})
    words += [word for word in others if isinstance(word, str)]
    literal = f"Literal[{', '.join(map(json.dumps, words))}]" + (" | bool" if True in others else "")
    return {"number": "float", "integer": "int", "flag": "bool", "choice": literal, "number-or-choice": f"float | {literal}"}[parameter["kind"]]


def shown(value):
    return json.dumps(value) if isinstance(value, str) else repr(value)


def kind_of(learner, regression):
    return ("Online" if learner["online"] else "") + ("Regressor" if regression else "Classifier")


# Of the learner that is recommended: what one does with it.
TEACHING = """
>>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
>>> rules = postil.rules.parse(\'\'\'
... domain x1 in [-2, 10]
... domain x2 in [-5, 9]
... below: x2 <= 0 => positive
... above: x2 >= 3 and x2 - 0.5*x1 >= 1 => negative
... \'\'\')
>>> model = postil.AdviceClassifier(advice=rules).fit(X[:4], y[:4])
>>> round(model.score(X[4:], y[4:]), 2)  # of two rules and four labels
0.94
>>> model.predict_proba(X[:3]).shape
(3, 2)
>>> list(model.ledger().index)  # what became of each rule
['below', 'above']
>>> model.explain(X.iloc[0])["label"]  # print it to read why
'negative'
>>> model = model.partial_fit(X[4:], y[4:])  # learning goes on
"""


def example(learner, name, regression):
    if learner["name"] == "advised":
        return TEACHING.strip()
    rules = 'advice="x2 <= 0 => positive\\\\nx2 > 1 => negative", ' if has_advice(learner) and learner["advice"] else ""
    if regression and learner["advice"]:
        return f">>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)\n>>> model = postil.{name}(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])\n>>> bool(model.score(X, X['x1'] - 2 * X['x2']) > {0.1 if learner['needs_advice'] else 0.9})\nTrue"
    if regression:
        return f">>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)\n>>> model = postil.{name}().fit(X, X['x1'] - 2 * X['x2'])\n>>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)\nTrue"
    return f">>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)\n>>> model = postil.{name}({rules.rstrip(', ')}).fit(X, y)\n>>> bool(model.score(X, y) > 0.85)\nTrue"


def wrapped(text, indent):
    return textwrap.fill(text, 116, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def plain_type(kind):
    """As documentation writes it."""
    kind = kind.replace("Advice | None", "rules, optional")
    kind = re.sub(r"Literal\[([^\]]*)\]", lambda match: "{" + match[1].replace('"', "'") + "}", kind)
    return kind.replace(" | None", ", optional").replace(" | ", " or ").replace("dict[Any, float]", "dict").replace("Any", "object")


# ---- docstrings ----


def purpose(learner, title, regression):
    """The first sentence: what an estimator is for."""
    what = "Predicts numbers" if regression else "Classifies rows"
    source = " by rules alone" if learner["needs_advice"] else " from labels and rules" if learner["advice"] else ""
    way = "learning them one at a time" if learner["online"] else "learning all at once"
    return f"{what}{source}, {way}: {title if title.startswith('Adviceptron') else title[0].lower() + title[1:]}."


def plain(text, learners):
    """Markdown of a learner's page as Python's users read it."""
    text = " ".join(text.split())
    names = {learner["name"]: learner["python"] for learner in learners}

    def quoted(match):
        setting = re.fullmatch(r"([\w-]+)=([\w.-]+)", match[1])
        if setting:
            name, value = NAMES.get(setting[1], setting[1]), setting[2]
            return f"`{name}={value}`" if re.fullmatch(r"[\d.]+", value) else f"`{name}='{value}'`"
        return f"`{names.get(match[1], match[1])}`"

    text = re.sub(r"`([^`]*)`", quoted, text)
    text = re.sub(r"\$([^$]*)\$", lambda match: re.sub(r"(?<=\w)\\", " ", match[1].replace("\\times", "by")).replace("\\", ""), text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "")


def bibliography():
    out = {}
    for key, body in re.findall(r"^@\w+\{([^,]+),\n(.*?)^\}", BIBLIOGRAPHY.read_text(), re.MULTILINE | re.DOTALL):
        fields = {name: re.sub(r'\\["\'`]|[{}]', "", value.rstrip(",").strip()[1:-1]) for name, value in re.findall(r"^ *(\w+) *= *(.*)$", body, re.MULTILINE)}
        authors = fields.get("author", "").split(" and ")
        who = ", ".join(author.split(",")[0] for author in authors) if authors[0] else ""
        out[key] = ". ".join(part for part in (who, fields["title"], ", ".join(part for part in (fields.get("journal") or fields.get("booktitle") or fields.get("howpublished") or fields.get("note"), fields.get("year")) if part)) if part)
    return out


def prose(learner, learners):
    """What its page says first, and when not to use it."""
    paragraphs = learner["page"].strip().split("\n\n")
    warning = [paragraph for paragraph in paragraphs if paragraph.startswith("**When not to use it")]
    return [re.sub(r"^When not to use it\. ([A-Z])(?=[a-z ])", lambda match: f"When not to use it: {match[1].lower()}", plain(paragraph, learners)) for paragraph in [paragraphs[0], *warning]]


def estimator(learner, name, title, fixed, regression, learners=(), sources=None):
    entries = parameters(learner, regression, fixed)
    base = kind_of(learner, regression)
    if learner["name"] in PEER:
        base = f"PassiveAggressive, {base}"
    if learner["ellipsoid"]:
        base = f"EllipsoidMixin, {base}"
    if learner["name"] == "svm":
        base = f"SupportVectors, {base}"
    lines = [f"class {name}({base}):", f'    """{purpose(learner, title, regression)}', ""]
    for paragraph in prose(learner, learners):
        lines += [wrapped(paragraph, "    "), ""]
    lines += [wrapped(f"The command `postil learners {learner['name']}` prints its formulas.", "    "), ""]
    lines += ["    Parameters", "    ----------"]
    for parameter, default, sentence, _, kind in entries:
        lines += [f"    {parameter} : {plain_type(kind)}, default={default!r}", wrapped(sentence[0].upper() + sentence[1:] + ".", "        ")]
    lines += ["", "    References", "    ----------", wrapped(sources[learner["reference"]] + ".", "    ")]
    lines += ["", "    Examples", "    --------", *("    " + line for line in [">>> import postil", *example(learner, name, regression).splitlines()]), '    """', ""]
    renamed = {parameter: setting for parameter, _, _, setting, _ in entries if setting}
    words = {NAMES.get(p["name"], p["name"]): WORDS[p["range"]] for p in learner["params"] if p["range"] in WORDS}
    lines += [f'    _learner = "{learner["name"]}"', f"    _settings = {json.dumps(renamed)}"]
    lines += [f"    _words = {words!r}".replace("'", '"')] if words else []
    lines += ["    _needs_advice = True", ""] if learner["needs_advice"] else [""]
    lines += ["    def __init__(", "        self,", "        *,", *(f"        {parameter}: {kind} = {shown(default)}," for parameter, default, _, _, kind in entries), "    ) -> None:"]
    lines += [f"        self.{parameter} = {parameter}" for parameter, *_ in entries]
    return "\n".join(lines)


def estimators(learners):
    """(learner, class name, title, what is fixed, whether it is for numbers)"""
    for learner in learners:
        for name, title, fixed in FORMS.get(learner["name"], [(learner["python"], learner["title"], {})]):
            yield learner, name, title, fixed, False
            if "regression" in learner["task"]:
                yield learner, name.replace("Classifier", "Regressor").replace("SVC", "SVR"), title, fixed, True


def generated(learners):
    every = list(estimators(learners))
    bases = sorted({kind_of(learner, regression) for learner, _, _, _, regression in every})
    classifiers, regressors = (", ".join(base for base in bases if base.endswith(kind)) for kind in ("Classifier", "Regressor"))
    code = NOTE + "\nfrom typing import Any, Literal\n\n"
    code += f"from ._classifier import {classifiers}\nfrom ._ellipsoid import EllipsoidMixin\nfrom ._load import restore\nfrom ._passive_aggressive import PassiveAggressive\nfrom ._regressor import {regressors}\nfrom ._rules import Advice\nfrom ._support import SupportVectors\n\n\n"
    code += "\n\n\n".join(estimator(*entry, learners, bibliography()) for entry in every)
    firsts = {}
    for learner, name, _, _, regression in every:
        firsts.setdefault((learner["name"], regression), []).append(name)
    code += "\n\n\n# By learner and whether it predicts numbers.\nESTIMATORS = {\n"
    code += "".join(f"    ({shown(learner)}, {regression}): [{', '.join(names)}],\n" for (learner, regression), names in firsts.items())
    code += '}\n\n\ndef from_engine(engine):\n    """The estimator of a model that was loaded."""\n    return restore(engine, ESTIMATORS)\n'
    names = NOTE + "\nESTIMATORS = (\n" + "".join(f'    "{name}",\n' for name in sorted(name for _, name, _, _, _ in every)) + ")\n"
    stub = "# Written by tools/generate.py: what `import postil` gives, loaded when first asked for.\nimport os\n\n"
    stub += "from . import datasets as datasets, evaluate as evaluate, plots as plots, rules as rules, shards as shards, testing as testing\n"
    stub += "from ._estimator import Estimator\n"
    stub += "".join(f"from ._learners import {name} as {name}\n" for name in sorted(name for _, name, _, _, _ in every))
    stub += "".join(f"from ._errors import {name} as {name}\n" for name in ("DataError", "Error", "ModelError", "ParamError", "ParseError"))
    stub += "\n__version__: str\n\ndef load(path: str | os.PathLike[str]) -> Estimator: ...\n"
    return {"python/postil/_learners.py": code, "python/postil/_names.py": names, "python/postil/__init__.pyi": stub}


# ---- the reference ----

# Sections: what they are about, and in which files what they have is written.
MODULES = [
    ("Rules", "rules", ["rules.py", "_rules.py", "_rule_builder.py", "_rules_from_trees.py"]),
    ("Evaluate", "evaluate", ["evaluate.py"]),
    ("Plots", "plots", ["plots.py"]),
    ("Data", "datasets", ["datasets.py"]),
    ("Shards", "shards", ["shards.py"]),
    ("Testing", "testing", ["testing.py"]),
]

# Which estimators have the methods of which base classes.
SHARED = [
    ("all", [("_estimator.py", "Estimator"), ("_explain.py", "ExplainMixin"), ("_export.py", "ExportMixin"), ("_river.py", "RiverMixin")]),
    ("classifiers", [("_classifier.py", "Classifier")]),
    ("with an ellipsoid", [("_ellipsoid.py", "EllipsoidMixin")]),
    ("online", [("_online.py", "OnlineMixin")]),
    ("online classifiers", [("_classifier.py", "OnlineClassifier")]),
    ("regressors", [("_regressor.py", "Regressor")]),
    ("online regressors", [("_regressor.py", "OnlineRegressor")]),
]


def heading(node, prefix=""):
    """A function as it is called."""
    if isinstance(node, ast.ClassDef):
        return f"{prefix}{node.name}"
    if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in node.decorator_list):
        return f"{prefix}{node.name}"
    arguments = ast.unparse(node.args).replace("self, ", "").replace("self", "")
    return f"{prefix}{node.name}({arguments})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def documented(nodes):
    return [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_") and ast.get_docstring(node)]


def block(text):
    return f"```text\n{text}\n```\n\n"


def section(node, level, prefix=""):
    return f"{'#' * level} `{heading(node, prefix)}`\n\n" + block(ast.get_docstring(node))


def parsed(path):
    return ast.parse(path.read_text()).body


def overview(every, regression):
    text = "| class | learner | |\n|---|---|---|\n"
    for learner, name, title, _, numbers in every:
        if numbers == regression:
            traits = [] if learner["online"] else ["all rows at once"]
            traits += ["takes rules"] if learner["advice"] else []
            text += f"| [`{name}`](#{name.lower()}) | [{title}](learners/{learner['name']}.md) | {', '.join(traits)} |\n"
    return text + "\n"


def shared_parameters():
    text = "| parameter | default | |\n|---|---|---|\n"
    text += "| `advice` | `None` | of estimators that take rules: " + ADVICE[2] + " |\n"
    text += "| `scale` | `'standard'` where rules are taken, else `'none'` | " + SCALE[2] + " |\n"
    for name, default, sentence, *_ in (FEATURE_NAMES, MISSING, CLASS_WEIGHT, FIT_INTERCEPT, VERBOSE, CALLBACK):
        text += f"| `{name}` | `{default!r}` | {sentence} |\n"
    for name, default, sentence, _ in ONLINE:
        text += f"| `{name}` | `{default!r}` | of those that learn one row at a time: {sentence} |\n"
    return text + "\n"


def own(learner, name, title, fixed, regression):
    """An estimator, but for what all have."""
    entries = parameters(learner, regression, fixed)
    shared = [entry for entry in entries if entry[0] in SHARED_PARAMETERS and entry[3] is None]  # `tol` may also be a solver's
    rest = [f"`{parameter}={default!r}`" for parameter, default, *_ in shared]
    text = f"### {name}\n\n{purpose(learner, title, regression)} [Problem, update, and when not to use it](learners/{learner['name']}.md).\n\n"
    mine = [entry for entry in entries if entry not in shared]
    if mine:
        text += "| parameter | default | |\n|---|---|---|\n"
        text += "".join(f"| `{parameter}` : {plain_type(kind).replace('|', 'or')} | `{default!r}` | {sentence.replace('|', chr(92) + '|')} |\n" for parameter, default, sentence, _, kind in mine) + "\n"
    return text + f"Shared: {', '.join(rest)}.\n\n"


def reference(learners, package):
    every = list(estimators(learners))
    text = "# The Python package\n\n<!-- Written by tools/generate.py from the package itself; do not edit. -->\n\nThe guide: [python.md](python.md). In Python, `help(postil.AdviceClassifier)` has all of a class in one place.\n\n"
    titles = ["Estimators of classes", "Estimators of numbers", "Shared parameters", "Methods", *(title for title, _, _ in MODULES), "Files", "Explanations", "Errors"]
    text += "".join(f"- [{title}](#{title.lower().replace(' ', '-')})\n" for title in titles) + "\n"
    for title, regression in (("Estimators of classes", False), ("Estimators of numbers", True)):
        text += f"## {title}\n\n" + overview(every, regression) + "".join(own(*entry) for entry in every if entry[4] == regression)
    text += "## Shared parameters\n\nEach estimator names those it has, with its defaults.\n\n" + shared_parameters()
    text += "## Methods\n\n"
    seen = set()
    for title, bases in SHARED:
        nodes = [node for file, name in bases for node in parsed(package / file) if isinstance(node, ast.ClassDef) and node.name == name]
        methods = [method for node in nodes for method in documented(node.body) if (method.name, ast.get_docstring(method)) not in seen]
        seen.update((method.name, ast.get_docstring(method)) for method in methods)
        text += f"### {title.capitalize()}\n\n" + "".join(section(method, 4) for method in methods)
    for title, module, files in MODULES:
        first = parsed(package / files[0])
        names = next(ast.literal_eval(node.value) for node in first if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        found = {node.name: node for file in files for node in documented(parsed(package / file))}
        text += f"## {title}\n\n{ast.get_docstring(ast.parse((package / files[0]).read_text()))}\n\n"
        for node in (found[name] for name in names if name in found):
            text += section(node, 3, f"postil.{module}.")
            if isinstance(node, ast.ClassDef):
                text += "".join(section(method, 4, f"{node.name}.") for method in documented(node.body))
    text += "## Files\n\n" + section(next(node for node in parsed(package / "__init__.py") if isinstance(node, ast.FunctionDef) and node.name == "load"), 3, "postil.")
    for title, file in (("Explanations", "_explain.py"), ("Errors", "_errors.py")):
        shown = [node for node in documented(parsed(package / file)) if isinstance(node, ast.ClassDef) and not node.name.endswith("Mixin")]
        if title == "Explanations":
            shown += documented(parsed(package / "_ledger.py")) + [node for node in documented(parsed(package / "_export.py")) if node.name == "Scorecard"]
        text += f"## {title}\n\n" + "".join(section(node, 3, "postil." if title == "Errors" else "") for node in shown)
    return {"docs/api.md": text.rstrip() + "\n"}
