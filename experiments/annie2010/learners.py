"""The learners of the ANNIE paper: the perceptron, the Adviceptron for several μ; and ours beside them."""

from .. import curves
from ..trials import Learner

PERCEPTRON = Learner("perceptron", {"average": "none"})
STEPS = [0.1, 0.01]  # λ, chosen in each run


# Those of the ECML paper, for comparison: nothing chosen but the batch machine's two weights.
OF_ECML = {
    "pa-adviceptron": Learner("pa-adviceptron", {"start": "advice", "lambda": 1, "mu": 0.01}, advice=True),
    "pa-ii": Learner("pa", curves.PA_TWO | {"C": 0.5}),
    "romma": Learner("romma", {"average": "none"}),
    "margin perceptron": Learner("margin-perceptron", {"average": "none", "margin": 0.1}),
    "batch-kbsvm": curves.ECML_LEARNERS["batch-kbsvm"],
}


def with_mu(*values):
    adviceptrons = {f"adviceptron mu={value}": Learner("adviceptron", {"mu": value}, {"lambda": STEPS}, advice=True) for value in values}
    return {"perceptron": PERCEPTRON} | adviceptrons | OF_ECML | {"advised": Learner("advised", advice=True), "arow": Learner("arow")}


PAIRS = [(f"adviceptron mu={value}", "perceptron") for value in ("1e-4", "1e-3", "1e-2")] + [("advised", "arow")]

ASSUMED = [
    "μ as in the paper; λ, which it does not give, is chosen in each run by cross-validation of its training rows (five-fold; promoters two-fold). " + curves.TIES,
    "The learners of the ECML paper stand beside: λ = 1, μ = .01, C = ½ and margin .1 are taken, not chosen; the batch machine's λ and μ are chosen like λ above.",
    "The Adviceptron starts from the problem of advice alone, as the paper's text says, with bias and domain rows; the perceptron starts at zero. Neither averages its weights.",
]
