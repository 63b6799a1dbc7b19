"""A training step of GPT-2 124M on 4 sequences of 256 tokens: forward, backward, AdamW."""

from arrays import ids, write
from gpt2 import MULTIPLIED, VOCABULARY, write_model

TITLE = "training GPT-2 124M, a step of 4x256"
CASES = ["4x256"]
UNIT = "tokens"
LIMIT = "fma"
# Compares the loss of the first step.
TOLERANCE = 1e-3


def prepare(folder, models, case):
    write_model(folder)
    write(folder, ids=ids(1, VOCABULARY, 4, 257))
    return {"amount": 4 * 256, "work": 6 * MULTIPLIED * 4 * 256}
