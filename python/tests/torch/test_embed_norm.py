"""Values and gradients of locus.torch.rotate and locus.torch.embed_norm against plain torch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import plain  # noqa: E402

from locus import Error  # noqa: E402
from locus.torch import Rotation, attention, embed_norm, rotate  # noqa: E402


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_rotate(interleaved: bool, packed: bool) -> None:
    x = torch.randn(2, 5, 3, 8, requires_grad=True)
    cos, sin = torch.randn(2, 9, 3)
    rows = torch.tensor([[0, 1, 2, 3, 4], [8, 7, 7, 0, 1]])
    rotation = Rotation(cos, sin, rows.flatten() if packed else rows, interleaved=interleaved)
    ours = rotate(x.flatten(0, 1), rotation).view_as(x) if packed else rotate(x, rotation)
    a, b = (x[..., 0:6:2], x[..., 1:6:2]) if interleaved else (x[..., :3], x[..., 3:6])
    c, s = cos[rows][:, :, None], sin[rows][:, :, None]
    pair = (a * c - b * s, a * s + b * c)
    front = torch.stack(pair, -1).flatten(-2) if interleaved else torch.cat(pair, -1)
    plain.check(ours, torch.cat([front, x[..., 6:]], -1), [x])


def test_keys_may_have_angles_of_their_own() -> None:
    q, k = torch.randn(2, 1, 4, 2, 4)
    angles, others = Rotation(*torch.randn(2, 4, 2)), Rotation(*torch.randn(2, 4, 2))
    both = Rotation(angles.cos, angles.sin, key_cos=others.cos, key_sin=others.sin)
    from locus.torch import Terms

    ours = attention(q, k, k, terms=Terms(rotation=both))
    assert torch.equal(ours, attention(rotate(q, angles), rotate(k, others), k))


def test_bad_rotations() -> None:
    x, cos = torch.randn(1, 4, 2, 6), torch.randn(4, 3)
    for bad, words in (
        (Rotation(cos, cos[:3]), "sin has shape"),
        (Rotation(cos[:3], cos[:3]), "3 at index 3, expected 0 to 2"),
        (Rotation(torch.randn(4, 4), torch.randn(4, 4)), "at most 3"),
        (Rotation(cos, cos, torch.tensor([0, 1, -1, 0])), "-1 at index 2"),
        (Rotation(cos, cos.clone().requires_grad_()), "requires a gradient"),
    ):
        with pytest.raises((Error, ValueError), match=words):
            rotate(x, bad)
    with pytest.raises(ValueError, match="expected floating-point numbers"):
        rotate(x.int(), Rotation(cos, cos))


@pytest.mark.parametrize("rms", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_embed_norm(rms: bool, dtype: torch.dtype) -> None:
    tables = [torch.randn(n, 6, dtype=dtype, requires_grad=True) for n in (11, 7, 2)]
    gamma, beta = (torch.randn(6, dtype=dtype, requires_grad=True) for _ in range(2))
    ids, segment_ids = torch.randint(0, 11, (3, 5)), torch.randint(0, 2, (3, 5))
    position_ids = torch.randint(0, 7, (3, 5))
    x = 0.5 * tables[0][ids] + tables[1][position_ids] + tables[2][segment_ids]
    if rms:
        expected = torch.nn.functional.rms_norm(x, (6,), gamma, 1e-5)
    else:
        expected = torch.nn.functional.layer_norm(x, (6,), gamma, beta, 1e-5)
    ours = embed_norm(
        ids,
        tables[0],
        positions=tables[1],
        position_ids=position_ids,
        segments=tables[2],
        segment_ids=segment_ids,
        gamma=gamma,
        beta=None if rms else beta,
        rms=rms,
        token_scale=0.5,
    )
    plain.check(ours, expected, [*tables, gamma] + ([] if rms else [beta]))


def test_embedding_without_a_norm() -> None:
    table, positions = torch.randn(5, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
    ids = torch.tensor([4, 0, 4])
    plain.check(embed_norm(ids, table, positions=positions), table[ids] + positions, [table, positions])
    empty = embed_norm(ids[:0], table, gamma=torch.ones(4))
    empty.sum().backward()
    assert empty.shape == (0, 4) and table.grad is not None and not table.grad.any()


def test_embedding_dropout() -> None:
    table = torch.ones(3, 64, requires_grad=True)
    out = embed_norm(torch.zeros(100, dtype=torch.long), table, dropout=0.25)
    assert abs((out == 0).float().mean().item() - 0.25) < 0.02
    out.sum().backward()
    torch.testing.assert_close(table.grad[0], out.detach().sum(0))


def test_bad_embeddings() -> None:
    table, ids = torch.randn(5, 4), torch.tensor([0, 4])
    for arguments, words in (
        (dict(ids=torch.tensor([0, 5])), "5 at index 1, expected 0 to 4"),
        (dict(ids=torch.tensor([-1, 0])), "-1 at index 0"),
        (dict(ids=torch.tensor([0.0, 1])), "expected integers"),
        (dict(positions=torch.randn(1, 4)), "1 at index 1, expected 0 to 0"),
        (dict(positions=torch.randn(9, 3)), "expected \\[rows, 4\\]"),
        (dict(gamma=torch.randn(3)), "gamma has shape \\[3\\]"),
        (dict(beta=torch.randn(4)), "without gamma"),
        (dict(gamma=torch.ones(4), beta=torch.ones(4), rms=True), "does not use it"),
        (dict(tokens=table.bfloat16()), "expected float32 or float64"),
        (dict(gamma=torch.ones(4, dtype=torch.float64)), "gamma is f64"),
        (dict(dropout=1.5), "dropout is 1.5"),
    ):
        with pytest.raises((Error, ValueError), match=words):
            embed_norm(**{"ids": ids, "tokens": table, **arguments})
