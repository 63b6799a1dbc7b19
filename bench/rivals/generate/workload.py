"""Greedy decoding of 128 tokens after a prompt of 16, one sequence, by GPT-2 124M."""

import json

import numpy
from arrays import ids, write
from gpt2 import MULTIPLIED, VOCABULARY, write_model

TITLE = "generating with GPT-2 124M, one sequence, 128 tokens"
CASES = ["128"]
UNIT = "tokens"
LIMIT = "read"
TOLERANCE = 0
DTYPE = numpy.int32


def prepare(folder, models, case):
    write_model(folder)
    # Only CTranslate2 needs a vocabulary. Any names will do, except for the last token, which it looks for.
    names = [f"t{i}" for i in range(VOCABULARY - 1)] + ["<|endoftext|>"]
    (folder / "model" / "vocab.json").write_text(json.dumps({name: i for i, name in enumerate(names)}))
    (folder / "model" / "merges.txt").write_text("#version: 0.2\n")
    write(folder, ids=ids(1, VOCABULARY, 16))
    # Every token reads every weight once.
    return {"amount": 128, "work": 128 * 4 * MULTIPLIED, "footprint": 4 * MULTIPLIED}
