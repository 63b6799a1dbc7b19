"""The operations locus::attention and locus::attention_backward. `attention` is the function to call."""

# No postponed annotations here: torch reads the types of the arguments from them.
from collections.abc import Sequence
from typing import Any, Optional

import torch
from torch import Tensor

from .. import _core


def rows(x: Tensor) -> Tensor:
    """x [N, ...] as the kernels read it: contiguous but for the stride of the rows. No copy if it is already."""
    x = x.detach()
    expected = 1
    for axis in range(x.dim() - 1, 0, -1):
        if x.size(axis) != 1 and x.stride(axis) != expected:
            return x.contiguous()
        expected *= x.size(axis)
    # Overlapping rows, as of an expanded tensor, are for the kernels an error.
    return x if x.dim() == 0 or x.size(0) <= 1 or x.stride(0) >= expected else x.contiguous()


def whole(x: Optional[Tensor]) -> Optional[Tensor]:
    """x without a gradient, contiguous."""
    return None if x is None else x.detach().contiguous()


def gradients_of(
    sources: Sequence[Optional[Tensor]], wanted: Sequence[bool], dtype: torch.dtype
) -> list[Optional[Tensor]]:
    """Memory for the gradients of the sources that are there and wanted; None for the others."""
    return [
        torch.empty(source.shape, dtype=dtype) if wants and source is not None else None
        for source, wants in zip(sources, wanted)
    ]


def _rows(x: Optional[Tensor]) -> Optional[Tensor]:
    return None if x is None else rows(x)


@torch.library.custom_op("locus::attention", mutates_args=(), device_types="cpu")
def attention_op(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    by_distance: Optional[Tensor],
    by_query: Optional[Tensor],
    by_key: Optional[Tensor],
    dense: Optional[Tensor],
    query_slots: Optional[Tensor],
    key_slots: Optional[Tensor],
    query_bounds: Optional[Tensor],
    key_bounds: Optional[Tensor],
    mask: Optional[Tensor],
    seed: Optional[Tensor],
    batch: int,
    mask_queries: bool,
    zero: int,
    scale: float,
    cap: float,
    causal: bool,
    window: int,
    dropout: float,
    needs_sums: bool,
) -> tuple[Tensor, Tensor]:
    """q [Nq, H, D], k and v [Nk, G, D]. Returns the output [Nq, H, D] and the log-sums of the scores [Nq, H], which
    the backward operation needs; an empty tensor without needs_sums."""
    out = torch.empty(q.shape, dtype=q.dtype)
    sums = torch.empty(q.shape[:2] if needs_sums else (0,), dtype=q.dtype)
    _core.attention_forward(
        rows(q),
        rows(k),
        rows(v),
        (batch, whole(query_bounds), whole(key_bounds), whole(mask), mask_queries),
        (
            _rows(by_distance),
            _rows(by_query),
            whole(query_slots),
            _rows(by_key),
            whole(key_slots),
            _dense(dense, batch),
            zero,
        ),
        (scale, cap, causal, window, dropout, seed),
        out,
        sums if needs_sums else None,
    )
    return out, sums


def _dense(dense: Optional[Tensor], batch: int) -> Optional[Tensor]:
    if dense is None:
        return None
    return rows(dense) if batch < 0 else dense.detach()


@attention_op.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    return q.new_empty(q.shape), q.new_empty(q.shape[:2] if rest[-1] else (0,))


@torch.library.custom_op("locus::attention_backward", mutates_args=(), device_types="cpu")
def attention_backward_op(
    dout: Tensor,
    out: Tensor,
    sums: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    by_distance: Optional[Tensor],
    by_query: Optional[Tensor],
    by_key: Optional[Tensor],
    dense: Optional[Tensor],
    query_slots: Optional[Tensor],
    key_slots: Optional[Tensor],
    query_bounds: Optional[Tensor],
    key_bounds: Optional[Tensor],
    mask: Optional[Tensor],
    seed: Optional[Tensor],
    batch: int,
    mask_queries: bool,
    zero: int,
    scale: float,
    cap: float,
    causal: bool,
    window: int,
    dropout: float,
    wanted: Sequence[bool],
) -> list[Tensor]:
    """The gradients of q, k, v, by_distance, by_query, by_key and dense that are wanted, in this order."""
    sources = (q, k, v, by_distance, by_query, by_key, dense)
    gradients = gradients_of(sources, wanted, q.dtype)
    _core.attention_backward(
        rows(dout),
        rows(out),
        rows(sums),
        rows(q),
        rows(k),
        rows(v),
        (batch, whole(query_bounds), whole(key_bounds), whole(mask), mask_queries),
        (
            _rows(by_distance),
            _rows(by_query),
            whole(query_slots),
            _rows(by_key),
            whole(key_slots),
            _dense(dense, batch),
            zero,
        ),
        (scale, cap, causal, window, dropout, seed),
        gradients,
    )
    return [gradient for gradient in gradients if gradient is not None]


@attention_backward_op.register_fake
def _(dout: Tensor, out: Tensor, sums: Tensor, *rest: Any) -> list[Tensor]:
    return [source.new_empty(source.shape) for source, wants in zip(rest[:7], rest[-1]) if wants and source is not None]


_TABLES = 7  # q, k, v and the tables: the inputs that can have gradients
_TENSORS = 13  # those and slots, bounds, mask and seed


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs[:_TENSORS], *output)
    ctx.options = inputs[_TENSORS:-1]


def _backward(ctx: Any, dout: Tensor, _: Optional[Tensor]) -> tuple[Optional[Tensor], ...]:
    *inputs, out, sums = ctx.saved_tensors
    wanted = [bool(ctx.needs_input_grad[n]) and inputs[n] is not None for n in range(_TABLES)]
    found = iter(attention_backward_op(dout, out, sums, *inputs, *ctx.options, wanted))
    gradients: list[Optional[Tensor]] = [next(found) if wants else None for wants in wanted]
    return (*gradients, *[None] * (len(inputs) - _TABLES + len(ctx.options) + 1))


attention_op.register_autograd(_backward, setup_context=_save)
