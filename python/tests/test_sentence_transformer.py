"""locus.SentenceTransformer. With sentence-transformers installed, its results are compared with the original."""

import os
from typing import Any

import numpy
import pytest
from golden import cases, folder

import locus

TEXTS = [case["text"] for case in cases("embed_last")]
PLACE = os.environ.get("LOCUS_MINILM", str(folder("embed_last")))


def test_names_and_defaults() -> None:
    model = locus.SentenceTransformer(folder("embed_last"))
    golden = cases("embed_last")
    assert model.get_sentence_embedding_dimension() == 12
    for case, query, document in zip(golden, model.encode_query(TEXTS), model.encode_document(TEXTS), strict=True):
        numpy.testing.assert_allclose(query, case["query"], atol=2e-6)
        numpy.testing.assert_allclose(document, case["document"], atol=2e-6)
    numpy.testing.assert_array_equal(model.encode_query(TEXTS[0]), model.encode(TEXTS[0], prompt_name="query"))
    numpy.testing.assert_array_equal(
        model.encode(TEXTS[0], prompt=model.prompts["query"]), model.encode(TEXTS[0], prompt_name="query")
    )
    short = model.encode(TEXTS, truncate_dim=5, normalize_embeddings=True)
    numpy.testing.assert_allclose(numpy.linalg.norm(short, axis=1), 1, rtol=1e-6)
    assert model.encode(TEXTS, precision="ubinary").dtype == numpy.uint8
    assert model.encode(TEXTS, precision="int8").min() == -128
    assert model.encode(["dog " * 500]).shape == (1, 12)
    assert numpy.asarray(model.similarity(short, short)).shape == (len(TEXTS), len(TEXTS))
    numpy.testing.assert_allclose(numpy.asarray(model.similarity_pairwise(short, short)), 1, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prompt_name": "none"}, "none"),
        ({"precision": "int4"}, "int4"),
        ({"precision": "int8"}, "one text"),
        ({"device": "cuda"}, "cuda"),
        ({"output_value": "token_embeddings"}, "token_embeddings"),
    ],
)
def test_bad_arguments_are_errors(options: dict[str, Any], words: str) -> None:
    with pytest.raises(locus.Error, match=words):
        locus.SentenceTransformer(folder("embed_last")).encode("x", **options)


def test_results_are_those_of_sentence_transformers() -> None:
    """On the folder that LOCUS_MINILM names, or else on a golden folder."""
    original = pytest.importorskip("sentence_transformers").SentenceTransformer(PLACE, device="cpu")
    model = locus.SentenceTransformer(PLACE)
    assert model.prompts == {name: text for name, text in original.prompts.items() if text}
    assert model.get_embedding_dimension() == original.get_embedding_dimension()
    texts = [text for text in TEXTS if text]
    for options in (
        {},
        {"normalize_embeddings": True},
        {"truncate_dim": 6},
        {"truncate_dim": 6, "normalize_embeddings": True},
        {"prompt": "query: "},
        {"convert_to_tensor": True},
    ):
        for method in ("encode", "encode_query", "encode_document"):
            found, expected = getattr(model, method)(texts, **options), getattr(original, method)(texts, **options)
            assert type(found) is type(expected) and found.shape == expected.shape
            numpy.testing.assert_allclose(numpy.asarray(found), numpy.asarray(expected), atol=2e-6)
    vectors = original.encode(texts)
    for precision in ("int8", "uint8", "binary", "ubinary"):
        found, expected = model.encode(texts, precision=precision), original.encode(texts, precision=precision)
        assert found.dtype == expected.dtype
        # A component that is at the edge of a bucket may be in the next one.
        assert (found != expected).mean() < 0.05
    numpy.testing.assert_allclose(model.similarity(vectors, vectors), original.similarity(vectors, vectors), atol=2e-6)
    numpy.testing.assert_allclose(
        model.similarity_pairwise(vectors, vectors[::-1].copy()),
        original.similarity_pairwise(vectors, vectors[::-1].copy()),
        atol=2e-6,
    )
