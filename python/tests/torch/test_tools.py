"""The operations inside the tools of torch: opcheck, gradcheck, compile, export, autocast, workers, torch.func."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from outputs import Outputs  # noqa: E402

from locus.torch import Rotation, Terms, attention, embed_norm, rotate  # noqa: E402
from locus.torch.attention_op import attention_backward_op, attention_op  # noqa: E402
from locus.torch.embed_norm import embed_norm_op  # noqa: E402
from locus.torch.rotate import rotate_op  # noqa: E402

H, G, D = 4, 2, 8


def arguments(dtype: torch.dtype = torch.float32, length: int = 5) -> list[torch.Tensor]:
    """q, k, v, by_distance, by_query, by_key and dense, of 2 rows."""
    generator = torch.Generator().manual_seed(length)
    shapes = [(2, length, H, D), (2, length, G, D), (2, length, G, D), (H, 2 * length - 1), (2 * length - 1, D)]
    shapes += [(2 * length - 1, H, D), (1, H, length, length)]
    return [torch.randn(s, generator=generator, dtype=dtype).requires_grad_() for s in shapes]  # type: ignore[call-overload]


def call(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *tables: torch.Tensor) -> torch.Tensor:
    lengths = torch.tensor([q.shape[1] - 2, q.shape[1]], dtype=torch.int32)
    return attention(q, k, v, lengths=lengths, terms=Terms(*tables), causal=True)


def test_gradcheck_on_the_reference() -> None:
    assert torch.autograd.gradcheck(call, arguments(torch.float64, 3))
    x = torch.randn(2, 3, 2, 6, dtype=torch.float64, requires_grad=True)
    cos, sin = torch.randn(2, 5, 2, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: rotate(x, Rotation(cos, sin, interleaved=True)), [x])
    assert torch.autograd.gradgradcheck(lambda x: rotate(x, Rotation(cos, sin)), [x])
    tables = [torch.randn(n, 4, dtype=torch.float64, requires_grad=True) for n in (5, 3, 2)]
    norm = [torch.randn(4, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    ids = torch.tensor([[1, 4, 1], [0, 2, 2]])

    def embed(t: torch.Tensor, p: torch.Tensor, s: torch.Tensor, *norm: torch.Tensor) -> torch.Tensor:
        return embed_norm(ids, t, positions=p, segments=s, gamma=norm[0], beta=norm[1], token_scale=1.5)

    assert torch.autograd.gradcheck(embed, [*tables, *norm])


def test_opcheck() -> None:
    q, k, v, *tables = arguments()
    tokens = [x.detach().flatten(0, 1).requires_grad_() for x in (q, k, v)]
    slots = torch.arange(9, dtype=torch.int32)
    lengths = torch.tensor([3, 5], dtype=torch.int32)
    rest = (slots, slots, lengths, None, None, None, 2, True, -1, 0.3, 0.0, True, 0, 0.0)
    torch.library.opcheck(attention_op, (*tokens, *tables, *rest, True))
    with torch.no_grad():
        out, sums = attention_op(*tokens, *tables, *rest, True)
        constants = [x.detach() for x in (*tokens, *tables)]
        wanted = [True, False, True, True, False, True, True]
        torch.library.opcheck(attention_backward_op, (torch.randn_like(out), out, sums, *constants, *rest, wanted))
    x, cos, sin = tokens[0], torch.randn(5, 4), torch.randn(5, 4)
    torch.library.opcheck(rotate_op, (x, cos, sin, torch.arange(10, dtype=torch.int32) % 5, False, False))
    table, gamma, beta = torch.randn(7, 6, requires_grad=True), torch.randn(6, requires_grad=True), torch.randn(6)
    ids = torch.tensor([3, 6, 0, 3], dtype=torch.int32)
    torch.library.opcheck(embed_norm_op, (table, None, None, ids, None, None, gamma, beta, None, 1e-5, False, 1.0, 0.0))


def test_compiled_has_the_same_bits() -> None:
    def step(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        cos = torch.cos(torch.arange(q.shape[1])[:, None] * torch.tensor([1.0, 0.1]))
        terms = Terms(by_distance=table * 2, rotation=Rotation(cos, (1 - cos * cos).sqrt()))
        return attention(q * 1.5, k, v, terms=terms, causal=True)

    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend="aot_eager")
    for length in (5, 9, 16):
        inputs = arguments(length=length)[:4]
        ours, expected = compiled(*inputs), step(*inputs)
        assert torch.equal(ours, expected)
        dout = torch.randn_like(ours)
        for a, b in zip(torch.autograd.grad(ours, inputs, dout), torch.autograd.grad(expected, inputs, dout)):
            assert torch.equal(a, b)


def test_compiled_dropout_draws_anew() -> None:
    compiled = torch.compile(lambda x: attention(x, x, x, dropout=0.5), fullgraph=True, backend="aot_eager")
    x = torch.randn(1, 6, 1, 4)
    assert not torch.equal(compiled(x), compiled(x))


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.project = torch.nn.Linear(H * D, 3 * H * D)
        self.table = torch.nn.Parameter(torch.randn(H, 127))

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        q, k, v = self.project(x).unflatten(-1, (3, H, D)).unbind(-3)
        return attention(q, k, v, lengths=lengths, terms=Terms(by_distance=self.table)).flatten(-2)


def test_export() -> None:
    layer, lengths = Layer(), torch.tensor([4, 7])
    length = torch.export.Dim("length", min=2, max=64)
    x = torch.randn(2, 7, H * D)
    program = torch.export.export(layer, (x, lengths), dynamic_shapes=({1: length}, None))
    longer = torch.randn(2, 11, H * D)
    torch.testing.assert_close(program.module()(longer, lengths), layer(longer, lengths))


def test_autocast() -> None:
    layer, lengths = Layer(), torch.tensor([4, 7])
    x = torch.randn(2, 7, H * D)
    with torch.autocast("cpu", torch.bfloat16):
        out = layer(x, lengths)
        mixed = attention(*[t.to(d) for t, d in zip(arguments()[:3], (torch.float32, torch.bfloat16, torch.bfloat16))])
    assert out.dtype == torch.bfloat16
    assert mixed.dtype == torch.float32
    torch.testing.assert_close(out.float(), layer(x, lengths), rtol=0.05, atol=0.05)
    out.float().sum().backward()
    assert layer.table.grad is not None and layer.table.grad.dtype == torch.float32


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers(start: str) -> None:
    expected = next(iter(Outputs()))
    loader = torch.utils.data.DataLoader(Outputs(), num_workers=2, batch_size=None, multiprocessing_context=start)
    for found in loader:
        assert torch.equal(found, expected)


def test_functional_transforms() -> None:
    q, k, v = (x.detach() for x in arguments()[:3])
    batched = torch.func.vmap(lambda q: attention(q, k, v))(torch.stack([q, -q]))
    assert torch.equal(batched, torch.stack([attention(q, k, v), attention(-q, k, v)]))
    for transform in (
        lambda: torch.func.grad(lambda q: attention(q, k, v).sum())(q),
        lambda: torch.func.jvp(lambda q: attention(q, k, v), (q,), (q,)),
        lambda: torch.func.jacrev(lambda x: rotate(x, Rotation(torch.ones(5, 2), torch.zeros(5, 2))))(q),
        lambda: torch.func.grad(lambda x: embed_norm(torch.tensor([0]), x).sum())(torch.ones(2, 3)),
    ):
        with pytest.raises(NotImplementedError, match="use torch.autograd.grad"):
            transform()


def test_second_derivatives_are_refused() -> None:
    q, k, v = arguments()[:3]
    (gradient,) = torch.autograd.grad(attention(q, k, v).square().sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="locus"):
        gradient.sum().backward()
