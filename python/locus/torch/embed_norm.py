"""The input embedding of a model in one pass: sums of table rows, norm and dropout."""

# No postponed annotations here: torch reads the types of the arguments from them.
from typing import Any, Optional

import torch
from torch import Tensor

from .. import _core
from .attention import _seed
from .attention_op import gradients_of, whole
from .attention_op import rows as in_place
from .transforms import refuse_derivatives

_Tables = tuple[tuple[Optional[Tensor], Optional[Tensor]], ...]


def _tables(*inputs: Optional[Tensor]) -> _Tables:
    pairs = zip(inputs[:3], inputs[3:6])
    return tuple(
        (None, None) if table is None or ids is None else (in_place(table), ids.contiguous()) for table, ids in pairs
    )


@torch.library.custom_op("locus::embed_norm", mutates_args=(), device_types="cpu")
def embed_norm_op(
    tokens: Tensor,
    positions: Optional[Tensor],
    segments: Optional[Tensor],
    ids: Tensor,
    position_ids: Optional[Tensor],
    segment_ids: Optional[Tensor],
    gamma: Optional[Tensor],
    beta: Optional[Tensor],
    seed: Optional[Tensor],
    eps: float,
    rms: bool,
    token_scale: float,
    dropout: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """tokens [V, C], ids i32 [N]. Returns [N, C], and the means and reciprocal deviations of its rows, [N]."""
    count = ids.shape[0]
    out = torch.empty((count, tokens.shape[1]), dtype=tokens.dtype)
    mean, rstd = torch.empty(count, dtype=tokens.dtype), torch.empty(count, dtype=tokens.dtype)
    normed = gamma is not None
    _core.embed_forward(
        _tables(tokens, positions, segments, ids, position_ids, segment_ids),
        (whole(gamma), whole(beta), eps, rms, token_scale, dropout, seed),
        out,
        mean if normed and not rms else None,
        rstd if normed else None,
    )
    return out, mean, rstd


@embed_norm_op.register_fake
def _(tokens: Tensor, positions: Any, segments: Any, ids: Tensor, *rest: Any) -> tuple[Tensor, Tensor, Tensor]:
    count = ids.shape[0]
    return tokens.new_empty((count, tokens.shape[1])), tokens.new_empty(count), tokens.new_empty(count)


@torch.library.custom_op("locus::embed_norm_backward", mutates_args=(), device_types="cpu")
def embed_norm_backward_op(
    dy: Tensor,
    mean: Tensor,
    rstd: Tensor,
    tokens: Tensor,
    positions: Optional[Tensor],
    segments: Optional[Tensor],
    ids: Tensor,
    position_ids: Optional[Tensor],
    segment_ids: Optional[Tensor],
    gamma: Optional[Tensor],
    beta: Optional[Tensor],
    seed: Optional[Tensor],
    eps: float,
    rms: bool,
    token_scale: float,
    dropout: float,
    wanted: list[bool],
) -> list[Tensor]:
    """The gradients of tokens, positions, segments, gamma and beta that are wanted, in this order."""
    sources = (tokens, positions, segments, gamma, beta)
    gradients = gradients_of(sources, wanted, dy.dtype)
    normed = gamma is not None
    _core.embed_backward(
        in_place(dy),
        mean if normed and not rms else None,
        rstd if normed else None,
        _tables(tokens, positions, segments, ids, position_ids, segment_ids),
        (whole(gamma), whole(beta), eps, rms, token_scale, dropout, seed),
        gradients,
    )
    return [gradient for gradient in gradients if gradient is not None]


@embed_norm_backward_op.register_fake
def _(dy: Tensor, mean: Tensor, rstd: Tensor, *rest: Any) -> list[Tensor]:
    sources = (rest[0], rest[1], rest[2], rest[6], rest[7])
    return [source.new_empty(source.shape) for source, wants in zip(sources, rest[-1]) if wants and source is not None]


_TENSORS = 9
_TRAINED = (0, 1, 2, 6, 7)  # the inputs that can have gradients


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.save_for_backward(*inputs[:_TENSORS], *output[1:])
    ctx.options = inputs[_TENSORS:]


def _backward(ctx: Any, dy: Tensor, *_: Any) -> tuple[Optional[Tensor], ...]:
    *inputs, mean, rstd = ctx.saved_tensors
    wanted = [bool(ctx.needs_input_grad[n]) and inputs[n] is not None for n in _TRAINED]
    found = iter(embed_norm_backward_op(dy, mean, rstd, *inputs, *ctx.options, wanted))
    gradients: list[Optional[Tensor]] = [None] * (_TENSORS + len(ctx.options))
    for n, wants in zip(_TRAINED, wanted):
        gradients[n] = next(found) if wants else None
    return tuple(gradients)


embed_norm_op.register_autograd(_backward, setup_context=_save)


def embed_norm(
    ids: Tensor,
    tokens: Tensor,
    *,
    positions: Optional[Tensor] = None,
    position_ids: Optional[Tensor] = None,
    segments: Optional[Tensor] = None,
    segment_ids: Optional[Tensor] = None,
    gamma: Optional[Tensor] = None,
    beta: Optional[Tensor] = None,
    eps: float = 1e-5,
    rms: bool = False,
    token_scale: float = 1.0,
    dropout: float = 0.0,
) -> Tensor:
    """dropout(norm(token_scale tokens[ids] + positions[position_ids] + segments[segment_ids])), in one pass.

    ids, [B, L] or [N] of integers; tokens [V, C]; positions [P, C]; segments [S, C]. Without position_ids, column i of
    the ids has position i. The norm is a layer norm with gamma and beta [C], or an RMS norm without beta; without gamma
    there is none. Returns [B, L, C] or [N, C], with gradients for all tables, gamma and beta.
    """
    refuse_derivatives("embed_norm")
    for name, table in (("tokens", tokens), ("positions", positions), ("segments", segments), ("gamma", gamma),
                        ("beta", beta)):  # fmt: skip
        if table is not None and table.dtype not in (torch.float32, torch.float64):
            raise ValueError(f"locus.torch.embed_norm: {name} is {table.dtype}, expected float32 or float64")
    if segments is not None and segment_ids is None:
        segment_ids = torch.zeros_like(ids)
    if positions is not None and position_ids is None:
        position_ids = torch.arange(ids.shape[-1], device=ids.device)

    def flat(indices: Optional[Tensor], name: str) -> Optional[Tensor]:
        if indices is None:
            return None
        if indices.is_floating_point() or indices.dtype == torch.bool:
            raise ValueError(f"locus.torch.embed_norm: {name} is {indices.dtype}, expected integers")
        return indices.expand(ids.shape).reshape(-1).to(torch.int32)

    out: Tensor = embed_norm_op(
        tokens,
        positions,
        segments,
        flat(ids, "ids"),
        flat(position_ids, "position_ids"),
        flat(segment_ids, "segment_ids"),
        gamma,
        beta,
        _seed(tokens) if dropout > 0 else None,
        float(eps),
        rms,
        float(token_scale),
        float(dropout),
    )[0]
    return out.reshape(*ids.shape, tokens.shape[1])
