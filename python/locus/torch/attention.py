"""Attention with position terms, as an operation of torch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .attention_op import attention_op
from .terms import Terms
from .transforms import refuse_derivatives

Integers = Tensor | Sequence[int]


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    lengths: Integers | None = None,
    key_lengths: Integers | None = None,
    cu_seqlens: Integers | None = None,
    key_cu_seqlens: Integers | None = None,
    mask: Tensor | None = None,
    terms: Terms | None = None,
    causal: bool = False,
    window: int = 0,
    scale: float | None = None,
    cap: float = 0.0,
    dropout: float = 0.0,
) -> Tensor:
    """softmax(scores) v within each sequence, without a matrix of length x length in memory.

    A padded batch: q [B, Lq, H, D], k and v [B, Lk, G, D], with one of
        lengths: the number of tokens of each row, [B]; key_lengths, if the keys have others;
        mask: [B, Lk], true for the tokens among the keys;
        neither: every row is full.
    Packed tokens: q [N, H, D], k and v [Nk, G, D], with
        cu_seqlens: where the sequences begin, and the end: i32 [B + 1]; key_cu_seqlens, if the keys have others.
    Returns the shape and dtype of q; zeros for padding.

    G key heads serve H heads, H / G each. Query and key i of a sequence have the same position; if there are more keys
    than queries (a KV cache), the last query is at the last key.
    terms: position terms, see `Terms`; gradients reach all of its tables.
    causal: a query sees no key after itself. window: a query sees keys at distances below it; 0: no window.
    scale: factor of q.k, 1 / sqrt(D) if absent. cap: scores become cap tanh(score / cap); 0: no cap.
    dropout: of the weights; the random numbers come from torch's generator.

    float32 is computed by the fast kernels; bfloat16 and float16 are converted to it. float64 is computed by the slow
    reference, for gradcheck. q, k and v are used in place if the heads of a token are contiguous: [B, L, H, D], or a
    part of a fused projection; others are copied.
    """
    refuse_derivatives("attention")
    terms = Terms() if terms is None else terms
    packed = cu_seqlens is not None
    _check_shapes(q, k, v, packed)
    if packed and (lengths is not None or key_lengths is not None or mask is not None):
        raise ValueError("locus.torch.attention: got cu_seqlens with lengths or a mask, expected one of them")
    if key_cu_seqlens is not None and not packed:
        raise ValueError("locus.torch.attention: got key_cu_seqlens without cu_seqlens")
    if mask is not None and (lengths is not None or key_lengths is not None):
        raise ValueError("locus.torch.attention: got a mask and lengths, expected one of them")
    dtype = _computed_dtype(q, k, v)
    if terms.rotation is not None:
        from .rotate import rotate

        q, k = rotate(q, terms.rotation), rotate(k, terms.rotation.of_keys())

    def tokens(x: Tensor) -> Tensor:
        return (x if packed else x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])).to(dtype)

    def table(x: Tensor | None) -> Tensor | None:
        return None if x is None else x.to(dtype)

    chosen = terms.scale if scale is None else scale
    inputs = (q, k, v, terms.by_distance, terms.by_query, terms.by_key, terms.dense)
    result: Tensor = attention_op(
        tokens(q),
        tokens(k),
        tokens(v),
        table(terms.by_distance),
        table(terms.by_query),
        table(terms.by_key),
        table(_dense(terms.dense, packed)),
        _slots(terms.by_query, terms.query_slots),
        _slots(terms.by_key, terms.key_slots),
        _integers(cu_seqlens if packed else lengths, q),
        _integers(key_cu_seqlens if packed else key_lengths, q),
        None if mask is None else mask.to(torch.bool),
        _seed(q) if dropout > 0 else None,
        -1 if packed else q.shape[0],
        causal or window > 0,
        -1 if terms.zero is None else terms.zero,
        q.shape[-1] ** -0.5 if chosen is None else float(chosen),
        float(cap or 0),
        causal,
        window,
        float(dropout),
        torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in inputs),
    )[0]
    return result.reshape(q.shape).to(q.dtype)


def _check_shapes(q: Tensor, k: Tensor, v: Tensor, packed: bool) -> None:
    axes, names = (3, "[tokens, heads, head size]") if packed else (4, "[batch, tokens, heads, head size]")
    for name, x in (("q", q), ("k", k), ("v", v)):
        if x.dim() != axes:
            raise ValueError(f"locus.torch.attention: {name} has shape {list(x.shape)}, expected {names}")
        if x.device != q.device:
            raise ValueError(f"locus.torch.attention: {name} is on {x.device}, expected {q.device} as q")
    if not packed and (k.shape[0] != q.shape[0] or v.shape[0] != q.shape[0]):
        raise ValueError(
            f"locus.torch.attention: k has {k.shape[0]} rows and v {v.shape[0]}, expected {q.shape[0]}, the batch of q"
        )


def _computed_dtype(q: Tensor, k: Tensor, v: Tensor) -> torch.dtype:
    """float64 for float64, or else float32. Under autocast, q, k and v may have different dtypes."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not x.is_floating_point():
            raise ValueError(f"locus.torch.attention: {name} is {x.dtype}, expected floating-point numbers")
        if x.dtype != q.dtype and not torch.is_autocast_enabled(q.device.type):
            raise ValueError(f"locus.torch.attention: {name} is {x.dtype}, expected {q.dtype} as q")
    return torch.float64 if q.dtype == torch.float64 else torch.float32


def _slots(table: Tensor | None, slots: Tensor | None) -> Tensor | None:
    """The slots of a table; by default it has a row for every distance."""
    if table is None:
        return None
    if slots is None:
        return torch.arange(table.shape[0], dtype=torch.int32, device=table.device)
    return slots.to(torch.int32)


def _dense(dense: Tensor | None, packed: bool) -> Tensor | None:
    if dense is None or packed:
        return dense
    return dense.reshape((1,) * (4 - dense.dim()) + tuple(dense.shape)) if dense.dim() < 4 else dense


def _integers(values: Integers | None, like: Tensor) -> Tensor | None:
    if values is None:
        return None
    if not isinstance(values, Tensor):
        values = torch.tensor(values, dtype=torch.int64)
    if values.is_floating_point() or values.dtype == torch.bool:
        raise ValueError(f"locus.torch.attention: got lengths or cu_seqlens of {values.dtype}, expected integers")
    return values.to(device=like.device, dtype=torch.int32)


def _seed(like: Tensor) -> Tensor:
    """The seed of dropout, as a tensor, so that a compiled graph draws a new one in every call."""
    return torch.randint(-(2**63), 2**63 - 1, (2,), dtype=torch.int64, device=like.device)
