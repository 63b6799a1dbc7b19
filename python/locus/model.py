"""Whole models: hidden states and logits of token ids."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import DataError
from .texts import Device, DType, Folder

if TYPE_CHECKING:
    import numpy
    import numpy.typing

NAMES = {"last_hidden_state": "hidden"}


class Model:
    """A model opened by open_model()."""

    def __init__(self, folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> None:
        self._folder = folder
        self._dtype: DType = dtype
        self._device: Device = device
        self._core = _core.Model(folder, dtype, device)

    @property
    def facts(self) -> dict[str, Any]:
        """kind, scheme, vocabulary, width, heads, layers, max_length and parameters."""
        return self._core.facts

    @property
    def warnings(self) -> list[str]:
        """Warnings about the folder."""
        return self._core.warnings

    def __call__(
        self,
        ids: Any,
        lengths: Any = None,
        *,
        output: Sequence[str] | None = None,
        mask: Any = None,
        segments: Any = None,
        positions: Any = None,
        decoder_ids: Any = None,
        labels: Any = None,
        gradients: bool = False,
    ) -> "dict[str, numpy.typing.NDArray[Any]]":
        """Computes what transformers computes for the same inputs, as arrays by name.

        ids: integers [B, T], [T], or a list of lists of different lengths.
        lengths: the number of real tokens of each row; the rest is padding, and its outputs are 0. Or give a mask
            [B, T] of 1 and 0.
        output: the outputs to return, of "hidden" [B, T, C], "logits", "start_logits", "end_logits" and "loss". None:
            all that the model has.
        gradients: also return "grad.NAME" for every parameter; needs labels.
        """
        import numpy

        array, found_lengths = rectangle(ids)
        if lengths is None:
            lengths = found_lengths
        if lengths is not None:
            if mask is not None:
                raise DataError("model: got lengths and a mask, expected one of them", "usage")
            mask = mask_of(numpy.asarray(lengths), array.shape)
        rest = [rectangle(value)[0] if value is not None else None for value in (segments, positions, decoder_ids)]
        marks = numpy.asarray(labels) if isinstance(labels, (list, tuple)) else labels
        outputs = self._core.run(array, mask, rest[0], rest[1], rest[2], marks, gradients)
        found = {NAMES.get(name, name): value for name, value in outputs.items()}
        if output is None:
            return found
        missing = [name for name in output if name not in found]
        if missing:
            raise DataError(f"output: got {missing[0]!r}, expected one of {', '.join(found)}", "usage")
        return {name: found[name] for name in output}

    def save(self, folder: Folder) -> None:
        """Writes a new folder that Locus and transformers open."""
        self._core.save(folder)

    def stretch(self, length: int, folder: Folder, method: str = "yarn") -> "Model":
        """Extends the context window to `length` tokens, writes the model to a new folder, and opens it.

        method: "interpolate" or "repeat" for a learned table; "linear", "ntk" or "yarn" for rotary models.
        """
        self._core.stretch(length, method, folder)
        return Model(folder, self._dtype, self._device)

    def __reduce__(self) -> tuple[type["Model"], tuple[Folder, DType, Device]]:
        return type(self), (self._folder, self._dtype, self._device)


def open_model(folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> Model:
    """Opens a Hugging Face model folder, a run of `locus train`, or one of its checkpoints."""
    return Model(folder, dtype, device)


def rectangle(rows: Any) -> tuple[Any, list[int] | None]:
    """An array of rank 2, and the lengths of rows that were padded."""
    import numpy

    if hasattr(rows, "__dlpack__"):
        return (rows.reshape(1, -1) if rows.ndim == 1 else rows), None
    try:
        if len(rows) > 0 and not numpy.isscalar(rows[0]) and any(len(row) != len(rows[0]) for row in rows):
            array = numpy.zeros((len(rows), max(map(len, rows))), numpy.asarray(max(rows, key=len)).dtype)
            for i, row in enumerate(rows):
                array[i, : len(row)] = row
            return array, [len(row) for row in rows]
        array = numpy.asarray(rows)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"ids: got {type(rows).__name__}, expected integers [B, T]") from None
    return (array.reshape(1, -1) if array.ndim == 1 else array), None


def mask_of(lengths: Any, shape: tuple[int, ...]) -> Any:
    import numpy

    if lengths.shape != shape[:1] or lengths.dtype.kind not in "iu":
        raise DataError(
            f"lengths: got shape {list(lengths.shape)} of {lengths.dtype}, expected {shape[0]} integers", code="bad_shape"
        )
    if len(lengths) > 0 and (lengths.min() < 1 or lengths.max() > shape[1]):
        raise DataError(f"lengths: got {lengths.tolist()}, expected 1 to {shape[1]}", code="bad_shape")
    return (numpy.arange(shape[1]) < lengths[:, None]).astype(numpy.int32)
