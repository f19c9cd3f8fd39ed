"""Learning from a folder of files on Ray: each file is a shard, each state is made where Ray has room, and the model is the same as anywhere else.

    pip install ray
    python examples/shards_ray.py "patients/*.csv" outcome model.postil

Ray runs a task again if its worker dies. That changes nothing: a state depends on the file, on its number and on the plan alone.
"""

import glob
import sys

import postil
import ray


@ray.remote
def update(plan, path, label, shard):
    return postil.shards.update(plan, path, label, shard)


@ray.remote
def merge(a, b):
    return postil.shards.merge(a, b)


def main(pattern, label, output):
    paths = sorted(glob.glob(pattern))
    ray.init(include_dashboard=False, log_to_driver=False)
    estimator = postil.AdviceClassifier(missing="mean")
    plan = postil.shards.begin(estimator)
    while not postil.shards.done(plan):
        print(f"{postil.shards.stage(plan)}: {len(paths)} shards")
        held = ray.put(plan)
        states = [update.remote(held, path, label, shard) for shard, path in enumerate(paths)]
        plan = postil.shards.finish(ray.get(postil.shards.merge_all(states, merge.remote)), len(paths))
    postil.shards.model(estimator, plan).save(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
