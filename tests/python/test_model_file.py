"""The model file read by the reference implementation of its format, and checked by hand."""

import json
import zlib

import numpy
from safetensors import safe_open
from safetensors.numpy import load_file

from conftest import run, run_json


def test_the_reference_package_reads_it(tmp_path):
    data, model = tmp_path / "tb.csv", tmp_path / "m.postil"
    run("make", "tuberculosis", "--rows", 500, "-o", data, check=True)
    run("train", data, "--quiet", "--model", model, check=True)
    tensors, explained = load_file(model), run_json("explain", model)
    for k, name in enumerate(explained["classes"]):
        numpy.testing.assert_array_equal(tensors[f"task.{k}.weights"], explained["weights"][k])
        assert tensors[f"task.{k}.bias"][0] == explained["bias"][k]
    numpy.testing.assert_array_equal(tensors["schema.shift"], explained["scaling"]["shift"])
    columns = json.loads(tensors["schema.columns"].tobytes())
    assert [column["name"] for column in columns] == explained["features"]
    with safe_open(model, "numpy") as file:
        metadata = file.metadata()
    assert metadata["postil"] == "3"
    assert json.loads(metadata["schema"])["label"]["classes"] == explained["classes"]
    assert json.loads(metadata["params"])["learner"] == "advised"
    assert json.loads(metadata["counters"])["examples"] == 500
    assert metadata["rules"] == ""


def test_checksum_and_layout(tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.postil"
    run("make", "dense", "--rows", 50, "-o", data, check=True)
    run("train", data, "--quiet", "--model", model, check=True)
    raw = model.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    assert length % 8 == 0
    header = json.loads(raw[8 : 8 + length])
    stated = header.pop("__metadata__")["checksum"]
    assert f"{zlib.crc32(raw.replace(stated.encode(), b'00000000', 1)):08x}" == stated
    offsets = sorted(entry["data_offsets"] for entry in header.values())
    assert offsets[0][0] == 0 and offsets[-1][1] == len(raw) - 8 - length
    assert all(a[1] == b[0] for a, b in zip(offsets, offsets[1:]))
