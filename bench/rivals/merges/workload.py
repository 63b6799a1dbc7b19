"""Token ids of English text by the byte-pair merges of GPT-2."""

import shutil

import corpus
import numpy

TITLE = "GPT-2's BPE, Python's documentation in lines"
CASES = ["english"]
UNIT = "MB"
DTYPE = numpy.int32
TOLERANCE = 0


def prepare(folder, models, case):
    (folder / "vocabulary").mkdir(exist_ok=True)
    shutil.copy(models / "gpt2.tiktoken", folder / "vocabulary")
    return corpus.write(folder)
