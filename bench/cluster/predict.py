#!/usr/bin/env python3
"""Time and traffic of 1,000 shards with 10^9 rows, predicted from what is measured here on a few shards: seconds a row, bytes and merging time of states.

predict.py [--features 50] [--shards 1000] [--rows 1000000000] [--workers 1,10,100,1000]

The model: a round takes  ceil(shards/workers) * rows of a shard * seconds a row  +  merging;  merging is (shards - 1) merges one after the other where the driver does it (Spark, postil.shards.fit), and ceil(log2(shards)) where workers do it (Dask). Traffic is the plan to each
worker and the state of each shard back. Reading the rows is not in it: it is the same for every program. bench/cluster/speed.py tests the model at 80 shards.
"""

import argparse
import math
import time

import numpy as np


def measure(estimator, features, rows=40_000, rounds=None):
    """Of each round: seconds a row, bytes of a state, seconds of a merge, bytes of the plan."""
    import postil

    random = np.random.default_rng(0)
    X = random.normal(size=(2 * rows, features)).astype(np.float32)
    y = X @ (random.normal(size=features) / np.arange(1, features + 1)) + 0.5 * random.normal(size=2 * rows) > 0
    plan, out = postil.shards.begin(estimator, rounds), []
    while not postil.shards.done(plan):
        begun = time.perf_counter()
        states = [postil.shards.update(plan, X[k * rows : (k + 1) * rows], y[k * rows : (k + 1) * rows], k) for k in range(2)]
        updated = time.perf_counter()
        merged = postil.shards.merge(*states)
        out.append(((updated - begun) / (2 * rows), len(states[1]), time.perf_counter() - updated, len(plan)))
        plan = postil.shards.finish(merged, 2)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--shards", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--workers", default="1,10,100,1000")
    flags = parser.parse_args()
    import postil

    workers = [int(word) for word in flags.workers.split(",")]
    for name, estimator, rounds in (("advised", postil.AdviceClassifier(), None), ("pa, one round", postil.PassiveAggressiveClassifier(), 1), ("kbsvm", postil.KnowledgeSVC(), None)):
        measured = measure(estimator, flags.features, rounds=rounds)
        seconds = sum(of[0] for of in measured)
        largest = max(of[1] for of in measured)
        print(f"{name}: {len(measured)} rounds, {1e6 * seconds:.2f} us a row, largest state {largest / 1e3:.0f} kB, merge {1e3 * max(of[2] for of in measured):.1f} ms, plan {max(of[3] for of in measured) / 1e3:.0f} kB")
        for count in workers:
            work = seconds * flags.rows / flags.shards * math.ceil(flags.shards / count)
            on_driver = sum(of[2] for of in measured) * (flags.shards - 1)
            in_tree = sum(of[2] for of in measured) * math.ceil(math.log2(flags.shards))
            back = sum(of[1] for of in measured) * flags.shards
            out = sum(of[3] for of in measured) * count
            print(f"  {count:>5} workers: {work:9.1f} s of learning, merging {on_driver:6.1f} s on the driver or {in_tree:5.2f} s in a tree, {(back + out) / 1e6:9.1f} MB moved, {largest * flags.shards / 1e6:7.1f} MB at the driver at once")


if __name__ == "__main__":
    main()
