"""Hidden states of BERT-base with random weights, B sequences of L tokens without padding."""

import operations
from arrays import ids, random_model, sizes, write

TITLE = "BERT-base, sequences x tokens"
CASES = ["8x128", "2x512", "1x24"]
UNIT = "tokens"
LIMIT = "fma"
TOLERANCE = 1e-4
# bf16 has 8 bits: an error of 2^-9 in each product of twelve layers, for a million states of size one.
TOLERANCES = {"locus_bf16": 0.1}


def make():
    from transformers import BertConfig, BertModel

    # CTranslate2 reads the position embedding type.
    return BertModel(BertConfig(position_embedding_type="absolute"), add_pooling_layer=False)


def prepare(folder, models, case):
    random_model(folder, make)
    # CTranslate2 also needs a vocabulary; any tokens will do.
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "model" / "vocab.txt").write_text("\n".join(names + [f"t{i}" for i in range(30522 - len(names))]) + "\n")
    write(folder, ids=ids(1, 30522, *sizes(case)))
    sequences, length = sizes(case)
    return {"amount": sequences * length, "work": operations.encoder([length] * sequences, layers=12, width=768)}
