"""The FastAPI server that one would write around a library: requests that arrive while the model is busy share the next
batch."""

import asyncio
import concurrent.futures
import contextlib
import sys

import orjson
import uvicorn
from fastapi import FastAPI, Response
from pydantic import BaseModel
from serve.limits import MOST_REQUESTS

MOST_TEXTS = 32  # of a batch


class Body(BaseModel):
    input: list[str]


class Batcher:
    def __init__(self, embed):
        self.embed = embed
        self.waiting = asyncio.Queue()
        self.thread = concurrent.futures.ThreadPoolExecutor(1)

    async def vectors(self, texts):
        result = asyncio.get_running_loop().create_future()
        self.waiting.put_nowait((texts, result))
        return await result

    async def run(self):
        while True:
            batch = [await self.waiting.get()]
            while not self.waiting.empty() and sum(len(texts) for texts, _ in batch) < MOST_TEXTS:
                batch.append(self.waiting.get_nowait())
            batch = [one for one in batch if not one[1].done()]  # clients that left
            texts = [text for texts, _ in batch for text in texts]
            found = await asyncio.get_running_loop().run_in_executor(self.thread, self.embed, texts)
            for texts, result in batch:
                if not result.done():
                    result.set_result(found[:len(texts)])
                found = found[len(texts):]


def run(embed):
    """Serves /v1/embeddings at the port of the command line. embed: from a list of texts to a float32 array."""
    batcher = Batcher(embed)

    @contextlib.asynccontextmanager
    async def lifespan(_):
        task = asyncio.create_task(batcher.run())
        yield
        task.cancel()

    app = FastAPI(lifespan=lifespan)

    @app.post("/v1/embeddings")
    async def embeddings(body: Body):
        vectors = await batcher.vectors(body.input)
        data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
        answer = {"object": "list", "data": data, "model": "any"}
        return Response(orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")

    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", access_log=False,
                limit_concurrency=MOST_REQUESTS)
