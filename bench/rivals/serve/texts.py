"""Request bodies: one random text of a given number of tokens per line."""

import json
import pathlib
import random

from embed.workload import WORDS

BODIES = 64


def texts(model, tokens):
    """Every word is one token, and the tokenizer adds two."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(pathlib.Path(model) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    generator = random.Random(tokens)
    words = [word for word in WORDS if len(tokenizer.encode(word, add_special_tokens=False).ids) == 1]
    return [" ".join(generator.choice(words) for _ in range(tokens - 2)) for _ in range(BODIES)]


def write_bodies(path, groups, **options):
    """A body for each group of texts, as the OpenAI API."""
    path.write_text("".join(json.dumps({"input": group, "model": "any", **options}) + "\n" for group in groups))
