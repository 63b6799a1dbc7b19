"""What the calls on texts share."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from .errors import DataError

Folder: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
DType: TypeAlias = Literal["f32", "bf16"]
TextOrPair: TypeAlias = str | tuple[str, str]


def listed(texts: object, name: str) -> list[Any]:
    """A list of a sequence or another iterable."""
    if isinstance(texts, list):
        return texts
    if isinstance(texts, Sequence) and not isinstance(texts, bytes):
        return list(texts)
    try:
        return list(texts)  # type: ignore[call-overload]
    except TypeError:
        raise DataError(f"{name}: got {type(texts).__name__}, expected str or a list of str") from None


@contextmanager
def progress_bar(show: bool, total: int | None, unit: str) -> Iterator[Callable[[int], object] | None]:
    """A function to call with the number of items that were done; None without tqdm, or if show is False."""
    if not show:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=total, unit=unit) as bar:
        yield bar.update
