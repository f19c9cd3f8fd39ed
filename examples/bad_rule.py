"""A stream of examples, two good rules and a wrong one: how soon is it noticed, and what does it cost?

    python examples/bad_rule.py
"""

import postil

GOOD = """
domain x1 in [-2, 10]
domain x2 in [-5, 9]
below: x2 <= 0 => positive
above: x2 >= 3 and x2 - 0.5*x1 >= 1 => not positive
"""
MYTH = "myth: x1 >= 5 => not positive\n"  # points to the right are of both classes


def main():
    X, y = postil.datasets.make("synthetic", rows=2000, seed=7)
    rows = list(zip(X.to_dict("records"), y))
    streams = {
        "no rules": postil.AROWClassifier(scale="standard"),
        "good rules": postil.AdviceClassifier(advice=GOOD),
        "good and bad": postil.AdviceClassifier(advice=GOOD + MYTH),
        "bad alone": postil.AdviceClassifier(advice="domain x1 in [-2, 10]\ndomain x2 in [-5, 9]\n" + MYTH),
    }
    wrong = dict.fromkeys(streams, 0)
    noticed = {}
    print("Errors so far, each example predicted before it is learned:")
    print(f"{'examples':>8}  " + "  ".join(f"{name:>12}" for name in streams))
    for number, (x, label) in enumerate(rows, start=1):
        for name, model in streams.items():
            wrong[name] += model.predict_one(x) != label
            model.learn_one(x, label)
        if number in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000):
            print(f"{number:>8}  " + "  ".join(f"{count:>12}" for count in wrong.values()))
            verdict = streams["good and bad"].ledger().loc["myth", "verdict"]
            if verdict == "contradicted":
                noticed.setdefault("myth", number)
    print(f"\nThe ledger calls the myth contradicted from example {noticed.get('myth', '- not yet -')} on at the latest:")
    ledger = streams["good and bad"].ledger()
    print(ledger[["fired", "agreed", "contradicted", "verdict", "influence"]].round(3).to_string())
    print(f"Rows that spoke against it: {ledger.loc['myth', 'contradicted_by']}")


if __name__ == "__main__":
    main()
