"""Rotation of queries and keys (RoPE), as an operation of torch."""

# No postponed annotations here: torch reads the types of the arguments from them.
from typing import Any, Optional

import torch
from torch import Tensor

from .. import _core
from .attention_op import rows as in_place
from .terms import Rotation
from .transforms import refuse_derivatives


@torch.library.custom_op("locus::rotate", mutates_args=(), device_types="cpu")
def rotate_op(x: Tensor, cos: Tensor, sin: Tensor, rows: Tensor, interleaved: bool, backward: bool) -> Tensor:
    """x [N, H, D] rotated by row rows[n] of cos and sin, [R, width / 2]; backward turns in the other direction."""
    out = torch.empty(x.shape, dtype=x.dtype)
    _core.rotate(in_place(x), in_place(cos), in_place(sin), rows.contiguous(), interleaved, backward, out)
    return out


@rotate_op.register_fake
def _(x: Tensor, cos: Tensor, sin: Tensor, rows: Tensor, interleaved: bool, backward: bool) -> Tensor:
    return x.new_empty(x.shape)


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[1:4])
    ctx.options = inputs[4:]


def _backward(ctx: Any, dy: Tensor) -> tuple[Optional[Tensor], ...]:
    interleaved, backward = ctx.options
    return rotate_op(dy, *ctx.saved_tensors, interleaved, not backward), None, None, None, None, None


rotate_op.register_autograd(_backward, setup_context=_save)


def rotate(x: Tensor, rotation: Rotation) -> Tensor:
    """x with the first 2 cos.shape[1] components of every head rotated in pairs:

        (a, b) -> (a cos - b sin, a sin + b cos)

    Pair n is (x[n], x[n + width / 2]), or (x[2 n], x[2 n + 1]) if interleaved. x is [B, L, H, D] or [N, H, D]. cos and
    sin get no gradient.
    """
    refuse_derivatives("rotate")
    cos, sin, rows = rotation.cos, rotation.sin, rotation.rows
    if x.dim() not in (3, 4) or not x.is_floating_point():
        raise ValueError(
            f"locus.torch.rotate: x is {x.dtype} with shape {list(x.shape)}, expected floating-point numbers "
            "[batch, tokens, heads, head size] or [tokens, heads, head size]"
        )
    if cos.requires_grad or sin.requires_grad:
        raise ValueError("locus.torch.rotate: cos or sin requires a gradient, which is not computed; detach() them")
    if rows is None:
        rows = torch.arange(x.shape[-3], dtype=torch.int32, device=x.device)
    if x.dim() == 4:
        rows = rows.expand(x.shape[:2]).reshape(-1)
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    flat = x.reshape(-1, *x.shape[-2:]).to(dtype)
    turned: Tensor = rotate_op(flat, cos.to(dtype), sin.to(dtype), rows.to(torch.int32), rotation.interleaved, False)
    return turned.reshape(x.shape).to(x.dtype)
