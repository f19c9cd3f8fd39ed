"""python/postil/_learners.py and _names.py: an estimator for each learner of the registry, with real signatures and docstrings."""

import ast
import json
import re
import textwrap

NOTE = '"""Written by tools/generate.py from `postil learners --json`; do not edit."""\n'

# Where Python has another name: words it keeps for itself, what scikit-learn calls it, and what means something else here.
NAMES = {"lambda": "lambda_", "seed": "random_state", "advice": "advice_mode", "novelty": "keep_novelty"}

# Two estimators of one learner: what each fixes or leaves out.
FORMS = {
    "svm": [
        ("SVC", "Support vector machine with C", {"nu": None}),
        ("NuSVC", "Support vector machine with nu", {"C": None, "nu": 0.1}),
    ]
}

# scikit-learn's PassiveAggressive* are leaving it: their users' parameters are taken here.
PEER = {
    "pa": [
        ("loss", None, "scikit-learn's name for the variant: 'hinge' or 'epsilon_insensitive' is pa1, 'squared_hinge' or 'squared_epsilon_insensitive' is pa2; None: `variant` decides", "str | None"),
        ("learning_rate", None, "'pa1' or 'pa2', as in scikit-learn's SGD estimators; None: `variant` decides", "str | None"),
        ("fit_intercept", True, "False: bias='none'", "bool"),
        ("early_stopping", False, "accepted; the mistakes of each pass, made before learning each row, are what `tol` watches either way", "bool"),
        ("validation_fraction", 0.1, "accepted, see early_stopping", "float"),
        ("n_jobs", None, "accepted; one learner is one thread", "int | None"),
    ]
}

ONLINE = [
    ("max_iter", 1000, "most passes over the rows that fit makes", "int"),
    ("tol", 1e-3, "fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by this for n_iter_no_change passes; None: all passes are made", "float | None"),
    ("n_iter_no_change", 5, "see tol", "int"),
    ("shuffle", True, "each pass of fit has its own random order", "bool"),
    ("random_state", None, "seed of these orders; None is 0, so that the same data give the same model", "Any"),
    ("warm_start", False, "fit goes on from what was learned before", "bool"),
    ("verbose", 0, "1: tell of each pass on standard error", "int"),
]
ADVICE = ("advice", None, "rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md")
SCALE = ("scale", None, "'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it")
MISSING = ("missing", None, "what stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused")
CLASS_WEIGHT = ("class_weight", None, "{class: weight}, or 'balanced': classes count alike")


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
        if p["kind"] == "integer":
            default = int(default)
        if name == "seed":
            default = None
        allowed = p["range"] if p["kind"] != "flag" else ""
        out.append((NAMES.get(name, name), default, p["help"] + (f"; {allowed}" if allowed else ""), name, annotation(p)))
    if has_advice(learner):
        out.append((*ADVICE, None, "Any"))
    scaled = learner["advice"] or (regression and learner["name"] in ("sgd", "arow"))  # steps on squares run away from large numbers; V begins alike for all columns
    out.append((SCALE[0], "standard" if scaled else "none", SCALE[2], None, 'Literal["standard", "minmax", "maxabs", "none"]'))
    out.append((*MISSING, None, 'Literal["mean", "zero", "indicator"] | None'))
    if not regression:
        out.append((*CLASS_WEIGHT, None, 'dict[Any, float] | Literal["balanced"] | None'))
    if learner["online"]:
        out += [(*entry[:3], None, entry[3]) for entry in ONLINE]
    return out + [(*entry[:3], None, entry[3]) for entry in PEER.get(learner["name"], [])]


def annotation(parameter):
    """The type of a parameter of the registry."""
    if parameter["name"] == "seed":
        return "Any"
    words = [word for word in parameter["range"].split("|") if not word.startswith(("(", "["))]
    literal = f"Literal[{', '.join(map(json.dumps, words))}]"
    return {"number": "float", "integer": "int", "flag": "bool", "choice": literal, "number-or-choice": f"float | {literal}"}[parameter["kind"]]


def shown(value):
    return json.dumps(value) if isinstance(value, str) else repr(value)


def kind_of(learner, regression):
    return ("Online" if learner["online"] else "") + ("Regressor" if regression else "Classifier")


def example(learner, name, regression):
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
    kind = re.sub(r"Literal\[([^\]]*)\]", lambda match: "{" + match[1].replace('"', "'") + "}", kind)
    return kind.replace(" | None", ", optional").replace(" | ", " or ").replace("dict[Any, float]", "dict").replace("Any", "object")


def estimator(learner, name, title, fixed, regression):
    entries = parameters(learner, regression, fixed)
    base = kind_of(learner, regression)
    if learner["name"] in PEER:
        base = f"PassiveAggressive, {base}"
    if learner["ellipsoid"]:
        base = f"EllipsoidMixin, {base}"
    lines = [f"class {name}({base}):", f'    """{title}{", for numbers" if regression else ""}.', ""]
    lines += [wrapped(f"Problem, update and when not to use it: docs/learners/{learner['name']}.md. Source: {learner['reference']} in docs/references.bib.", "    "), ""]
    lines += ["    Parameters", "    ----------"]
    for parameter, default, sentence, _, kind in entries:
        lines += [f"    {parameter} : {plain_type(kind)}, default={default!r}", wrapped(sentence[0].upper() + sentence[1:] + ".", "        ")]
    lines += ["", "    Examples", "    --------", *("    " + line for line in [">>> import postil", *example(learner, name, regression).splitlines()]), '    """', ""]
    renamed = {parameter: setting for parameter, _, _, setting, _ in entries if setting}
    lines += [f'    _learner = "{learner["name"]}"', f"    _settings = {json.dumps(renamed)}"]
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
    code += f"from ._classifier import {classifiers}\nfrom ._ellipsoid import EllipsoidMixin\nfrom ._load import restore\nfrom ._passive_aggressive import PassiveAggressive\nfrom ._regressor import {regressors}\n\n\n"
    code += "\n\n\n".join(estimator(*entry) for entry in every)
    firsts = {}
    for learner, name, _, _, regression in every:
        firsts.setdefault((learner["name"], regression), []).append(name)
    code += "\n\n\n# By learner and whether it predicts numbers.\nESTIMATORS = {\n"
    code += "".join(f"    ({shown(learner)}, {regression}): [{', '.join(names)}],\n" for (learner, regression), names in firsts.items())
    code += '}\n\n\ndef from_engine(engine):\n    """The estimator of a model that was loaded."""\n    return restore(engine, ESTIMATORS)\n'
    names = NOTE + "\nESTIMATORS = (\n" + "".join(f'    "{name}",\n' for name in sorted(name for _, name, _, _, _ in every)) + ")\n"
    stub = "# Written by tools/generate.py: what `import postil` gives, loaded when first asked for.\nimport os\n\n"
    stub += "from . import datasets as datasets, evaluate as evaluate, plots as plots, rules as rules, testing as testing\n"
    stub += "from ._estimator import Estimator\n"
    stub += "".join(f"from ._learners import {name} as {name}\n" for name in sorted(name for _, name, _, _, _ in every))
    stub += "".join(f"from ._errors import {name} as {name}\n" for name in ("DataError", "Error", "ModelError", "ParamError", "ParseError"))
    stub += "\n__version__: str\n\ndef load(path: str | os.PathLike[str]) -> Estimator: ...\n"
    return {"python/postil/_learners.py": code, "python/postil/_names.py": names, "python/postil/__init__.pyi": stub}


# ---- the reference ----

MODULES = ["rules", "evaluate", "plots", "datasets", "testing"]

# Which estimators have the methods of which base classes.
SHARED = [
    ("all", [("_estimator.py", "Estimator"), ("_explain.py", "ExplainMixin"), ("_river.py", "RiverMixin")]),
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


def section(node, level, prefix=""):
    return f"{'#' * level} `{heading(node, prefix)}`\n\n```text\n{ast.get_docstring(node)}\n```\n\n"


def reference(learners, package):
    text = "# The Python package\n\n<!-- Written by tools/generate.py from the package itself; do not edit. -->\n\nThe guide: [python.md](python.md).\n\n## Estimators\n\n"
    text += "| class | learner | |\n|---|---|---|\n"
    for learner, name, title, _, regression in estimators(learners):
        traits = ["numbers"] if regression else []
        traits += [] if learner["online"] else ["all rows at once"]
        traits += ["takes rules"] if learner["advice"] and not regression else []
        text += f"| [`{name}`](#{name.lower()}) | [{title}](learners/{learner['name']}.md) | {', '.join(traits)} |\n"
    text += "\n## What every estimator has\n\n"
    seen = set()
    for title, bases in SHARED:
        nodes = [node for file, name in bases for node in ast.parse((package / file).read_text()).body if isinstance(node, ast.ClassDef) and node.name == name]
        methods = [method for node in nodes for method in documented(node.body) if (method.name, ast.get_docstring(method)) not in seen]
        seen.update((method.name, ast.get_docstring(method)) for method in methods)
        text += f"### {title.capitalize()}\n\n" + "".join(section(method, 4) for method in methods)
    text += "## Modules\n\n" + section(next(node for node in ast.parse((package / "__init__.py").read_text()).body if isinstance(node, ast.FunctionDef) and node.name == "load"), 3, "postil.")
    for module in MODULES:
        tree = ast.parse((package / f"{module}.py").read_text())
        text += f"### {module}\n\n{ast.get_docstring(tree)}\n\n" + "".join(section(node, 4, f"postil.{module}.") for node in documented(tree.body) if node.name != "read")
    text += "## Parameters\n\n"
    for node in ast.parse(generated(learners)["python/postil/_learners.py"]).body:
        if isinstance(node, ast.ClassDef):
            text += f"### {node.name}\n\n```text\n{ast.get_docstring(node)}\n```\n\n"
    return {"docs/api.md": text.rstrip() + "\n"}
