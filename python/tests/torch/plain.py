"""Attention in plain operations of torch, one sequence at a time: what locus.torch.attention has to compute."""

from __future__ import annotations

import torch
from torch import Tensor

from locus.torch import Terms


def zero_of(terms: Terms, columns: int) -> int:
    return columns // 2 if terms.zero is None else terms.zero


def scores_of(q: Tensor, k: Tensor, terms: Terms, scale: float) -> Tensor:
    """[H, Lq, Lk] for one sequence, q [Lq, H, D] and k [Lk, H, D]. The last query is at the last key."""
    scores = scale * torch.einsum("ihd,jhd->hij", q, k)
    queries, keys = q.shape[0], k.shape[0]
    d = torch.arange(keys)[None] - torch.arange(queries)[:, None] - (keys - queries)
    if terms.by_distance is not None:
        scores = scores + terms.by_distance[:, d + zero_of(terms, terms.by_distance.shape[1])]
    for table, slots, x, axes in (
        (terms.by_query, terms.query_slots, q, "ihd,ijhd->hij"),
        (terms.by_key, terms.key_slots, k, "jhd,ijhd->hij"),
    ):
        if table is not None:
            slots = torch.arange(table.shape[0]) if slots is None else slots
            vectors = table[slots[d + zero_of(terms, slots.shape[0])].long()]
            vectors = vectors[:, :, None].expand(-1, -1, q.shape[1], -1) if vectors.dim() == 3 else vectors
            scores = scores + scale * torch.einsum(axes, x, vectors)
    return scores


def one(q: Tensor, k: Tensor, v: Tensor, terms: Terms, dense: Tensor | None, **options: float) -> Tensor:
    """The output [Lq, H, D] of one sequence; dense is its part, [H, Lq, Lk]."""
    scale = options.get("scale") or (terms.scale or q.shape[-1] ** -0.5)
    repeats = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
    scores = scores_of(q, k, terms, scale)
    if dense is not None:
        scores = scores + dense
    if options.get("cap"):
        scores = options["cap"] * torch.tanh(scores / options["cap"])
    queries, keys = q.shape[0], k.shape[0]
    back = torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)[None]
    hidden = torch.zeros(queries, keys, dtype=torch.bool)
    if options.get("causal"):
        hidden |= back < 0
    if options.get("window"):
        hidden |= back.abs() >= options["window"]
    return torch.einsum("hij,jhd->ihd", scores.masked_fill(hidden, -torch.inf).softmax(-1), v)


def padded(q: Tensor, k: Tensor, v: Tensor, lengths: list[int], terms: Terms | None = None, **options: float) -> Tensor:
    """The output [B, L, H, D] of sequences at the start of each row, zeros for padding."""
    terms = Terms() if terms is None else terms
    out = torch.zeros_like(q)
    for b, length in enumerate(lengths):
        dense = terms.dense
        if dense is not None:
            dense = dense[b if dense.shape[0] > 1 else 0, :, :length, :length]
        out[b, :length] = one(q[b, :length], k[b, :length], v[b, :length], terms, dense, **options)
    return out


def gradients(out: Tensor, inputs: list[Tensor], dout: Tensor) -> list[Tensor]:
    return list(torch.autograd.grad(out, inputs, dout))


def check(ours: Tensor, expected: Tensor, inputs: list[Tensor], tolerance: float = 1e-5) -> None:
    """Compares values, and gradients with respect to all inputs."""
    torch.testing.assert_close(ours, expected, rtol=tolerance, atol=tolerance)
    dout = torch.randn_like(expected)
    for n, (a, b) in enumerate(zip(gradients(ours, inputs, dout), gradients(expected, inputs, dout))):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance, msg=lambda text, n=n: f"gradient {n}: {text}")
