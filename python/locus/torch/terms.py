"""What a position scheme adds to attention: tables for the scores, and angles for queries and keys."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from .. import _core


@dataclasses.dataclass(frozen=True)
class Rotation:
    """Angles for the tokens of a batch; see `rotate`.

    cos, sin: [R, width / 2].
    rows: the row of each query token, [B, L] or [N]; without it, row i belongs to column i of the batch.
    key_cos, key_sin, key_rows: the same for keys, if they differ.
    """

    cos: Tensor
    sin: Tensor
    rows: Tensor | None = None
    key_cos: Tensor | None = None
    key_sin: Tensor | None = None
    key_rows: Tensor | None = None
    interleaved: bool = False

    def of_keys(self) -> Rotation:
        """The angles of the keys, as angles of queries."""
        cos = self.cos if self.key_cos is None else self.key_cos
        sin = self.sin if self.key_sin is None else self.key_sin
        rows = self.rows if self.key_rows is None else self.key_rows
        return Rotation(cos, sin, rows, interleaved=self.interleaved)


@dataclasses.dataclass(frozen=True)
class Terms:
    """The terms of attention scores. With d = j - i, the distance from query i to key j, the score of head h is

        scale q_i.k_j + by_distance[h, d] + scale q_i.by_query[d, h] + scale k_j.by_key[d, h] + dense[b, h, i, j]

    by_distance: [H, S].
    by_query, by_key: [S, D], or [S, H, D] for a vector per head. With query_slots or key_slots, i32 [S], distance d
        uses the row of its slot instead, and the table has any number of rows.
    dense: [B, H, Lq, Lk], where B and H may be 1; of packed tokens [H, P], the blocks of all sequences, concatenated.
    zero: the column of distance 0 in all tables; (S - 1) / 2 if absent, which makes S = 2 L - 1 the size of a table
        for texts of up to L tokens.
    scale: replaces 1 / sqrt(D) if given.
    rotation: angles for queries and keys, which `attention` rotates first.
    input: [L, C], rows that the model adds to the embeddings of its tokens, or appends to them if `joined`; `attention`
        does not read it.

    All tables may require gradients. Memory grows with L, except for `dense`.
    """

    by_distance: Tensor | None = None
    by_query: Tensor | None = None
    by_key: Tensor | None = None
    dense: Tensor | None = None
    query_slots: Tensor | None = None
    key_slots: Tensor | None = None
    zero: int | None = None
    scale: float | None = None
    rotation: Rotation | None = None
    input: Tensor | None = None
    joined: bool = False

    def bias(self, length: int) -> Tensor:
        """What by_distance and dense add to the scores of a text: [H, length, length]."""
        place = torch.arange(length)
        total = torch.zeros(1, length, length)
        if self.by_distance is not None:
            zero = self.by_distance.shape[1] // 2 if self.zero is None else self.zero
            total = total + self.by_distance[:, place[None] - place[:, None] + zero]
        if self.dense is not None:
            total = total + self.dense[0, :, :length, :length]
        return total

    def draw(self, length: int, title: str = "bias") -> str:
        """The bias of every head as heat maps, an SVG file."""
        maps: str = _core.score_maps(self.bias(length).detach().float().contiguous(), title)
        return maps
