"""Models applied to texts, compared with the golden results of transformers."""

import asyncio
import pathlib
import pickle
import shutil
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from golden import cases, folder

import locus


def test_embeddings_equal_those_of_transformers() -> None:
    embedder = locus.Embedder(folder("embed"))
    golden = cases("embed")
    texts = [case["text"] for case in golden]
    vectors = embedder.encode(texts)
    assert vectors.dtype == numpy.float32
    assert vectors.shape == (len(texts), embedder.width)
    expected = numpy.array([case["mean"] for case in golden])
    expected /= numpy.linalg.norm(expected, axis=1, keepdims=True)
    scaled = vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)
    numpy.testing.assert_allclose(scaled, expected, atol=2e-6)
    numpy.testing.assert_array_equal(embedder.encode(texts[0]), vectors[0])
    assert embedder.encode(texts[0], convert_to="list") == vectors[0].tolist()


def test_a_purpose_selects_the_prompt() -> None:
    embedder = locus.Embedder(folder("embed_last"))
    case = cases("embed_last")[0]
    for purpose in embedder.prompts:
        numpy.testing.assert_allclose(embedder.encode(case["text"], prompt=purpose), case[purpose], atol=2e-6)
    numpy.testing.assert_allclose(embedder.encode(case["text"], purpose="query"), case["query"], atol=2e-6)
    short = embedder.encode(case["text"], purpose="query", dimensions=4)
    part = numpy.array(case["query"][:4])
    numpy.testing.assert_allclose(short, part / numpy.linalg.norm(part), atol=2e-6)


def test_similarity_is_the_cosine() -> None:
    a = numpy.array([[1, 0], [3, 4]], numpy.float32)
    b = numpy.array([[2, 0], [0, 1], [0, 0]], numpy.float32)
    numpy.testing.assert_allclose(locus.similarity(a, b), numpy.array([[1, 0, 0], [0.6, 0.8, 0]]), atol=1e-6)
    numpy.testing.assert_allclose(locus.similarity([1.0, 0.0], a[:, ::-1]), [[0, 0.8]], atol=1e-6)


def test_classes_equal_those_of_transformers() -> None:
    classifier = locus.Classifier(folder("classify"))
    golden = [case for case in cases("classify") if "pair" not in case and "text_pair" not in case]
    found = classifier([case["text"] for case in golden])
    for one, case in zip(found, golden, strict=True):
        assert one.scores == pytest.approx(case["scores"], abs=2e-6)
        assert one.label == max(case["scores"], key=case["scores"].get)
        assert one.score == max(one.scores.values())
    assert list(classifier(golden[0]["text"], top_k=2).scores) == list(found[0].scores)[:2]
    assert classifier([("a", "b")])[0].scores.keys() == found[0].scores.keys()


def test_zero_shot_equals_transformers() -> None:
    classifier = locus.Classifier(folder("entail"))
    case = cases("entail")[0]
    found = classifier.zero_shot(case["text"], list(case["chosen"]), claim="it is {} .")
    assert found.scores == pytest.approx(case["chosen"], abs=2e-6)


def test_spans_equal_those_of_transformers() -> None:
    for case, spans in zip(cases("tag"), locus.Tagger(folder("tag"))([case["text"] for case in cases("tag")]), strict=True):
        assert [(s.label, s.start, s.end) for s in spans] == [(s["label"], s["start"], s["end"]) for s in case["spans"]]
        assert all(s.text == case["text"][s.start : s.end] for s in spans)


def test_masks_equal_those_of_transformers() -> None:
    filler = locus.Filler(folder("fill"))
    for case in cases("fill"):
        masks = filler(case["text"], top_k=4)
        for mask, expected in zip(masks, case["masks"], strict=True):
            assert case["text"][mask.start : mask.end] == filler.mask
            assert [(one.id, one.token) for one in mask.best] == [(one["id"], one["token"]) for one in expected]


def test_answers_equal_those_of_transformers() -> None:
    answerer = locus.Answerer(folder("answer"))
    for case in cases("answer"):
        found = answerer(case["question"], case["context"], window=case["window"], overlap=case["stride"])
        assert found.found == (case["answer"] is not None)
        assert found.score == pytest.approx(case["score"], abs=2e-6)
        if found.found:
            assert (found.text, found.start, found.end) == (case["answer"], case["start"], case["end"])


def test_generated_texts_equal_those_of_transformers() -> None:
    writer = locus.Writer(folder("write"))
    for case in cases("write"):
        found = writer.generate(case["prompt"], max_tokens=12, repetition_penalty=1.3)
        assert found.text == case["text"]
        pieces = list(writer.generate(case["prompt"], max_tokens=12, repetition_penalty=1.3, stream=True))
        assert "".join(text for _, text in pieces) == found.text
    both = writer.generate([case["prompt"] for case in cases("write")], max_tokens=4, temperature=1, seed=3)
    assert both == writer.generate([case["prompt"] for case in cases("write")], max_tokens=4, temperature=1, seed=3)
    assert both[0].finish_reason == "length"


def test_translations_equal_those_of_transformers() -> None:
    for case in cases("translate"):
        assert locus.Writer(folder("translate")).translate(case["text"], beams=1) == case["greedy"]
    case = cases("languages")[0]
    assert locus.Writer(folder("languages")).translate(case["text"], source=case["from"], target=case["to"]) == (
        case["translation"]
    )


def test_offsets_are_in_characters() -> None:
    tokenizer = locus.Tokenizer(folder("tag"))
    text = "who is it? é 狗 dogs ran."
    encoding = tokenizer.encode(text, offsets=True)
    assert encoding.ids == tokenizer.encode(text)
    assert tokenizer.encode([text, text]) == [encoding.ids, encoding.ids]
    dog = next(span for span in encoding.offsets if text[slice(*span)] == "狗")
    assert dog == (13, 14)
    plain = tokenizer.encode(text, special_tokens=False)
    assert len(plain) < len(encoding.ids)
    assert tokenizer.decode(plain) == tokenizer.decode(numpy.array(plain)) != ""
    assert len(tokenizer.encode(text, max_tokens=3)) == 3
    assert tokenizer.encode((text, text), offsets=True).segments.count(1) > 0
    assert tokenizer.special_tokens["[CLS]"] == encoding.ids[0] < len(tokenizer)


def test_a_model_gives_states_and_logits() -> None:
    model = locus.open_model(folder("classify"))
    ids = locus.Tokenizer(folder("classify")).encode(["The dog chased the ball.", "It ran!"])
    both = model(ids)
    alone = model([ids[1]], output=["logits"])
    numpy.testing.assert_array_equal(both["logits"][1], alone["logits"][0])
    assert list(alone) == ["logits"]
    assert both["hidden"].shape == (2, max(map(len, ids)), model.facts["width"])
    assert not both["hidden"][1, len(ids[1]) :].any()
    scores = numpy.exp(both["logits"][0]) / numpy.exp(both["logits"][0]).sum()
    assert scores == pytest.approx(list(cases("classify")[0]["scores"].values()), abs=0.9)
    trained = model(ids, labels=numpy.array([0, 1]), gradients=True)
    assert numpy.isfinite(trained["loss"]) and any(name.startswith("grad.") for name in trained)


def test_models_can_be_saved(tmp_path: Any) -> None:
    model = locus.open_model(folder("classify"))
    model.save(tmp_path / "copy")
    ids = numpy.array([[2, 5, 3]])
    numpy.testing.assert_array_equal(locus.open_model(tmp_path / "copy")(ids)["logits"], model(ids)["logits"])
    length = model.facts["max_length"] * 2
    longer = model.stretch(length, tmp_path / "longer", "repeat")
    assert longer.facts["max_length"] == length


@pytest.mark.parametrize(
    "make",
    [
        lambda: locus.Embedder(folder("embed")),
        lambda: locus.Classifier(folder("classify")),
        lambda: locus.Writer(folder("write")),
        lambda: locus.Tokenizer(folder("tag")),
        lambda: locus.open_model(folder("classify")),
    ],
)
def test_objects_are_pickled_by_their_folder(make: Callable[[], object]) -> None:
    one = make()
    assert type(pickle.loads(pickle.dumps(one))) is type(one)


def chat_folder(place: pathlib.Path) -> pathlib.Path:
    """A model folder with a chat template that writes each message in a line."""
    copy = place / "chat"
    shutil.copytree(folder("write"), copy)
    (copy / "chat_template.jinja").write_text(
        "{% for message in messages %}{{ message.role }} {{ message.content }} {% endfor %}{{ mood }}"
    )
    return copy


def test_a_chat_is_the_text_of_its_template(tmp_path: pathlib.Path) -> None:
    writer = locus.Writer(chat_folder(tmp_path))
    messages = [{"role": "user", "content": "the dog"}]
    answer = writer.chat(messages, max_tokens=5)
    assert answer == writer.generate("user the dog ", max_tokens=5)
    assert writer.chat(messages, max_tokens=5, variables={"mood": "ran"}) != answer
    with writer.chat(messages, max_tokens=5, stream=True) as stream:
        assert "".join(text for _, text in stream) == answer.text
    with pytest.raises(locus.Error, match="role"):
        writer.chat([{"content": "x"}])
    with pytest.raises(locus.Error, match="JSON"):
        writer.chat([{"role": "user", "content": object()}])
    with pytest.raises(FileNotFoundError, match="template"):
        locus.Writer(folder("write")).chat(messages)


def test_streams_can_be_read_asynchronously() -> None:
    writer = locus.Writer(folder("write"))

    async def read(prompt: str) -> str:
        with writer.generate(prompt, max_tokens=6, stream=True) as stream:
            return "".join([text async for _, text in stream])

    async def read_all() -> list[str]:
        return list(await asyncio.gather(read("the dog"), read("it")))

    expected = [one.text for one in writer.generate(["the dog", "it"], max_tokens=6)]
    assert asyncio.run(read_all()) == expected
