"""Schemes, their tables, and the position kernels on arrays, compared with numpy."""

from typing import Any

import numpy
import pytest

import locus

rng = numpy.random.default_rng(7)
H, L, D = 3, 9, 8


def made(name: str, **options: Any) -> locus.Scheme:
    return locus.scheme(name, heads=H, head_size=D, max_length=L, **options)


def attend(*shape: int, **options: Any) -> Any:
    """Attention with zeros of one shape."""
    zeros = numpy.zeros(shape)
    return locus.attention(zeros, zeros, zeros, **options)


def softmax(scores: Any) -> Any:
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def plain_scores(q: Any, k: Any, terms: dict[str, Any]) -> Any:
    """The scores [H, L, L] by the formula in the documentation of Scheme.terms()."""
    scale = terms.get("scale", D**-0.5)
    place = numpy.arange(L)[None, :] - numpy.arange(L)[:, None] + L - 1
    scores = scale * numpy.einsum("ihd,jhd->hij", q, k)
    if "by_distance" in terms:
        scores = scores + terms["by_distance"][:, place]
    if "by_query" in terms:
        vectors = numpy.broadcast_to(terms["by_query"].reshape(2 * L - 1, -1, D), (2 * L - 1, H, D))
        scores = scores + scale * numpy.einsum("ihd,ijhd->hij", q, vectors[place])
    if "by_key" in terms:
        vectors = numpy.broadcast_to(terms["by_key"].reshape(2 * L - 1, -1, D), (2 * L - 1, H, D))
        scores = scores + scale * numpy.einsum("jhd,ijhd->hij", k, vectors[place])
    if "dense" in terms:
        scores = scores + terms["dense"]
    return scores


@pytest.mark.parametrize("name", [one["name"] for one in locus.schemes()])
def test_terms_are_those_of_the_formula(name: str) -> None:
    scheme = made(name)
    terms = scheme.terms(L)
    assert scheme.info["name"] == name
    q, k, v = (rng.standard_normal((L, H, D)).astype(numpy.float32) for _ in range(3))
    if "cos" in terms:
        assert terms["cos"].shape == (L, terms["rotated"] // 2)
        return
    if "input" in terms:
        assert terms["input"].shape[0] == L
        return
    expected = numpy.einsum("hij,jhd->ihd", softmax(plain_scores(q, k, terms)), v)
    numpy.testing.assert_allclose(locus.attention(q, k, v, terms=terms), expected, atol=2e-6)
    assert bool(terms) == (name != "none")
    # One vector for all tokens.
    e = numpy.full((L, H, D), D**-0.25, numpy.float32)
    e *= (D**0.5 / numpy.einsum("ihd,ihd->ih", e, e))[..., None] ** 0.5
    assert scheme.scores(L).shape == (H, L, L)
    if name in ("alibi", "t5", "kerple"):
        numpy.testing.assert_allclose(scheme.scores(L), plain_scores(e, e, terms), atol=1e-5)


def test_alibi_has_its_slopes() -> None:
    table = locus.scheme("alibi", heads=8, head_size=4).terms(5)["by_distance"]
    expected = -(2.0 ** -numpy.arange(1, 9))[:, None] * numpy.abs(numpy.arange(-4, 5))
    numpy.testing.assert_allclose(table, expected, rtol=1e-6)


def test_rotation_turns_pairs() -> None:
    scheme = made("rotary", base=500, pairs="halves")
    positions = [3, 0, 7]
    x = rng.standard_normal((3, H, D)).astype(numpy.float32)
    turned = locus.rotate(x, positions, scheme)
    angles = numpy.outer(positions, 500.0 ** (-2 * numpy.arange(D // 2) / D))[:, None, :]
    a, b = x[..., : D // 2], x[..., D // 2 :]
    expected = numpy.concatenate(
        [a * numpy.cos(angles) - b * numpy.sin(angles), b * numpy.cos(angles) + a * numpy.sin(angles)], -1
    )
    numpy.testing.assert_allclose(turned, expected, atol=1e-5)
    terms = scheme.terms(8)
    assert not terms["interleaved"]
    numpy.testing.assert_allclose(terms["cos"][7], numpy.cos(angles[2, 0]), atol=1e-6)


def test_attention_reads_packed_sequences() -> None:
    lengths = [4, 5]
    q = rng.standard_normal((9, 4, D)).astype(numpy.float32)
    k, v = (rng.standard_normal((9, 2, D)).astype(numpy.float32) for _ in range(2))
    both = locus.attention(q, k, v, lengths, causal=True)
    first = locus.attention(q[:4], k[:4], v[:4], causal=True)
    second = locus.attention(q[4:], k[4:], v[4:], causal=True)
    numpy.testing.assert_array_equal(both, numpy.concatenate([first, second]))
    scores = D**-0.5 * numpy.einsum("ihd,jhd->hij", q[:4], numpy.repeat(k[:4], 2, 1))
    scores[:, numpy.arange(4)[:, None] < numpy.arange(4)] = -numpy.inf
    expected = numpy.einsum("hij,jhd->ihd", softmax(scores), numpy.repeat(v[:4], 2, 1))
    numpy.testing.assert_allclose(first, expected, atol=2e-6)
    cross = locus.attention(q[:3], k, v, [1, 2], key_lengths=[4, 5])
    numpy.testing.assert_allclose(cross[:1], locus.attention(q[:1], k[:4], v[:4], [1], key_lengths=[4]), atol=0)


def test_embed_norm_adds_rows_and_normalizes() -> None:
    tokens, rows = rng.standard_normal((20, D)).astype(numpy.float32), rng.standard_normal((6, D))
    ids = [4, 19, 0]
    summed = tokens[ids] + rows[:3]
    numpy.testing.assert_allclose(locus.embed_norm(ids, tokens, positions=rows), summed, atol=1e-6)
    normed = locus.embed_norm(ids, tokens, positions=rows, gamma=numpy.ones(D), beta=numpy.zeros(D), eps=1e-5)
    centered = summed - summed.mean(-1, keepdims=True)
    expected = centered / numpy.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)
    numpy.testing.assert_allclose(normed, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: locus.scheme("rotery"), "rotary"),
        (lambda: locus.scheme("rotary", bass=3), "bass"),
        (lambda: locus.scheme("t5", heads=0), "heads"),
        (lambda: made("t5").terms(0), "length: got 0"),
        (lambda: made("learned").terms(L + 1), str(L)),
        (lambda: locus.rotate(numpy.zeros((2, H, D)), [1], made("rotary")), "1 positions"),
        (lambda: locus.rotate(numpy.zeros((1, H, D)), [-1], made("rotary")), "-1"),
        (lambda: locus.rotate(numpy.zeros((1, H, D)), [0], made("alibi")), "rotates nothing"),
        (lambda: locus.attention(numpy.zeros((2, H, D)), numpy.zeros((2, H, D)), numpy.zeros((3, H, D))), "v"),
        (lambda: attend(2, D), "shape"),
        (lambda: attend(2, H, D, lengths=[1]), "starts"),
        (lambda: attend(2, H, D, lengths=[-2, 4]), "-2"),
        (lambda: attend(9, H, D, terms={"by_distance": numpy.zeros((H, 3))}), "by_distance"),
        (lambda: attend(2, H, D, terms={"by_distance": "no"}), "by_distance"),
        (lambda: attend(2, H, D, terms={"by_query": numpy.zeros((3, 2, D))}), "by_query"),
        (lambda: attend(2, H, D, terms={"dense": numpy.zeros((H, 2, 3))}), "dense"),
        (lambda: attend(2, H, D, terms=made("rotary").terms(2)), "rotate"),
        (lambda: locus.embed_norm([3], numpy.zeros((3, D))), "3"),
        (lambda: locus.embed_norm([0], numpy.zeros(D)), "tokens"),
        (lambda: locus.explain("no word twice"), "at least twice"),
        (lambda: locus.explain(scheme="t5", model="x"), "expected them or model"),
    ],
)
def test_bad_arguments_are_errors(call: Any, words: str) -> None:
    with pytest.raises(locus.Error, match=words):
        call()


def test_schemes_and_explanations_show_themselves() -> None:
    shown = made("alibi")._repr_html_()
    assert shown.startswith("<iframe") and "&lt;svg" in shown
    assert "Press" in made("alibi").page(16)
    explained = locus.explain(scheme="none")
    assert explained.cosines[-1] == pytest.approx(1, abs=1e-6)
    assert explained._repr_html_().startswith("<iframe")
    assert locus.explain(scheme="learned").cosines[-1] < 0.999
