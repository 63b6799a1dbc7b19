"""The job of HF tokenizers in every workload that encodes text: all lines by the tokenizer.json in a folder."""

from contender import folder
from corpus import Ids, lines
from tokenizers import Tokenizer


def encoder():
    tokenizer = Tokenizer.from_file(folder() + "/vocabulary/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    texts = lines(folder())
    # The call without offsets, the fastest one.
    return lambda: Ids([e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)])
