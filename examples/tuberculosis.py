"""Which lineage is this isolate of tuberculosis? Six classes, the rules of those who type bacteria, and few labels.

    python examples/tuberculosis.py [--picture curve.png]

The isolates are simulated: 43 spacers, present or absent, and a repeat count. The rules are those that the Adviceptron papers print, one or two for each lineage.
"""

import argparse

import postil

RULES = """
domain spacer_1..spacer_43 in [0, 1]
integer miru24
domain miru24 in [1, 9]
ea_p1: absent(spacer_1..spacer_34) => east_asian
ea_n1: any(spacer_1..spacer_34) => not east_asian
eai_p1: absent(spacer_4..spacer_7, spacer_23..spacer_24, spacer_29..spacer_32) and miru24 <= 1 => east_african_indian
eai_n1: miru24 > 1 => not east_african_indian
eur_p1: any(spacer_1..spacer_32) and absent(spacer_33..spacer_36) and miru24 <= 1 => euro_american
eur_n1: any(spacer_33..spacer_36) => not euro_american
io_p1: absent(spacer_29..spacer_32, spacer_34) and any(spacer_3, spacer_9, spacer_16, spacer_39..spacer_43) and miru24 > 1 => indo_oceanic
io_n1: any(spacer_29..spacer_32) => not indo_oceanic
afr_p1: absent(spacer_8, spacer_9, spacer_39) and any(spacer_3, spacer_16, spacer_40..spacer_43) and miru24 > 1 => africanum
afr_n1: miru24 <= 1 => not africanum
bov_p1: absent(spacer_3, spacer_9, spacer_16, spacer_39..spacer_43) and present(spacer_38) and miru24 > 1 => bovis
bov_n1: any(spacer_3, spacer_9, spacer_16, spacer_39..spacer_43) => not bovis
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", help="file to draw the learning curve into")
    picture = parser.parse_args().picture
    X, y = postil.datasets.make("tuberculosis", rows=2000, seed=1)
    print("What the rules say of 2,000 isolates, before they teach:")
    check = postil.rules.check(RULES, X, y)
    for rule in check["rules"]:
        print(f"  {rule['id']:<8} {'' if rule['polarity'] > 0 else 'not '}{rule['class']:<22} holds on {rule['covered']:>5}, right on {100 * rule['precision']:.1f} %")

    models = {"examples alone": postil.AROWClassifier(scale="standard"), "with rules": postil.AdviceClassifier(advice=RULES)}
    curve = postil.evaluate.learning_curve(models, X, y, train=500, checkpoints=[0, 1, 5, 10, 20, 50, 100, 500], runs=10)
    print("\nMean test error, %, after so many labelled isolates (ten random splits):")
    print((100 * curve.pivot(index="examples", columns="learner", values="error_mean")).round(1).to_string())
    if picture:
        postil.plots.learning_curve(curve).figure.savefig(picture)

    model = postil.AdviceClassifier(advice=RULES).partial_fit(X[:100], y[:100], classes=sorted(set(y)))
    print("\nWhy the next isolate is what it is:")
    print("\n".join(str(model.explain(X.iloc[100])).splitlines()[:8]))


if __name__ == "__main__":
    main()
