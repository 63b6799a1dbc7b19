"""Classes of texts and of their words."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, overload

from . import _core
from .errors import DataError
from .texts import Device, DType, Folder, TextOrPair, listed, progress_bar


class Classification(NamedTuple):
    """The most likely class of a text, its score, and the scores of all classes, highest first."""

    label: str
    score: float
    scores: dict[str, float]


class Span(NamedTuple):
    """A labeled part of a text: text[start:end]."""

    label: str
    score: float
    text: str
    start: int
    end: int


def classification(labels: Sequence[str], scores: Sequence[float], top_k: int | None) -> Classification:
    order = sorted(range(len(labels)), key=lambda i: -scores[i])[:top_k]
    return Classification(labels[order[0]], scores[order[0]], {labels[i]: scores[i] for i in order})


class Classifier:
    """Classifies texts or pairs of texts. Scores match the pipeline of transformers."""

    def __init__(self, folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> None:
        self._folder = folder
        self._dtype: DType = dtype
        self._device: Device = device
        self._core = _core.Classifier(folder, dtype, device)

    @property
    def labels(self) -> list[str]:
        return self._core.labels

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, texts: str, *, top_k: int | None = ..., truncate: bool = ..., batch_tokens: int = ..., progress: bool = ...
    ) -> Classification: ...
    @overload
    def __call__(
        self, texts: Iterable[TextOrPair], *, top_k: int | None = ..., truncate: bool = ..., batch_tokens: int = ...,
        progress: bool = ...,
    ) -> list[Classification]: ...
    def __call__(
        self,
        texts: str | Iterable[TextOrPair],
        *,
        top_k: int | None = None,
        truncate: bool = False,
        batch_tokens: int = 4096,
        progress: bool = False,
    ) -> Classification | list[Classification]:
        """The class of a text, or a list of them for a list of texts or pairs.

        top_k: the number of entries of `scores`; None: all classes.
        truncate: cut texts that are too long; False: they are an error.
        """
        single = isinstance(texts, str)
        items = [texts] if single else listed(texts, "texts")
        if top_k is not None and top_k < 1:
            raise DataError(f"top_k: got {top_k}, expected at least 1", "usage")
        with progress_bar(progress, len(items), "text") as update:
            scores = self._core.classify(items, truncate, batch_tokens, update)
        labels = self.labels
        found = [classification(labels, one, top_k) for one in scores]
        return found[0] if single else found

    @overload
    def zero_shot(  # type: ignore[overload-overlap]
        self, texts: str, labels: Iterable[str], *, claim: str = ..., truncate: bool = ..., batch_tokens: int = ...,
        progress: bool = ...,
    ) -> Classification: ...
    @overload
    def zero_shot(
        self, texts: Iterable[str], labels: Iterable[str], *, claim: str = ..., truncate: bool = ...,
        batch_tokens: int = ..., progress: bool = ...,
    ) -> list[Classification]: ...
    def zero_shot(
        self,
        texts: str | Iterable[str],
        labels: Iterable[str],
        *,
        claim: str = "This example is {}.",
        truncate: bool = False,
        batch_tokens: int = 4096,
        progress: bool = False,
    ) -> Classification | list[Classification]:
        """Classifies with labels of your own. The model must be trained on natural language inference; it checks
        whether a text entails the claim, in which {} is replaced by a label."""
        single = isinstance(texts, str)
        items = [texts] if single else listed(texts, "texts")
        if isinstance(labels, str):
            raise DataError("labels: got str, expected a list of str", "usage")
        names = listed(labels, "labels")
        if not names:
            raise DataError("labels: got an empty list, expected at least one label", "usage")
        with progress_bar(progress, len(items), "text") as update:
            scores = self._core.zero_shot(items, names, claim, truncate, batch_tokens, update)
        found = [classification(names, one, None) for one in scores]
        return found[0] if single else found

    def __reduce__(self) -> tuple[type["Classifier"], tuple[Folder, DType, Device]]:
        return type(self), (self._folder, self._dtype, self._device)


class Tagger:
    """Finds labeled spans in texts, for example names."""

    def __init__(self, folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> None:
        self._folder = folder
        self._dtype: DType = dtype
        self._device: Device = device
        self._core = _core.Tagger(folder, dtype, device)

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, texts: str, *, truncate: bool = ..., batch_tokens: int = ..., progress: bool = ...
    ) -> list[Span]: ...
    @overload
    def __call__(
        self, texts: Iterable[str], *, truncate: bool = ..., batch_tokens: int = ..., progress: bool = ...
    ) -> list[list[Span]]: ...
    def __call__(
        self, texts: str | Iterable[str], *, truncate: bool = False, batch_tokens: int = 4096, progress: bool = False
    ) -> list[Span] | list[list[Span]]:
        """The spans of a text, or a list of them for a list of texts."""
        single = isinstance(texts, str)
        items = [texts] if single else listed(texts, "texts")
        with progress_bar(progress, len(items), "text") as update:
            found = self._core.tag(items, truncate, batch_tokens, update)
        spans = [
            [Span(label, score, text[start:end], start, end) for label, score, start, end in one]
            for text, one in zip(items, found, strict=True)
        ]
        return spans[0] if single else spans

    def __reduce__(self) -> tuple[type["Tagger"], tuple[Folder, DType, Device]]:
        return type(self), (self._folder, self._dtype, self._device)
