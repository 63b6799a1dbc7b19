"""What the calls on texts share."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from .errors import DataError

Folder: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
DType: TypeAlias = Literal["f32", "bf16"]
Device: TypeAlias = Literal["cpu", "cuda"]
TextOrPair: TypeAlias = str | tuple[str, str]


def listed(texts: object, name: str) -> list[Any]:
    """A list of a sequence or another iterable."""
    if isinstance(texts, list):
        return texts
    if isinstance(texts, Sequence) and not isinstance(texts, bytes):
        return list(texts)
    try:
        return list(texts)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise DataError(f"{name}: got {type(texts).__name__}, expected str or a list of str") from None


class progress_bar:
    """As a context: a function to call with the number of items that were done. None without tqdm, or if show is
    False."""

    def __init__(self, show: bool, total: int | None, unit: str) -> None:
        self._bar: Any = None
        if show:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, unit=unit)

    def __enter__(self) -> Callable[[int], object] | None:
        return None if self._bar is None else self._bar.update

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
