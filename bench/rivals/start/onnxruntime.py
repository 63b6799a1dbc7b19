import json

from contender import THREADS, folder
from embed.sentences import batches, padded, pooled, texts, tokenizer
from exports import onnx_session

hidden_states = onnx_session(folder(), THREADS)
(_, ids), = batches(tokenizer(folder()), texts(folder()))
ids, mask = padded(ids)
print(json.dumps({"embedding": pooled(hidden_states(ids, mask), mask)[0].tolist()}))
