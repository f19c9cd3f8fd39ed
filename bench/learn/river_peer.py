"""River: PA-I with learn_one on dictionaries in memory. river_peer.py FILE ROWS: prints the seconds for so many rows."""

import itertools
import sys
import time

from river import linear_model


def main():
    path, rows = sys.argv[1], int(sys.argv[2])
    with open(path) as file:
        lines = [line.split() for line in itertools.islice(file, rows)]
    examples = [({int(i): float(v) for i, v in (cell.split(":") for cell in cells[1:])}, float(cells[0]) > 0) for cells in lines]
    model = linear_model.PAClassifier(C=1, mode=1, learn_intercept=False)
    start = time.perf_counter()
    for x, y in examples:
        model.learn_one(x, y)
    print(time.perf_counter() - start)


main()
