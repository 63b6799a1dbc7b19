"""Values and gradients of locus.torch.attention against plain torch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import plain  # noqa: E402

from locus import Error  # noqa: E402
from locus.torch import Terms, attention  # noqa: E402

B, L, H, G, D = 3, 21, 4, 2, 8
LENGTHS = [13, 21, 1]
DTYPES = [torch.float32, torch.float64]


def leaves(*shapes: tuple[int, ...], dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(len(shapes))
    return [torch.randn(shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes]


def projections(dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    return leaves((B, L, H, D), (B, L, G, D), (B, L, G, D), dtype=dtype)


OPTIONS = [{}, {"causal": True}, {"window": 4}, {"causal": True, "window": 3, "cap": 2.0}, {"scale": 0.7}]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", OPTIONS)
def test_padded_batch(dtype: torch.dtype, options: dict[str, float]) -> None:
    inputs = projections(dtype)
    ours = attention(*inputs, lengths=LENGTHS, **options)
    plain.check(ours, plain.padded(*inputs, LENGTHS, **options), inputs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", OPTIONS)
def test_all_tables_have_gradients(dtype: torch.dtype, options: dict[str, float]) -> None:
    inputs = projections(dtype) + leaves((H, 2 * L - 1), (7, D), (5, H, D), (1, H, L, L), dtype=dtype)
    generator = torch.Generator().manual_seed(2)
    slots = [torch.randint(0, count, (2 * L - 1,), generator=generator, dtype=torch.int32) for count in (7, 5)]
    terms = Terms(*inputs[3:], query_slots=slots[0], key_slots=slots[1])
    ours = attention(*inputs[:3], lengths=LENGTHS, terms=terms, **options)
    plain.check(ours, plain.padded(*inputs[:3], LENGTHS, terms, **options), inputs, 3e-5)


@pytest.mark.parametrize("shape", [(1, H), (B, 1), (B, H)])
def test_dense_of_each_row(shape: tuple[int, int]) -> None:
    inputs = projections() + leaves((*shape, L, L))
    ours = attention(*inputs[:3], lengths=LENGTHS, terms=Terms(dense=inputs[3]))
    plain.check(ours, plain.padded(*inputs[:3], LENGTHS, Terms(dense=inputs[3].expand(B, H, L, L))), inputs)


def test_packed_tokens_have_the_results_of_a_padded_batch() -> None:
    inputs = projections()
    real = torch.arange(L)[None] < torch.tensor(LENGTHS)[:, None]
    table = leaves((H, 2 * L - 1))[0]
    packed = attention(
        *[x[real] for x in inputs], cu_seqlens=[0, 13, 34, 35], terms=Terms(by_distance=table), causal=True
    )
    expected = plain.padded(*inputs, LENGTHS, Terms(by_distance=table), causal=True)[real]
    plain.check(packed, expected, [*inputs, table])


def test_dense_of_packed_tokens_is_the_blocks_of_all_sequences() -> None:
    q, k, v, dense = leaves((5, H, D), (5, H, D), (5, H, D), (H, 2 * 2 + 3 * 3))
    ours = attention(q, k, v, cu_seqlens=[0, 2, 5], terms=Terms(dense=dense))
    first = plain.one(q[:2], k[:2], v[:2], Terms(), dense[:, :4].reshape(H, 2, 2))
    second = plain.one(q[2:], k[2:], v[2:], Terms(), dense[:, 4:].reshape(H, 3, 3))
    plain.check(ours, torch.cat([first, second]), [q, k, v, dense])


def test_more_keys_than_queries() -> None:
    q, k, v, table = leaves((B, 2, H, D), (B, L, G, D), (B, L, G, D), (H, 2 * L - 1))
    ours = attention(q, k, v, terms=Terms(by_distance=table), causal=True)
    expected = torch.stack([plain.one(q[b], k[b], v[b], Terms(table), None, causal=True) for b in range(B)])
    plain.check(ours, expected, [q, k, v, table])


def test_cross_attention_with_two_lengths() -> None:
    q, k, v = leaves((2, 4, H, D), (2, 9, G, D), (2, 9, G, D))
    ours = attention(q, k, v, lengths=[4, 2], key_lengths=[3, 9])
    expected = torch.zeros_like(q)
    expected[0] = plain.one(q[0], k[0, :3], v[0, :3], Terms(), None)
    expected[1, :2] = plain.one(q[1, :2], k[1], v[1], Terms(), None)
    plain.check(ours, expected, [q, k, v])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("row", [[0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 1, 0, 1], [0, 0, 0, 0, 0]])
def test_mask(row: list[int], causal: bool) -> None:
    q, k, v, table, dense = leaves((2, 5, H, D), (2, 5, G, D), (2, 5, G, D), (H, 9), (2, H, 5, 5))
    mask = torch.tensor([row, [1] * 5], dtype=torch.bool)
    ours = attention(q, k, v, mask=mask, terms=Terms(by_distance=table, dense=dense), causal=causal)
    hidden = ~mask[:, None, None] | (causal & ~torch.ones(5, 5, dtype=torch.bool).tril())
    expected = []
    for b in range(2):
        sees = ~hidden[b].expand(H, 5, 5).all(-1)  # a softmax of nothing would have gradients that are not numbers
        bias = dense[b].masked_fill(hidden[b] & sees[..., None], -torch.inf)
        seen = sees.T & (mask[b][:, None] if causal else torch.tensor(True))
        expected.append(plain.one(q[b], k[b], v[b], Terms(by_distance=table), bias) * seen[..., None])
    plain.check(ours, torch.stack(expected), [q, k, v, table, dense])


def test_the_column_of_distance_zero_can_be_given() -> None:
    q, k, v, table = leaves((1, 2, H, D), (1, 6, G, D), (1, 6, G, D), (H, 8))
    terms = Terms(by_distance=table, zero=6)  # distances -6 to 1
    ours = attention(q, k, v, terms=terms)
    plain.check(ours, plain.one(q[0], k[0], v[0], terms, None)[None], [q, k, v, table])


def test_strided_projections_are_not_copied() -> None:
    fused = torch.randn(B, L, 3, H, D)
    q, k, v = fused.unbind(2)
    ours = attention(q, k, v)
    torch.testing.assert_close(ours, attention(q.contiguous(), k.contiguous(), v.contiguous()), rtol=0, atol=0)
    heads_first = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v)]
    torch.testing.assert_close(attention(*heads_first), ours, rtol=0, atol=0)


def test_dropout_has_its_rate_and_a_seed_of_torch() -> None:
    inputs = leaves((2, 64, 2, 8), (2, 64, 2, 8), (2, 64, 2, 8))
    outputs = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        outputs.append(attention(*inputs, dropout=0.4))
    assert torch.equal(outputs[0], outputs[1])
    assert not torch.equal(outputs[0], outputs[2])
    ones = torch.ones(2, 64, 2, 8)
    kept = attention(inputs[0].detach() * 0, inputs[1].detach(), ones, dropout=0.4)
    assert abs(kept.mean().item() - 1) < 0.05  # kept weights grow by 1 / 0.6
    assert kept.std().item() > 0.01


def test_gradients_with_dropout_use_the_same_weights() -> None:
    inputs = [x.detach().double().requires_grad_() for x in leaves((1, 5, 1, 4), (1, 5, 1, 4), (1, 5, 1, 4))]

    def call(*x: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(3)
        return attention(*x, dropout=0.5)

    assert torch.autograd.gradcheck(call, inputs)


def test_empty_batches() -> None:
    for shape in ((0, 3, H, D), (2, 0, H, D)):
        x = torch.randn(shape, requires_grad=True)
        out = attention(x, x, x)
        assert out.shape == shape
        out.sum().backward()
    x = torch.randn(0, H, D)
    assert attention(x, x, x, cu_seqlens=[0]).shape == (0, H, D)


def test_nan_passes_through() -> None:
    q, k, v = torch.randn(3, 2, 5, H, D)
    k[0, 3, 0, 0] = torch.nan
    out = attention(q, k, v, lengths=[5, 5])
    assert out[0].isnan().any() and not out[1].isnan().any()
    assert not attention(q, k, v, lengths=[3, 5]).isnan().any()  # in the padding


BAD = [
    (dict(lengths=[22, 1, 1]), "22, expected 0 to 21"),
    (dict(lengths=[-1, 1, 1]), "-1, expected 0 to 21"),
    (dict(lengths=[1, 1]), "2 numbers, expected 3"),
    (dict(lengths=torch.tensor([1.0, 1, 1])), "expected integers"),
    (dict(lengths=[1, 1, 1], mask=torch.ones(B, L)), "expected one of them"),
    (dict(mask=torch.ones(B, L + 1)), "63|66 numbers"),
    (dict(mask=torch.ones(2, L)), "expected \\[3, tokens\\]"),
    (dict(cu_seqlens=[0, 3]), "expected \\[tokens, heads, head size\\]"),
    (dict(dropout=1.0), "dropout is 1"),
    (dict(cap=-1.0), "cap is -1"),
    (dict(window=-2), "window is -2"),
    (dict(scale=float("nan")), "scale is nan"),
    (dict(terms=Terms(by_distance=torch.zeros(H, 2 * L - 3))), "covers distances -19 to 19, expected at least -20"),
    (dict(terms=Terms(by_distance=torch.zeros(H, 2 * L))), "expected an odd number"),
    (dict(terms=Terms(by_distance=torch.zeros(H + 1, 2 * L - 1))), "shape \\[5, 41\\]"),
    (dict(terms=Terms(by_query=torch.zeros(2 * L - 1, D + 1))), "expected \\[slots, 8\\]"),
    (dict(terms=Terms(by_key=torch.zeros(3, D), key_slots=torch.full((2 * L - 1,), 3))), "expected 0 to 2"),
    (dict(terms=Terms(dense=torch.zeros(2, H, L, L))), "expected \\[1 or 3"),
]


@pytest.mark.parametrize("arguments, words", BAD)
def test_bad_arguments(arguments: dict[str, object], words: str) -> None:
    with pytest.raises((Error, ValueError, RuntimeError), match=words):
        attention(*projections(), **arguments)


def test_bad_tensors() -> None:
    q, k, v = (x.detach() for x in projections())
    for bad, words in (
        ((q.long(), k, v), "expected floating-point"),
        ((q, k.double(), v), "expected torch.float32 as q"),
        ((q, k.to("meta"), v), "expected cpu as q"),
        ((q[..., :3], k, v), "shape \\[63, 2, 8\\], expected \\[63, 2, 3\\]"),
        ((q, k[:, :, :0], v[:, :, :0]), "0 heads"),
        ((q[:, :, :3], k, v), "expected a divisor of the 3 heads"),
        ((q[0], k, v), "expected \\[batch, tokens, heads, head size\\]"),
        ((q, k[:2], v[:2]), "expected 3, the batch of q"),
        ((q, k[:, :5], v), "v has shape"),
    ):
        with pytest.raises((Error, ValueError), match=words):
            attention(*bad)
    with pytest.raises((Error, ValueError), match="at least one key per query"):
        attention(q, k[:, :5], v[:, :5], causal=True)
    with pytest.raises((Error, ValueError), match="expected to increase from 0 to 63 tokens"):
        attention(q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1), cu_seqlens=[0, 64])
