"""Texts to token ids and back."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, overload

from . import _core
from .errors import DataError
from .texts import Folder, TextOrPair, listed


class Encoding(NamedTuple):
    """Token ids, the part text[start:end] of every token, and 0 or 1 for the first or second text of a pair. Special
    tokens around a text have offset (0, 0)."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    segments: list[int]


class Tokenizer:
    """The tokenizer of a model folder, a *.tiktoken file, or "bytes"."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._core = _core.Tokenizer(folder)

    @overload
    def encode(
        self, texts: str | tuple[str, str], *, offsets: Literal[False] = ..., special_tokens: bool = ...,
        read_specials: bool = ..., max_tokens: int | None = ...,
    ) -> list[int]: ...
    @overload
    def encode(
        self, texts: str | tuple[str, str], *, offsets: Literal[True], special_tokens: bool = ...,
        read_specials: bool = ..., max_tokens: int | None = ...,
    ) -> Encoding: ...
    @overload
    def encode(
        self, texts: list[TextOrPair] | list[str], *, offsets: Literal[False] = ..., special_tokens: bool = ...,
        read_specials: bool = ..., max_tokens: int | None = ...,
    ) -> list[list[int]]: ...
    @overload
    def encode(
        self, texts: list[TextOrPair] | list[str], *, offsets: Literal[True], special_tokens: bool = ...,
        read_specials: bool = ..., max_tokens: int | None = ...,
    ) -> list[Encoding]: ...
    def encode(
        self,
        texts: str | tuple[str, str] | Iterable[TextOrPair],
        *,
        offsets: bool = False,
        special_tokens: bool = True,
        read_specials: bool = False,
        max_tokens: int | None = None,
    ) -> Any:
        """The ids of a text or of a pair (a tuple of two), or a list of them for a list.

        offsets: return Encoding objects instead of lists of ids.
        special_tokens: add those of the tokenizer, such as [CLS] and [SEP].
        read_specials: names of special tokens in a text become these tokens. Keep it off for untrusted texts.
        max_tokens: cut after this many tokens, special tokens included.
        """
        single = isinstance(texts, (str, tuple))
        items = [texts] if single else listed(texts, "texts")
        found = self._core.encode(items, offsets, special_tokens, read_specials, max_tokens)
        encodings = [Encoding(ids, spans, segments) if offsets else ids for ids, spans, segments in found]
        return encodings[0] if single else encodings

    def decode(self, ids: Any, *, special_tokens: bool = False) -> str:
        """The text of token ids. special_tokens: with the names of special tokens."""
        if not hasattr(ids, "__dlpack__"):
            import numpy

            try:
                ids = numpy.asarray(ids if len(ids) > 0 else numpy.zeros(0, numpy.int64))
            except (TypeError, ValueError, OverflowError):
                raise DataError(f"ids: got {type(ids).__name__}, expected a list of int") from None
            if ids.dtype.kind not in "iuf":
                raise DataError(f"ids: got {ids.dtype}, expected a list of int")
        return self._core.decode(ids, special_tokens)

    def token(self, id: int) -> str:
        """The text of a token as the vocabulary spells it."""
        return self._core.token(id)

    @property
    def kind(self) -> str:
        """For example "wordpiece", "bpe" or "unigram"."""
        return self._core.kind

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of special tokens by their names."""
        return self._core.special_tokens

    def __len__(self) -> int:
        return self._core.size

    def __reduce__(self) -> tuple[type["Tokenizer"], tuple[Folder]]:
        return type(self), (self._folder,)
