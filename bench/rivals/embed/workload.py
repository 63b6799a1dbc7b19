"""Embeddings of 512 sentences of 3 to 256 tokens by all-MiniLM-L6-v2. Rivals get them sorted by length."""

import random

import operations

TITLE = "MiniLM-L6, 512 mixed sentences"
CASES = ["sentences"]
UNIT = "tokens"
LIMIT = "fma"
# Components of unit vectors, after six layers in float32.
TOLERANCE = 1e-5
# bf16 has 8 bits: an error of 2^-9 in each product, for vectors of 384 components.
TOLERANCES = {"locus_bf16": 5e-3}

WORDS = ("the of and to in a is that it was for on are with as his they be at one have this from or had by word but not "
         "what all were we when your can said there use an each which she do how their if will up other about out many then "
         "them these so some her would make like him into time has look two more write go see number way could people my "
         "than first water been call who oil its now find long down day did get come made may part attention position "
         "transformer embedding sequence gradient encoder").split()


def sentences():
    generator = random.Random(7)
    for _ in range(512):
        words = min(250, max(1, int(generator.lognormvariate(3.15, 0.95))))
        yield " ".join(generator.choice(WORDS) for _ in range(words)).capitalize() + "."


def prepare(folder, models, case):
    """Writes sentences.txt; returns its number of tokens and the floating-point operations they need."""
    from tokenizers import Tokenizer

    model, texts = models / "all-MiniLM-L6-v2", list(sentences())
    (folder / "sentences.txt").write_text("\n".join(texts) + "\n")
    (folder / "model").unlink(missing_ok=True)
    (folder / "model").symlink_to(model)
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    lengths = [len(encoding.ids) for encoding in tokenizer.encode_batch(texts)]
    return {"amount": sum(lengths), "work": operations.encoder(lengths, layers=6, width=384)}
