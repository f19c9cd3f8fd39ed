"""Figures 2(c) to 2(h) once more: the US isolates of the public SITVIT2 list."""

from .. import curves, data
from ..experiment import Experiment
from . import lineages


def jobs(settings):
    return lineages.jobs(settings, *data.sitvit2(settings["seed"]))


EXPERIMENT = Experiment(
    name="sitvit2",
    paper="ecml2010",
    figure="Figures 2(c) to 2(h)",
    title="Six lineages of tuberculosis, real isolates",
    settings=lineages.SETTINGS | {"runs": 100},
    quick=lineages.QUICK,
    jobs=jobs,
    report=lineages.report,
    draw=curves.draw(lambda: EXPERIMENT.expected(), ylabel="balanced test error", columns=3, symlog=True),
    check=lineages.check,
    needs=["tuberculosis/sitvit2_spoligotypes.csv"],
    about="The six questions of [tuberculosis](tuberculosis.md) on the US isolates of the public SITVIT2 list (Couvin et al. 2020), 13,354 with a lineage.",
    assumed=[
        "Each spoligotype counts as often as it was found in the US; patterns with an unread spacer and families without a major lineage are left out. SITVIT2's family EAI is the lineage Indo-Oceanic, CAS is East-African-Indian.",
        "The list has no miru24: it is drawn for each isolate as the simulator draws it, given the lineage. So this column is partly made from the label.",
        *lineages.ASSUMED,
    ],
    why=[*lineages.WHY],
    gaps=lineages.GAPS,
)
