"""The ids of English text by GPT-2's merges."""

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
