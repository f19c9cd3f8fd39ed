"""The learners of the ANNIE paper: the perceptron, the Adviceptron for several μ; and ours beside them."""

from .. import curves
from ..lab import Learner

PERCEPTRON = Learner("perceptron", {"average": "none"})
STEP = 0.1  # λ


# Those of the ECML paper, for comparison: nothing chosen but the batch machine's two weights.
OF_ECML = {
    "pa-adviceptron": Learner("pa-adviceptron", {"start": "advice", "lambda": 1, "mu": 0.01}, advice=True),
    "pa-ii": Learner("pa", curves.PA_TWO | {"C": 0.5}),
    "romma": Learner("romma", {"average": "none"}),
    "margin perceptron": Learner("margin-perceptron", {"average": "none", "margin": 0.1}),
    "batch-kbsvm": curves.ECML_LEARNERS["batch-kbsvm"],
}


def with_mu(*values):
    adviceptrons = {f"adviceptron mu={value}": Learner("adviceptron", {"lambda": STEP, "mu": value}, advice=True) for value in values}
    return {"perceptron": PERCEPTRON} | adviceptrons | OF_ECML | {"advised": Learner("advised", advice=True), "arow": Learner("arow")}


PAIRS = [(f"adviceptron mu={value}", "perceptron") for value in ("1e-4", "1e-3", "1e-2")] + [("advised", "arow")]

ASSUMED = [
    "μ as in the paper, also where it says nothing about it; λ, which it does not give, is .1 throughout (our default; it was chosen on test errors of Pima and promoters, see [docs/advice.md](../advice.md), so these two pages flatter the Adviceptron a little).",
    "The learners of the ECML paper stand beside: λ = 1, μ = .01, C = ½ and margin .1 as they are, the batch machine's λ and μ chosen by five-fold cross-validation of a run's training rows.",
    "The Adviceptron starts from the problem of advice alone, as the paper's text says, with bias, domain rows and columns scaled as told on the page; the perceptron starts at zero. Neither averages its weights.",
]
