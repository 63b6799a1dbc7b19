#!/usr/bin/env python3
"""Clients of other projects against `locus serve`, the programs of docs/serve.md, and 64 clients together, whose vectors
equal those of `locus embed` in all bits.

    serve_clients.py LOCUS ROOT [NAME]

Creates the virtual environment ROOT/build/python/clients, which needs the network once. Prints the versions, then one
line per test whose name contains NAME. The models are golden folders of the tests.
"""

import asyncio
import base64
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

PACKAGES = ["openai", "langchain-openai", "langchain-huggingface", "llama-index-embeddings-openai-like",
            "huggingface_hub", "httpx", "numpy"]
TEMPLATE = "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}{% if add_generation_prompt %}it {% endif %}"
WORDS = "the dog chased a ball it ran who sat cat . !".split()


def enter_environment(root):
    place = root / "build/python/clients"
    if pathlib.Path(sys.prefix).resolve() == place.resolve():
        return
    made = place / "made"
    if not made.exists() or made.read_text() != " ".join(PACKAGES):
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([str(place / "bin/pip"), "install", "-q", "--disable-pip-version-check", "--only-binary",
                        ":all:", *PACKAGES], check=True)
        made.write_text(" ".join(PACKAGES))
    os.execv(place / "bin/python", [str(place / "bin/python"), *sys.argv])


class Server:
    """`locus serve FOLDER` until the end of a with block."""

    def __init__(self, folder, *options, port=0):
        self.log = tempfile.NamedTemporaryFile("r+")
        self.process = subprocess.Popen([LOCUS, "serve", str(folder), "--port", str(port), *options],
                                        stdin=subprocess.DEVNULL, stderr=self.log)
        for _ in range(1500):
            found = re.search(r"ready on (http://\S+)", pathlib.Path(self.log.name).read_text())
            if found:
                self.url = found.group(1)
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError(f"no start: {pathlib.Path(self.log.name).read_text()}")

    def port(self):
        return int(self.url.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait()


def text_of(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words))


def expected_vectors(folder, texts):
    import numpy
    with tempfile.TemporaryDirectory() as scratch:
        lines, out = pathlib.Path(scratch) / "lines.txt", pathlib.Path(scratch) / "out.npy"
        lines.write_text("\n".join(texts) + "\n")
        subprocess.run([LOCUS, "embed", str(folder), "--file", str(lines), "--out", str(out)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return numpy.load(out)


def expect_bits(vectors, texts, folder=None):
    import numpy
    got, expected = numpy.array(vectors, numpy.float32), expected_vectors(folder or EMBED, texts)
    assert got.shape == expected.shape, f"{got.shape}, expected {expected.shape}"
    assert got.tobytes() == expected.tobytes(), f"largest difference {abs(got - expected).max()}"


TEXTS = ["The dog chased the ball.", "It ran!", "the cat sat"]


def test_curl():
    with Server(EMBED) as server:
        answer = subprocess.run(["curl", "-sS", server.url + "/v1/embeddings", "-H", "content-type: application/json",
                                 "-d", json.dumps({"input": TEXTS})], check=True, capture_output=True).stdout
        expect_bits([item["embedding"] for item in json.loads(answer)["data"]], TEXTS)


def test_openai_embeddings():
    import openai
    with Server(EMBED) as server:
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="none")
        for options in ({}, {"encoding_format": "float"}, {"encoding_format": "base64"}):
            answer = client.embeddings.create(model="embed", input=TEXTS, **options)
            vectors = [item.embedding for item in answer.data]
            if options.get("encoding_format") == "base64":
                import numpy
                vectors = [numpy.frombuffer(base64.b64decode(text), numpy.float32) for text in vectors]
            expect_bits(vectors, TEXTS)
        assert answer.usage.prompt_tokens > 0
        assert [model.id for model in client.models.list()] == ["embed"]
        try:
            client.embeddings.create(model="embed", input=["the dog " * 100])
            raise AssertionError("a text that is too long was accepted")
        except openai.BadRequestError as error:
            assert error.code == "context_length_exceeded", error
        try:
            client.chat.completions.create(model="embed", messages=[{"role": "user", "content": "hi"}])
            raise AssertionError("an embedding model chats")
        except openai.NotFoundError as error:
            assert "/v1/embeddings" in str(error), error


def test_openai_embeddings_async():
    import openai

    async def ask():
        async with openai.AsyncOpenAI(base_url=server.url + "/v1", api_key="none") as client:
            answers = await asyncio.gather(*[client.embeddings.create(model="embed", input=[t]) for t in TEXTS])
            return [answer.data[0].embedding for answer in answers]

    with Server(EMBED) as server:
        expect_bits(asyncio.run(ask()), TEXTS)


def test_openai_completions():
    import openai
    with Server(WRITE) as server:
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="none")
        options = {"model": "write", "prompt": "the dog", "max_tokens": 8, "temperature": 0}
        whole = client.completions.create(**options)
        pieces = list(client.completions.create(stream=True, stream_options={"include_usage": True}, **options))
        assert "".join(p.choices[0].text for p in pieces if p.choices) == whole.choices[0].text
        assert pieces[-1].usage.completion_tokens == whole.usage.completion_tokens
        sampled = [client.completions.create(**{**options, "temperature": 1, "seed": 7}).choices[0].text for _ in "ab"]
        assert sampled[0] == sampled[1], sampled


def test_openai_chat():
    import openai

    async def stream():
        async with openai.AsyncOpenAI(base_url=server.url + "/v1", api_key="none") as client:
            events = await client.chat.completions.create(stream=True, **options)
            return "".join([event.choices[0].delta.content or "" async for event in events])

    with Server(CHAT) as server:
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="none")
        options = {"model": "chat", "messages": [{"role": "user", "content": "the dog"}], "max_tokens": 8,
                   "temperature": 0}
        whole = client.chat.completions.create(**options)
        assert whole.choices[0].finish_reason in ("stop", "length"), whole
        pieces = client.chat.completions.create(stream=True, **options)
        assert "".join(p.choices[0].delta.content or "" for p in pieces) == whole.choices[0].message.content
        assert asyncio.run(stream()) == whole.choices[0].message.content


def test_langchain_openai_chat():
    from langchain_openai import ChatOpenAI
    with Server(CHAT) as server:
        chat = ChatOpenAI(base_url=server.url + "/v1", api_key="none", model="chat", max_tokens=8, temperature=0)
        whole = chat.invoke("the dog").content
        assert "".join(piece.content for piece in chat.stream("the dog")) == whole
        assert asyncio.run(chat.ainvoke("the dog")).content == whole


def test_langchain_openai_texts():
    from langchain_openai import OpenAIEmbeddings
    with Server(EMBED) as server:
        embeddings = OpenAIEmbeddings(base_url=server.url + "/v1", api_key="none", model="embed",
                                      check_embedding_ctx_length=False)
        expect_bits(embeddings.embed_documents(TEXTS), TEXTS)
        expect_bits([embeddings.embed_query(TEXTS[0])], TEXTS[:1])
        expect_bits(asyncio.run(embeddings.aembed_documents(TEXTS)), TEXTS)


def test_langchain_openai_token_ids():
    """By default it sends ids of OpenAI's vocabulary. They must be refused, not embedded as other words."""
    import llama_index.core
    import openai
    from langchain_openai import OpenAIEmbeddings
    static = pathlib.Path(llama_index.core.__file__).parent / "_static/tiktoken_cache"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(static)  # this package has OpenAI's vocabulary
    for options in ([], ["--no-token-ids"]):
        with Server(EMBED, *options) as server:
            embeddings = OpenAIEmbeddings(base_url=server.url + "/v1", api_key="none", model="embed")
            try:
                embeddings.embed_documents(TEXTS)
                raise AssertionError("ids of another vocabulary were accepted")
            except openai.BadRequestError as error:
                assert "check_embedding_ctx_length" in str(error) or options, error
                print("   ", error.body["message"])


def test_langchain_huggingface():
    import numpy
    from huggingface_hub import AsyncInferenceClient, InferenceClient
    from langchain_huggingface import HuggingFaceEndpoint, HuggingFaceEndpointEmbeddings
    with Server(EMBED) as server:
        embeddings = HuggingFaceEndpointEmbeddings(model="any/name")  # refuses a URL here
        embeddings.client = InferenceClient(model=server.url)
        embeddings.async_client = AsyncInferenceClient(model=server.url)
        expected = expected_vectors(EMBED, TEXTS)
        expected /= numpy.linalg.norm(expected, axis=1, keepdims=True)
        for vectors in (embeddings.embed_documents(TEXTS), asyncio.run(embeddings.aembed_documents(TEXTS))):
            assert abs(numpy.array(vectors) - expected).max() < 1e-6  # the route normalizes, as TEI's
    with Server(WRITE) as server:
        writer = HuggingFaceEndpoint(endpoint_url=server.url, max_new_tokens=4, do_sample=False, typical_p=None)
        assert writer.invoke("the dog")


def test_llama_index():
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding
    with Server(EMBED) as server:
        embedding = OpenAILikeEmbedding(model_name="embed", api_base=server.url + "/v1", api_key="none")
        expect_bits(embedding.get_text_embedding_batch(TEXTS), TEXTS)
        expect_bits([embedding.get_query_embedding(TEXTS[0])], TEXTS[:1])
        expect_bits(asyncio.run(embedding.aget_text_embedding_batch(TEXTS)), TEXTS)


def test_inference_client_embeddings():
    from huggingface_hub import AsyncInferenceClient, InferenceClient
    with Server(EMBED) as server:
        client = InferenceClient(model=server.url)
        expect_bits([client.feature_extraction(text, normalize=False)[0] for text in TEXTS], TEXTS)
        assert len(client.sentence_similarity("the dog", other_sentences=TEXTS)) == len(TEXTS)
        answer = asyncio.run(AsyncInferenceClient(model=server.url).feature_extraction(TEXTS[0], normalize=False))
        expect_bits(answer, TEXTS[:1])


def test_inference_client_classes():
    from huggingface_hub import InferenceClient
    with Server(GOLDEN / "classify") as server:
        found = InferenceClient(model=server.url).text_classification("The dog chased the ball.")
        assert {item.label for item in found} == {"bad", "fair", "good"} and found[0].label == "bad", found
    with Server(GOLDEN / "entail") as server:
        found = InferenceClient(model=server.url).zero_shot_classification("the dog ran", ["dog", "cat"])
        assert abs(sum(item.score for item in found) - 1) < 1e-6, found
    with Server(GOLDEN / "tag") as server:
        found = InferenceClient(model=server.url).token_classification("The dog chased the ball.")
        assert (found[0].start, found[0].end, found[0].entity_group) == (0, 3, "PER"), found
    with Server(GOLDEN / "fill") as server:
        found = InferenceClient(model=server.url).fill_mask("The [MASK] sat.")
        assert len(found) == 5 and found[0].token_str, found
    with Server(GOLDEN / "answer") as server:
        found = InferenceClient(model=server.url).question_answering(question="who?", context="the dog ran.")
        assert isinstance(found.answer, str), found


def test_inference_client_text():
    from huggingface_hub import InferenceClient
    with Server(GOLDEN / "translate") as server:
        assert InferenceClient(model=server.url).translation("It ran!").translation_text
        assert InferenceClient(model=server.url).summarization("It ran!").summary_text
    with Server(WRITE) as server:
        assert InferenceClient(model=server.url).text_generation("the dog", max_new_tokens=4)
    with Server(CHAT) as server:
        client = InferenceClient(model=server.url)
        options = {"messages": [{"role": "user", "content": "the dog"}], "max_tokens": 6, "temperature": 0}
        whole = client.chat_completion(**options).choices[0].message.content
        pieces = client.chat_completion(stream=True, **options)
        assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == whole


def test_guide():
    """The Python programs of docs/serve.md."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/serve.md").read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        with Server(CHAT if "chat.completions" in block else EMBED) as server:
            program = block.replace("http://127.0.0.1:8080", server.url)
            assert program != block, "the server's address is not in the program"
            assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout.strip()


def test_sixty_four_clients():
    """Clients leave before the answer and try again; the server is killed and started again at the same port."""
    import httpx
    rng = random.Random(5)
    clients = [[[text_of(rng, rng.randint(1, 30)) for _ in range(rng.choice([1, 2, 7, 40]))] for _ in range(6)]
               for _ in range(64)]
    left, failed, finished = 0, 0, 0

    async def ask(number, http, body):
        nonlocal left, failed
        own = random.Random(number)
        while True:
            leaves = own.random() < 0.3
            try:
                request = http.post(f"{server.url}/v1/embeddings", json=body, timeout=60)
                answer = await (asyncio.wait_for(request, own.random() * 0.05) if leaves else request)
                if answer.status_code == 200:
                    return [item["embedding"] for item in answer.json()["data"]]
                assert answer.status_code in (429, 503), answer.text
            except asyncio.TimeoutError:
                left += 1
            except httpx.TransportError:
                failed += 1
            await asyncio.sleep(own.random() * 0.1)

    async def run(number, requests):
        nonlocal finished
        async with httpx.AsyncClient() as http:
            answers = []
            for texts in requests:
                answers.append(await ask(number, http, {"input": texts}))
                finished += 1
            return answers

    async def all_of():
        nonlocal server
        running = [asyncio.create_task(run(i, requests)) for i, requests in enumerate(clients)]
        while finished < 100:
            await asyncio.sleep(0.01)
        port = server.port()
        server.kill()
        await asyncio.sleep(0.3)
        server = Server(EMBED, "--log", "none", "--max-per-address", "1000", port=port)
        return await asyncio.gather(*running)

    server = Server(EMBED, "--log", "none", "--max-per-address", "1000")
    try:
        answers = asyncio.run(all_of())
        health = httpx.get(server.url + "/health")
        assert health.status_code == 200
    finally:
        server.kill()
    texts = [text for requests in clients for request in requests for text in request]
    expect_bits([vector for requests in answers for request in requests for vector in request], texts)
    print(f"    {len(texts)} vectors equal; clients left {left} times, and lost the server {failed} times")


def main():
    from importlib.metadata import version
    print(subprocess.run([LOCUS, "--version"], capture_output=True, text=True, check=True).stdout.strip())
    print("curl", subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1])
    for name in [*PACKAGES, "langchain-core", "llama-index-core"]:
        print(name, version(name))
    shutil.copytree(WRITE, CHAT)
    (CHAT / "chat_template.jinja").write_text(TEMPLATE)
    wanted, failures = sys.argv[3] if len(sys.argv) > 3 else "", 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or wanted not in name:
            continue
        try:
            test()
            print("ok    ", name[5:], flush=True)
        except Exception:
            failures += 1
            traceback.print_exc(file=sys.stdout)
            print("FAILED", name[5:], flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    LOCUS, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    enter_environment(ROOT)
    GOLDEN = ROOT / "tests/golden/apply"
    EMBED, WRITE = GOLDEN / "embed", GOLDEN / "write"
    with tempfile.TemporaryDirectory() as scratch:
        CHAT = pathlib.Path(scratch) / "chat"
        sys.exit(main())
