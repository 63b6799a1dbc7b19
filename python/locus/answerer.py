"""Masked words and answers to questions."""

from collections.abc import Iterable
from typing import NamedTuple, overload

from . import _core
from .texts import Device, DType, Folder, listed, progress_bar


class Filling(NamedTuple):
    """A token for a mask, its probability, and the whole text with it; None if the text has several masks."""

    token: str
    id: int
    score: float
    text: str | None


class Mask(NamedTuple):
    """A mask of a text, text[start:end], and the most likely tokens, best first."""

    start: int
    end: int
    best: list[Filling]


class Answer(NamedTuple):
    """A part of the context: context[start:end]. If found is False, the context has no answer and text is empty."""

    found: bool
    text: str
    score: float
    start: int
    end: int


class Filler:
    """Predicts masked words."""

    def __init__(self, folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> None:
        self._folder = folder
        self._dtype: DType = dtype
        self._device: Device = device
        self._core = _core.Filler(folder, dtype, device)

    @property
    def mask(self) -> str:
        """The name of the mask in a text, for example [MASK]."""
        return self._core.mask

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, texts: str, *, top_k: int = ..., truncate: bool = ..., batch_tokens: int = ..., progress: bool = ...
    ) -> list[Mask]: ...
    @overload
    def __call__(
        self, texts: Iterable[str], *, top_k: int = ..., truncate: bool = ..., batch_tokens: int = ..., progress: bool = ...
    ) -> list[list[Mask]]: ...
    def __call__(
        self,
        texts: str | Iterable[str],
        *,
        top_k: int = 5,
        truncate: bool = False,
        batch_tokens: int = 4096,
        progress: bool = False,
    ) -> list[Mask] | list[list[Mask]]:
        """The masks of a text with the top_k most likely tokens, or a list of them for a list of texts."""
        single = isinstance(texts, str)
        items = [texts] if single else listed(texts, "texts")
        with progress_bar(progress, len(items), "text") as update:
            found = self._core.fill(items, top_k, truncate, batch_tokens, update)
        masks = [[Mask(start, end, [Filling(*filling) for filling in best]) for start, end, best in one] for one in found]
        return masks[0] if single else masks

    def __reduce__(self) -> tuple[type["Filler"], tuple[Folder, DType, Device]]:
        return type(self), (self._folder, self._dtype, self._device)


class Answerer:
    """Answers questions with a part of a context."""

    def __init__(self, folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> None:
        self._folder = folder
        self._dtype: DType = dtype
        self._device: Device = device
        self._core = _core.Answerer(folder, dtype, device)

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, question: str, context: str, *, window: int = ..., overlap: int = ..., longest: int = ...,
        batch_tokens: int = ..., progress: bool = ...,
    ) -> Answer: ...
    @overload
    def __call__(
        self, question: Iterable[str], context: Iterable[str], *, window: int = ..., overlap: int = ..., longest: int = ...,
        batch_tokens: int = ..., progress: bool = ...,
    ) -> list[Answer]: ...
    def __call__(
        self,
        question: str | Iterable[str],
        context: str | Iterable[str],
        *,
        window: int = 384,
        overlap: int = 128,
        longest: int = 15,
        batch_tokens: int = 4096,
        progress: bool = False,
    ) -> Answer | list[Answer]:
        """The answer to a question, or a list of them for lists of questions and contexts.

        window: most tokens that are read together; overlap: tokens that neighboring windows of a long context share.
        longest: most tokens of an answer.
        """
        single = isinstance(question, str) and isinstance(context, str)
        questions = [question] if isinstance(question, str) else listed(question, "question")
        contexts = [context] if isinstance(context, str) else listed(context, "context")
        with progress_bar(progress, len(questions), "question") as update:
            found = self._core.answer(questions, contexts, window, overlap, longest, batch_tokens, update)
        answers = [
            Answer(is_found, text[start:end] if is_found else "", score, start, end)
            for text, (is_found, score, start, end) in zip(contexts, found, strict=True)
        ]
        return answers[0] if single else answers

    def __reduce__(self) -> tuple[type["Answerer"], tuple[Folder, DType, Device]]:
        return type(self), (self._folder, self._dtype, self._device)
