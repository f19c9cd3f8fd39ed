"""Figures 2(c) to 2(h): which lineage of tuberculosis? Simulated isolates."""

from .. import curves, data
from ..experiment import Experiment
from . import lineages

SETTINGS = lineages.SETTINGS | {"isolates": 37710}


def jobs(settings):
    return lineages.jobs(settings, *data.simulated_isolates(settings["isolates"], settings["seed"]))


EXPERIMENT = Experiment(
    name="tuberculosis",
    paper="ecml2010",
    figure="Figures 2(c) to 2(h)",
    title="Six lineages of tuberculosis, simulated isolates",
    settings=SETTINGS,
    quick=lineages.QUICK | {"isolates": 6000},
    jobs=jobs,
    report=lineages.report,
    draw=curves.draw(lambda: EXPERIMENT.expected(), ylabel="balanced test error", columns=3, symlog=True),
    check=lineages.check,
    about="Six questions: is this isolate of that lineage? 43 spacers, present or absent, a repeat count, the rules of those who type bacteria, and 50 labelled isolates that arrive one at a time. The isolates are simulated (`postil make tuberculosis`), as many of each lineage as in the paper; [sitvit2](sitvit2.md) has real ones.",
    assumed=[
        "The isolates of the paper are not public; ours are simulated from published facts about the lineages (deletions, sublineages, how patterns arise), 37,710 as the rows of the paper's Table 1 sum to (its text says 37,942), about 3,200 distinct patterns among them.",
        *lineages.ASSUMED,
    ],
    why=lineages.WHY,
    gaps=lineages.GAPS,
)
