"""The learners of the ANNIE paper: the perceptron, the Adviceptron for several μ; and ours beside them."""

from .. import curves
from ..trials import Learner

STEPS = [0.1, 0.01]  # λ, chosen in each run


# Those of the ECML paper, for comparison: nothing chosen but the batch machine's two weights.
OF_ECML = {
    "pa-adviceptron": Learner("pa-adviceptron", {"start": "advice", "lambda": 1, "mu": 0.01}, advice=True),
    "pa-ii": Learner("pa", curves.PA_TWO | {"C": 0.5}),
    "romma": Learner("romma", {"average": "none"}),
    "margin perceptron": Learner("margin-perceptron", {"average": "none", "margin": 0.1}),
    "batch-kbsvm": curves.ECML_LEARNERS["batch-kbsvm"],
}
OURS = {"advised": Learner("advised", advice=True), "arow": Learner("arow")}


def of_paper(*values, bias=False, **more):
    """The perceptron and the Adviceptron with each μ; without bias, as the paper has them, unless asked for."""
    shared = {} if bias else {"bias": "none"}
    adviceptrons = {f"adviceptron mu={value}": Learner("adviceptron", {"mu": value} | shared | more, {"lambda": STEPS}, advice=True) for value in values}
    return {"perceptron": Learner("perceptron", {"average": "none"} | shared)} | adviceptrons


def with_bias(*values):
    return of_paper(*values, bias=True) | OF_ECML | OURS


# ---- what pages say

PAIRS = [(f"adviceptron mu={value}", "perceptron") for value in ("1e-4", "1e-3", "1e-2")] + [("advised", "arow")]

BIAS = "The paper drops the bias (its section 2.1), so its values are compared with learners that have none; the same with a bias stand beside, with others that all have one."
ASSUMED = [
    BIAS,
    "μ as in the paper; λ, which it does not give, is chosen in each run by cross-validation of its training rows (five-fold; promoters two-fold). " + curves.TIES,
    "The Adviceptron starts from the problem of advice alone, as the paper's text says, with the domains of the columns as rows of every advice set; the perceptron starts at zero. Neither averages its weights.",
]
ECML_ASSUMED = "The learners of the ECML paper: λ = 1, μ = .01, C = ½ and margin .1 are taken, not chosen; the batch machine's λ and μ are chosen like the Adviceptron's λ."
