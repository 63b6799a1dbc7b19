"""Token ids of English text by the WordPiece vocabulary of MiniLM."""

import corpus
import numpy

TITLE = "WordPiece, Python's documentation in lines"
CASES = ["english"]
UNIT = "MB"
DTYPE = numpy.int32
TOLERANCE = 0


def prepare(folder, models, case):
    (folder / "vocabulary").unlink(missing_ok=True)
    (folder / "vocabulary").symlink_to(models / "all-MiniLM-L6-v2")
    return corpus.write(folder)
