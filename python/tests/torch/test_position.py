"""locus.torch.Position: every scheme as a module."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")

from locus import Error  # noqa: E402
from locus.torch import Position, Terms, attention  # noqa: E402
from locus.torch.position import position_terms_op  # noqa: E402

H, D, L = 2, 4, 6
SCHEMES = ["none", "learned", "sinusoidal", "rotary", "xpos", "alibi", "t5", "kerple", "shaw", "transformer_xl",
           "deberta", "fire", "learned+t5"]  # fmt: skip
OPTIONS = {"deberta": dict(buckets=4, max_distance=5), "fire": dict(hidden=3), "shaw": dict(max_distance=2)}


def make(name: str, **more: object) -> Position:
    options = {"max_length": 8, "seed": 1, "layers": 2, **OPTIONS.get(name, {}), **more}
    return Position(name, H, D, **options)  # type: ignore[arg-type]


def weights(name: str, dtype: torch.dtype = torch.float32) -> dict[str, torch.Tensor]:
    if name != "deberta":
        return {}
    generator = torch.Generator().manual_seed(0)
    return {
        f"{side}_{part}": torch.randn(shape, generator=generator, dtype=dtype).requires_grad_()
        for side in ("query", "key")
        for part, shape in (("weight", (H * D, H * D)), ("bias", (H * D,)))
    }


def tensors(terms: Terms) -> list[torch.Tensor]:
    found = [terms.input, terms.by_distance, terms.by_query, terms.by_key, terms.dense]
    return [x for x in found if x is not None and x.requires_grad]


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_trains(name: str) -> None:
    position, extra = make(name), weights(name)
    q, k, v = torch.randn(3, 1, L, H, D)
    losses = []
    for layer in (0, 1):
        terms = position(L, layer=layer, **extra)
        x = q if terms.input is None else q + terms.input.reshape(1, L, H, D)
        losses.append(attention(x, k, v, lengths=[L - 1], terms=terms).square().sum())
    parameters = [*position.parameters(), *extra.values()]
    assert bool(parameters) == (name not in ("none", "sinusoidal", "rotary", "xpos", "alibi"))
    if parameters:
        sum(losses).backward()  # type: ignore[union-attr]
        for parameter in parameters:
            assert parameter.grad is not None and parameter.grad.isfinite().all()
        assert any(parameter.grad.any() for parameter in parameters if parameter.grad is not None)


@pytest.mark.parametrize("name", ["learned", "t5", "kerple", "shaw", "transformer_xl", "deberta", "fire", "learned+t5"])
def test_gradients_of_parameters(name: str) -> None:
    position, extra = make(name, dtype=torch.float64), weights(name, torch.float64)
    inputs = [p.detach().clone().requires_grad_() for p in position.parameters()]
    names = [n for n, _ in position.named_parameters()]

    def tables(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        own = dict(zip(names, values[: len(names)]))
        more = dict(zip(extra, values[len(names) :]))
        terms = torch.func.functional_call(position, own, (4,), {"layer": 1, **more})
        return tuple(tensors(terms))

    assert torch.autograd.gradcheck(tables, [*inputs, *extra.values()], eps=1e-5, atol=1e-6)


def test_alibi_and_rotary_have_their_formulas() -> None:
    table = make("alibi")(L).by_distance
    distances = torch.arange(1 - L, L).abs()
    torch.testing.assert_close(table, -torch.tensor([[2.0**-4], [2.0**-8]]) * distances)
    rotation = make("rotary")(L).rotation
    angles = torch.arange(L)[:, None] * torch.tensor([1.0, 10000.0**-0.5])
    torch.testing.assert_close(rotation.cos, angles.cos())
    torch.testing.assert_close(rotation.sin, angles.sin())
    assert not rotation.interleaved and make("rotary", pairs="interleaved")(L).rotation.interleaved


def test_state_dict_has_the_names_of_locus() -> None:
    assert list(make("t5").state_dict()) == ["table"]
    assert list(make("shaw").state_dict()) == ["layer.0.table", "layer.1.table"]
    first, second = make("fire", seed=1), make("fire", seed=2)
    assert not torch.equal(first(L).dense, second(L).dense)
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(L).dense, second(L).dense)
    assert torch.equal(copy.deepcopy(first)(L).dense, first(L).dense)
    assert "hidden=3" in repr(first)


def test_seeds_come_from_torch() -> None:
    tables = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        tables.append(Position("t5", H, D).table)
    assert torch.equal(tables[0], tables[1]) and not torch.equal(tables[0], tables[2])


@pytest.mark.parametrize("name", ["t5", "rotary", "shaw", "fire", "learned"])
def test_compiled(name: str) -> None:
    position = make(name)
    x = torch.randn(1, 5, H, D)

    def step(x: torch.Tensor) -> torch.Tensor:
        terms = position(x.shape[1])
        return attention(x, x, x, terms=terms) + (0 if terms.input is None else terms.input.view(x.shape))

    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend="aot_eager")
    for length in (5, 7, 8):
        x = torch.randn(1, length, H, D)
        ours, expected = compiled(x), step(x)
        torch.testing.assert_close(ours, expected, rtol=0, atol=0)
        if expected.requires_grad:
            a = torch.autograd.grad(ours.sum(), list(position.parameters()))
            b = torch.autograd.grad(expected.sum(), list(position.parameters()))
            assert all(torch.equal(x, y) for x, y in zip(a, b))


def test_opcheck() -> None:
    position = make("t5")
    key = position._keys[False]
    values = [*position.parameters(), *[torch.empty(0)] * 4]
    torch.library.opcheck(position_terms_op, (values, key, 5, 0))


def test_bad_arguments() -> None:
    for arguments, words in (
        (dict(scheme="t6"), "unknown scheme 't6'"),
        (dict(scheme="t5", bucket=3), "bucket"),
        (dict(scheme="t5", buckets=3), "buckets is 3"),
        (dict(scheme="t5", heads=0), "geometry.width is 0|geometry.heads is 0"),
        (dict(scheme="t5", dtype=torch.bfloat16), "expected float32 or float64"),
    ):
        with pytest.raises((Error, ValueError), match=words):
            Position(**{"heads": H, "head_size": D, **arguments})
    with pytest.raises((Error, ValueError), match="length is 0"):
        make("t5")(0)
    with pytest.raises((Error, ValueError), match="no query and key weights"):
        make("deberta")(L)
    with pytest.raises((Error, ValueError), match="layer 2"):
        make("shaw")(L, layer=2)
    with pytest.raises((Error, ValueError), match="query_weight has shape"):
        make("deberta")(L, query_weight=torch.zeros(2, 2), key_weight=torch.zeros(H * D, H * D))
    with pytest.raises((Error, ValueError)):
        make("learned")(9)
