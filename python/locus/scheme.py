"""Position schemes: what they compute, as arrays and as pictures."""

from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import numpy
    import numpy.typing


class Scheme:
    """A position scheme for one model geometry, made by scheme(). Learned tables have their initial values."""

    def __init__(self, core: _core.Scheme, shown: int) -> None:
        self._core = core
        self._shown = shown

    @property
    def info(self) -> dict[str, Any]:
        """Name, formula, paper, options and more facts."""
        return self._core.info

    @property
    def parameters(self) -> int:
        """The number of learned numbers."""
        return self._core.parameters

    def terms(self, length: int) -> "dict[str, Any]":
        """What the scheme adds for a text of this length, positions 0 to length - 1. Only what the scheme has:

        input [L, C]: rows added to the token embeddings; if `joined`, concatenated.
        cos, sin [L, R / 2]: angles of the first R = `rotated` components of queries and keys, in pairs (2i, 2i + 1)
            if `interleaved`, else (i, i + R / 2). key_cos, key_sin: those of keys, if they differ.
        by_distance [H, 2L - 1]: added to a score; column j - i + L - 1 is for query i and key j.
        by_query, by_key [2L - 1, H, D], or [2L - 1, D] for all heads: vectors that are multiplied by the query or the
            key, times the scale.
        dense [H, L, L]: added to a score.
        scale: replaces 1 / sqrt(D).
        """
        return self._core.terms(length)

    def scores(self, length: int) -> "numpy.typing.NDArray[numpy.float32]":
        """[H, L, L]: the scores if every token has the same vector e with e . e / sqrt(D) = 1."""
        found: numpy.typing.NDArray[numpy.float32] = self._core.scores(length)
        return found

    def page(self, length: int = 128) -> str:
        """An HTML page with formula, facts and figures, as `locus show` writes it."""
        return self._core.page(length)

    def _repr_html_(self) -> str:
        return frame(self.page(self._shown))


def schemes() -> list[dict[str, Any]]:
    """The facts about all schemes: name, summary, formula, paper, acts_on, options and more."""
    return _core.schemes()


def scheme(
    name: str, heads: int = 8, head_size: int = 64, *, max_length: int = 512, causal: bool = False, **options: object
) -> Scheme:
    """Makes a scheme by its name or a combination such as "learned+t5".

    max_length: rows of a learned table, and the trained length of a scaling.
    options: those of the scheme, for example base=500000 for rotary; schemes() lists them.
    """
    texts = {key: option_text(value) for key, value in options.items()}
    return Scheme(_core.Scheme(name, heads, head_size, max_length, causal, texts), min(max_length, 128))


def option_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def frame(page: str, height: int = 640) -> str:
    """A page inside a notebook, with a style of its own."""
    from html import escape

    return f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: {height}px; border: 0"></iframe>'
