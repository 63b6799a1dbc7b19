"""The Hugging Face tokenizers job of every tokenizer workload: encodes all lines with tokenizer.json."""

from contender import folder
from corpus import Ids, lines
from tokenizers import Tokenizer


def encoder():
    tokenizer = Tokenizer.from_file(folder() + "/vocabulary/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    texts = lines(folder())
    # The fastest call, without offsets.
    return lambda: Ids([e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)])
