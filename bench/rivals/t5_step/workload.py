"""A training step of T5-small in transformers: 4 texts of 256 tokens, 64 tokens of output."""

from arrays import ids, random_model, write

TITLE = "training step of T5-small in transformers"
CASES = ["4x256"]
UNIT = "steps"
TOLERANCE = 1e-2


def prepare(folder, models, case):
    def make():
        from transformers import T5Config, T5ForConditionalGeneration

        return T5ForConditionalGeneration(T5Config(decoder_start_token_id=0, dropout_rate=0.0))

    random_model(folder, make)
    write(folder, ids=ids(1, 32000, 4, 256), labels=ids(2, 32000, 4, 64))
    return {"amount": 1}
