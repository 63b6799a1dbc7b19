#!/usr/bin/env python3
"""Golden .npy files, as NumPy writes them: tests/golden/npy/<name>.npy, an array [3, 4] each with the numbers
row - column / 4 (row and column count from 0). They are exact in every type.

Needs: pip install numpy. Written with NumPy 2.4. Use: tools/golden/npy.py [FOLDER]
"""
import pathlib
import sys

import numpy

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/npy")
VALUES = numpy.arange(3)[:, None] - numpy.arange(4)[None, :] / 4


def write(name, values, version=None):
    with open(FOLDER / f"{name}.npy", "wb") as file:
        numpy.lib.format.write_array(file, values, version)


FOLDER.mkdir(exist_ok=True)
for dtype in ("f2", "f4", "f8"):
    write(dtype, VALUES.astype(dtype))
write("version2", VALUES.astype("f4"), (2, 0))
write("fortran", numpy.asfortranarray(VALUES.astype("f4")))
write("integers", VALUES.astype("i4"))
