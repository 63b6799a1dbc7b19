"""Embedding vectors of texts."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core
from .errors import DataError
from .texts import Device, DType, Folder, listed, progress_bar

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    import torch

ConvertTo = Literal["numpy", "torch", "list"]


class Embedder:
    """Computes a vector for every text.

    folder: a Hugging Face or sentence-transformers model folder, or a run of `locus train`.
    dtype: weight format, "f32", or "bf16" for half the memory and 2-3 digits of accuracy.
    device: "cpu", or "cuda" for an NVIDIA GPU.
    """

    def __init__(self, folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> None:
        self._folder = folder
        self._dtype: DType = dtype
        self._device: Device = device
        self._core = _core.Embedder(folder, dtype, device)

    @property
    def width(self) -> int:
        """The number of components of a vector."""
        return self._core.width

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text, including special tokens."""
        return self._core.longest

    @property
    def prompts(self) -> list[str]:
        """The names of the folder's prompts."""
        return self._core.prompts

    @property
    def warnings(self) -> list[str]:
        """Warnings about the folder."""
        return self._core.warnings

    @overload
    def encode(
        self, texts: str | Iterable[str], *, prompt: str | None = ..., purpose: Literal["query", "document"] | None = ...,
        truncate: bool = ..., dimensions: int | None = ..., convert_to: Literal["numpy"] = ..., batch_tokens: int = ...,
        progress: bool = ...,
    ) -> "numpy.typing.NDArray[numpy.float32]": ...
    @overload
    def encode(
        self, texts: str | Iterable[str], *, prompt: str | None = ..., purpose: Literal["query", "document"] | None = ...,
        truncate: bool = ..., dimensions: int | None = ..., convert_to: Literal["torch"], batch_tokens: int = ...,
        progress: bool = ...,
    ) -> "torch.Tensor": ...
    @overload
    def encode(
        self, texts: str | Iterable[str], *, prompt: str | None = ..., purpose: Literal["query", "document"] | None = ...,
        truncate: bool = ..., dimensions: int | None = ..., convert_to: Literal["list"], batch_tokens: int = ...,
        progress: bool = ...,
    ) -> list[Any]: ...
    def encode(
        self,
        texts: str | Iterable[str],
        *,
        prompt: str | None = None,
        purpose: Literal["query", "document"] | None = None,
        truncate: bool = False,
        dimensions: int | None = None,
        convert_to: ConvertTo = "numpy",
        batch_tokens: int = 4096,
        progress: bool = False,
    ) -> Any:
        """Returns float32 [texts, width], or [width] for a single str.

        prompt: the name of a prompt of the folder. None: the folder's default prompt, if any.
        purpose: "query" or "document" for a search: uses the prompt of that name, if the folder has one.
        truncate: cut texts that are too long; False: they are an error.
        dimensions: keep this many components and normalize them again (Matryoshka embeddings).
        convert_to: "numpy", "torch" or "list".
        """
        single = isinstance(texts, str)
        items = [texts] if single else listed(texts, "texts")
        if prompt is not None and purpose is not None:
            raise DataError("encode: got both prompt and purpose, expected one of them", "usage")
        with progress_bar(progress, len(items), "text") as update:
            vectors = self._core.embed(items, prompt or "", purpose or "", truncate, batch_tokens, update)
        if dimensions is not None:
            vectors = shortened(vectors, dimensions)
        return converted(vectors[0] if single else vectors, convert_to)

    def __reduce__(self) -> tuple[type["Embedder"], tuple[Folder, DType, Device]]:
        return type(self), (self._folder, self._dtype, self._device)


def shortened(vectors: Any, dimensions: int) -> Any:
    """The first components of vectors, scaled to length 1."""
    import numpy

    if not 1 <= dimensions <= vectors.shape[-1]:
        raise DataError(f"dimensions: got {dimensions}, expected 1 to {vectors.shape[-1]}", "usage")
    part = vectors[..., :dimensions]
    return part / numpy.maximum(numpy.linalg.norm(part, axis=-1, keepdims=True), 1e-12)


def converted(vectors: Any, convert_to: ConvertTo) -> Any:
    if convert_to == "numpy":
        return vectors
    if convert_to == "list":
        return vectors.tolist()
    if convert_to == "torch":
        import torch

        return torch.from_numpy(vectors)
    raise DataError(f"convert_to: got {convert_to!r}, expected 'numpy', 'torch' or 'list'", "usage")


def similarity(a: Any, b: Any) -> "numpy.typing.NDArray[numpy.float32]":
    """The cosine of every row of a [n, C] with every row of b [m, C], float32 [n, m]. A single vector is one row."""
    found: numpy.typing.NDArray[numpy.float32] = _core.similarity(rows_of(a, "a"), rows_of(b, "b"))
    return found


def rows_of(vectors: Any, name: str) -> Any:
    if not hasattr(vectors, "__dlpack__") and not hasattr(vectors, "__array_interface__"):
        import numpy

        try:
            vectors = numpy.asarray(vectors, dtype=numpy.float32)
        except (TypeError, ValueError):
            raise DataError(f"{name}: got {type(vectors).__name__}, expected an array of numbers") from None
    return vectors.reshape(1, -1) if vectors.ndim == 1 else vectors
