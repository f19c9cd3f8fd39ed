"""Adds NOTICE and the licence of each library that a wheel brings along: bundled_licences.py WHEEL.

auditwheel gives the copies names of its own (libfmt-4f700944.so.9.1.0); which package a library is of, and its licence, the
distribution knows, or, of OpenBLAS, the package of PyPI that it came in. A library without a licence is an error.
"""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile


def library_paths():
    """Where the libraries of this system are, by name without version."""
    out = {}
    for line in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines():
        if "=>" in line:
            name, path = line.split("=>")
            out.setdefault(name.split(".so")[0].strip(), pathlib.Path(path.strip()).resolve())
    return out


def licence_of(name, paths):
    if name in ("libscipy_openblas", "liblapack"):  # the latter: tools/lapack_for_clp.c, which leads there
        return importlib.metadata.distribution("scipy-openblas32").read_text("licenses/LICENSE.txt")
    path = paths[name]
    owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
    if owner.returncode != 0:  # a link that the package manager made, to a file of another package
        owner = subprocess.run(["dpkg", "-S", f"*/{path.name}"], capture_output=True, text=True, check=True)
    package = owner.stdout.split(":")[0]
    return pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")


def main(wheel):
    paths = library_paths()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "-d", folder, wheel], check=True, stdout=subprocess.DEVNULL)
        root = next(pathlib.Path(folder).iterdir())
        licences = next(root.glob("*.dist-info")) / "licenses" / "bundled"
        licences.mkdir(parents=True)
        (licences.parent / "NOTICE").write_bytes((pathlib.Path(__file__).parent.parent / "NOTICE").read_bytes())
        for library in sorted(root.glob("*.libs/*")):
            name = re.split(r"-[0-9a-f]{8}[.]", library.name)[0]
            (licences / f"{name}.txt").write_text(licence_of(name, paths))
        subprocess.run([sys.executable, "-m", "wheel", "pack", "-d", wheel.parent, root], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
