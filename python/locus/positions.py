"""The position kernels on arrays: numpy, torch, or any array in CPU memory with DLPack. Results are numpy arrays."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import DataError
from .scheme import Scheme

if TYPE_CHECKING:
    import numpy
    import numpy.typing


def attention(
    q: Any,
    k: Any,
    v: Any,
    lengths: Any = None,
    terms: Mapping[str, Any] | None = None,
    *,
    key_lengths: Any = None,
    scale: float = 0,
    causal: bool = False,
    window: int = 0,
    cap: float = 0,
) -> "numpy.typing.NDArray[numpy.float32]":
    """softmax(scale q.k + terms) v for packed sequences.

    q [N, H, D], k and v [N, G, D]: the tokens of all sequences one after the other; H is a multiple of G.
    lengths: the length of each sequence; None: one sequence. key_lengths: those of k and v, if they differ.
    terms: tables as Scheme.terms() returns them; cos and sin rotate q and k first.
    scale: 0 is 1 / sqrt(D). window: keys at this distance or further are not visible; 0 is no window.
    cap: soft cap c of the scores, c tanh(score / c); 0 is none.
    """
    import numpy

    heads, key_heads = (three_axes(array, name) for array, name in ((q, "q"), (k, "k")))
    three_axes(v, "v")
    sizes = numpy.asarray([q.shape[0]] if lengths is None else lengths)
    key_sizes = None if key_lengths is None else numpy.asarray(key_lengths)
    given = dict(terms or {})
    if "input" in given:
        raise DataError("attention: got terms with input rows, expected terms of scores; add the rows to the tokens")
    if "cos" in given:
        raise DataError("attention: got terms with a rotation, expected terms of scores; call rotate() first")
    out = _core.attention(
        flat(q), flat(k), flat(v), sizes, key_sizes, given, heads, key_heads, scale, causal, window, cap
    )
    found: numpy.typing.NDArray[numpy.float32] = out.reshape(q.shape)
    return found


def rotate(x: Any, positions: Any, scheme: Scheme) -> "numpy.typing.NDArray[numpy.float32]":
    """x [N, H, D] with every head rotated by the angles of these N positions. The positions are those of one sequence."""
    import numpy

    three_axes(x, "x")
    turned: numpy.typing.NDArray[numpy.float32] = scheme._core.rotate(flat(x), numpy.asarray(positions)).reshape(x.shape)
    return turned


def embed_norm(
    ids: Any,
    tokens: Any,
    *,
    positions: Any = None,
    rows: Any = None,
    gamma: Any = None,
    beta: Any = None,
    eps: float = 1e-5,
    rms: bool = False,
) -> "numpy.typing.NDArray[numpy.float32]":
    """norm(tokens[ids] + positions[rows]) in one pass, [N, C].

    tokens [V, C], positions [P, C], gamma and beta [C]; no gamma: no norm. rows: 0, 1, 2, ... if you omit them.
    rms: RMS norm instead of layer norm.
    """
    import numpy

    wanted = numpy.asarray(ids)
    if positions is not None and rows is None:
        rows = numpy.arange(wanted.size)
    places = None if rows is None else numpy.asarray(rows)
    found: numpy.typing.NDArray[numpy.float32] = _core.embed_norm(
        wanted, tokens, places, positions, gamma, beta, eps, rms
    )
    return found


def three_axes(array: Any, name: str) -> int:
    shape = getattr(array, "shape", None)
    if shape is None or len(shape) != 3:
        got = type(array).__name__ if shape is None else f"shape {list(shape)}"
        raise DataError(f"{name}: got {got}, expected an array of shape [tokens, heads, head size]", code="bad_shape")
    return int(shape[1])


def flat(array: Any) -> Any:
    return array.reshape(array.shape[0], array.shape[1] * array.shape[2])
