"""Rotary embedding of queries and keys: 4 sequences of 1024 tokens, 12 heads of 64, rotate-half layout."""

import numpy
from arrays import normal, write

TITLE = "rotate q and k, 4x12x1024x64"
CASES = ["halves"]
UNIT = "rotations"
LIMIT = "scale"
TOLERANCE = 1e-5

B, L, H, D = 4, 1024, 12, 64


def prepare(folder, models, case):
    angles = numpy.arange(L)[:, None] / 10000 ** (numpy.arange(0, D, 2) / D)
    write(folder, q=normal(1, B * L, H * D), k=normal(2, B * L, H * D), cos=numpy.cos(angles).astype(numpy.float32),
          sin=numpy.sin(angles).astype(numpy.float32), rows=numpy.tile(numpy.arange(L, dtype=numpy.int32), B))
    size = 2 * B * L * H * D * 4
    return {"amount": 1, "work": 2 * size, "footprint": size}
