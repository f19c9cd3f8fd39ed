"""Score cards print what people write: dates, percentages, small shares with a decimal."""

import datetime
import random

from conftest import run, run_json


def test_dates_and_percentages_stay_what_they_are(write, tmp_path):
    """Also where neighbouring ranges have the same points and are one."""
    random.seed(1)
    first = datetime.date(2023, 1, 1)
    rows = ["admitted,rate,x,y\n"]
    for _ in range(400):
        day, x, rate = random.randrange(700), random.random(), 20 * random.random()
        ill = x * 4 + day / 700 + rate / 20 + random.random() > 4
        rows.append(f"{first + datetime.timedelta(day)},{rate:.1f}%,{x:.3f},{'ill' if ill else 'well'}\n")
    data, model = write("d.csv", "".join(rows)), tmp_path / "m"
    run("train", data, "--positive", "ill", "--quiet", "--model", model, check=True)
    joined = 0
    for bins in range(4, 16):
        items = run_json("scorecard", model, "--data", data, "--bins", bins)["items"]
        for item in items:
            conditions = item["conditions"]
            joined += len(conditions) < bins
            for condition in conditions:
                words = condition["condition"].replace(" to ", " ").replace("below ", "").replace(" or more", "").split()
                if item["item"] == "admitted":
                    assert all(datetime.date.fromisoformat(word) for word in words), condition
                if item["item"] == "rate":
                    assert all(word.endswith("%") for word in words), condition
    assert joined


def test_small_shares_have_a_decimal(write, tmp_path):
    random.seed(2)
    rows = "".join(f"{x:.3f},{'yes' if x + random.random() > 1.6 else 'no'}\n" for x in (random.random() for _ in range(600)))
    data, model = write("d.csv", "x,y\n" + rows), tmp_path / "m"
    run("train", data, "--quiet", "--model", model, check=True)
    bands = run_json("scorecard", model, "--data", data)["totals"]
    text = run("scorecard", model, "--data", data, check=True).stdout
    small = [band["probability"] for band in bands if 0 < band["probability"] < 0.0995]
    assert small and all(f" {100 * share:.1f}% " in text for share in small)
