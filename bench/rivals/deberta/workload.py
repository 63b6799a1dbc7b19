"""Hidden states of DeBERTa-v3-base with random weights (and a smaller vocabulary), B sequences of L tokens."""

import operations
from arrays import ids, random_model, sizes, write

TITLE = "DeBERTa-v3-base, sequences x tokens"
CASES = ["8x128", "2x512"]
UNIT = "tokens"
LIMIT = "fma"
TOLERANCE = 1e-4

VOCABULARY = 32000


def make():
    from transformers import DebertaV2Config, DebertaV2Model

    return DebertaV2Model(DebertaV2Config(
        vocab_size=VOCABULARY, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072,
        relative_attention=True, position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True,
        pos_att_type=["p2c", "c2p"], position_biased_input=False, type_vocab_size=0, layer_norm_eps=1e-7))


def prepare(folder, models, case):
    random_model(folder, make)
    write(folder, ids=ids(1, VOCABULARY, *sizes(case)))
    sequences, length = sizes(case)
    # Without the products with positions: their number depends on the implementation.
    return {"amount": sequences * length, "work": operations.encoder([length] * sequences, layers=12, width=768)}
