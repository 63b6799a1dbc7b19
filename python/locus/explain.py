"""What separates two occurrences of a word."""

from typing import NamedTuple

from . import _core
from .errors import DataError
from .scheme import frame
from .texts import Folder

SENTENCE = "The dog chased the ball, but it could not catch it even after running the whole field round and round."


class Explanation(NamedTuple):
    """verdict: the result in one sentence. sentences: step by step. cosines: of the two vectors, of the input and after
    every layer. page: HTML with figures; a notebook shows it."""

    verdict: str
    sentences: list[str]
    cosines: list[float]
    page: str

    def _repr_html_(self) -> str:
        return frame(self.page)


def explain(
    sentence: str = SENTENCE, *, word: str = "", scheme: str | None = None, model: Folder | None = None, causal: bool = False
) -> Explanation:
    """Compares two occurrences of a word, layer by layer.

    scheme: of an untrained model; "learned" if neither scheme nor model is given.
    model: a trained model instead: a model folder or a run.
    word: the repeated word. "": "it", or the word whose occurrences are farthest apart.
    """
    if model is not None and (scheme is not None or causal):
        raise DataError("explain: scheme and causal describe an untrained model; expected them or model", "usage")
    return Explanation(*_core.explain(sentence, word, scheme or "learned", model, causal))
