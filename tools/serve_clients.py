#!/usr/bin/env python3
"""Clients of other projects against `locus serve`, the programs of docs/serve.md, 64 clients together, whose vectors
equal those of `locus embed` in all bits, the slow clients of slowhttptest, and proxies with TLS.

    serve_clients.py LOCUS ROOT [NAME]      (./run serve-clients builds LOCUS and installs what the tests use)

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
import socket
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
            found = re.search(r"ready on ((?:http|unix):\S+)", pathlib.Path(self.log.name).read_text())
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


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


SLOW = {"slow headers": ["-H", "-i", "5"],
        "slow bodies": ["-B", "-i", "5", "-s", "8192", "-f", "application/json"],
        "slow readers": ["-X", "-w", "1", "-y", "16", "-n", "5", "-z", "1", "-k", "10"]}


def test_slow_clients():
    """200 slow clients at a time, in the modes of slowhttptest. Others are served meanwhile, and the server drops the
    slow ones by its limits."""
    import httpx
    for name, options in SLOW.items():
        with Server(EMBED, "--log", "none", "--max-per-address", "300") as server:
            path = "/openapi.json" if "-X" in options else "/embed"
            attack = subprocess.Popen(["slowhttptest", "-c", "200", "-r", "100", "-l", "45", "-p", "5", *options, "-u",
                                       server.url + path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            begin, waits, most = time.monotonic(), [], 0
            while attack.poll() is None and time.monotonic() < begin + 120:
                before = time.monotonic()
                answer = httpx.post(server.url + "/embed", json={"inputs": "the dog"}, timeout=10)
                waits.append(time.monotonic() - before)
                assert answer.status_code == 200, answer.text
                most = max(most, connections(server))
                time.sleep(0.2)
            seconds = time.monotonic() - begin
            output = attack.communicate()[0]
            assert "service available:   YES" in re.sub("\x1b\\[[0-9;]*m", "", output), output
            assert most > 100, f"only {most} connections"
            while connections(server) > 1 and time.monotonic() < begin + 150:
                time.sleep(0.5)
            assert connections(server) == 1, f"{connections(server)} connections are left"
            print(f"    {name}: {seconds:.0f} s, up to {most} connections, {len(waits)} other requests in at most "
                  f"{max(waits):.2f} s")


def connections(server):
    import httpx
    metrics = httpx.get(server.url + "/metrics").text
    return int(re.search(r"^locus_connections (\d+)", metrics, re.MULTILINE).group(1))


def proxy_command(name, scratch, unix, port):
    """Starts the proxy with the configuration in tools/serve, with names of this machine."""
    pem, key = scratch / "cert.pem", scratch / "key.pem"
    config = (ROOT / "tools/serve" / {"nginx": "nginx.conf", "caddy": "Caddyfile", "haproxy": "haproxy.cfg"}[name])
    text = config.read_text().replace("/run/locus/minilm.sock", str(unix))
    own = scratch / config.name
    if name == "nginx":
        text = text.replace("443", str(port)).replace("/etc/ssl/certs/ssl-cert-snakeoil.pem", str(pem))
        text = text.replace("/etc/ssl/private/ssl-cert-snakeoil.key", str(key))
        text = f"daemon off; pid {scratch}/pid; events {{}}\nhttp {{ access_log off;\n{text}}}\n"
        command = ["nginx", "-e", str(scratch / "log"), "-c", str(own)]
        if os.geteuid() == 0:
            text = "user root;\n" + text
    elif name == "caddy":
        text = "{\n\tauto_https disable_redirects\n\tadmin off\n}\n" + text.replace(
            "example.org {", f"https://localhost:{port} {{\n\ttls {pem} {key}")
        command = ["caddy", "run", "--config", str(own), "--adapter", "caddyfile"]
    else:
        text = text.replace(":443", f":{port}").replace("/etc/haproxy/example.org.pem", str(scratch / "both.pem"))
        text = text.replace("  user haproxy\n  group www-data\n", "")
        command = ["haproxy", "-f", str(own)]
    own.write_text(text)
    return command


def test_proxies():
    """nginx, Caddy and HAProxy with TLS and HTTP/2: equal answers, and streams that arrive piece by piece."""
    for name in ("nginx", "caddy", "haproxy"):
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                            "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                            "-keyout", str(scratch / "key.pem"), "-out", str(scratch / "cert.pem")], check=True,
                           capture_output=True)
            both = (scratch / "cert.pem").read_text() + (scratch / "key.pem").read_text()
            (scratch / "both.pem").write_text(both)
            check_proxy(name, scratch)


def check_proxy(name, scratch):
    unix, port, url = scratch / "locus.sock", free_port(), "https://localhost"
    with Server(WRITE, "--unix", str(unix)) as _:
        with subprocess.Popen(proxy_command(name, scratch, unix, port), stdout=subprocess.DEVNULL,
                              stderr=open(scratch / "proxy.log", "w"), env={**os.environ, "HOME": str(scratch)}) as proxy:
            try:
                def ask(path, body, *options):
                    return subprocess.run(["curl", "-sS", "-N", "--retry", "20", "--retry-delay", "1",
                                           "--retry-connrefused", *options, path, "-H", "content-type: application/json",
                                           "-d", json.dumps(body)], check=True, capture_output=True).stdout

                direct = ["--unix-socket", str(unix)]
                proxied = ["--cacert", str(scratch / "cert.pem"), "-w", "\n%{http_version}"]
                texts = {"inputs": TEXTS}
                expected = ask("http://localhost/tokenize", texts, *direct)
                body, version = ask(f"{url}:{port}/tokenize", texts, *proxied).rsplit(b"\n", 1)
                assert body == expected, body
                assert version == b"2", version
                prompt = {"prompt": "the dog", "max_tokens": 40, "temperature": 0, "stream": True}
                events = ask(f"{url}:{port}/v1/completions", prompt, *proxied).decode()
                assert events.count("data: {") > 5 and "data: [DONE]" in events, events
                print(f"    {name}: HTTP/{version.decode()}, {events.count('data: {')} events")
            except Exception:
                print((scratch / "proxy.log").read_text()[-2000:])
                raise
            finally:
                proxy.terminate()


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
