import base64
import pathlib

import tiktoken
from contender import THREADS, folder, serve
from corpus import Ids, lines

PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""

ranks = {}
for line in (pathlib.Path(folder()) / "vocabulary" / "gpt2.tiktoken").read_bytes().splitlines():
    token, rank = line.split()
    ranks[base64.b64decode(token)] = int(rank)
encoding = tiktoken.Encoding("gpt2", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
texts = lines(folder())
serve(lambda: Ids(encoding.encode_ordinary_batch(texts, num_threads=THREADS)))
