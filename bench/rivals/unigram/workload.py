"""Token ids of English text by 16,000 pieces that SentencePiece learns from it. For Locus and Hugging Face tokenizers
the model is converted the way transformers converts T5."""

import base64
import json

import corpus
import numpy

TITLE = "Unigram, Python's documentation in lines"
CASES = ["english"]
UNIT = "MB"
DTYPE = numpy.int32
TOLERANCE = 0


def prepare(folder, models, case):
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    size = corpus.write(folder)
    vocabulary = folder / "vocabulary"
    vocabulary.mkdir(exist_ok=True)
    if (vocabulary / "tokenizer.json").exists():
        return size
    sentencepiece.SentencePieceTrainer.train(input=str(folder / "corpus.txt"), model_prefix=str(vocabulary / "m"),
                                             vocab_size=16000, hard_vocab_limit=False, minloglevel=2)
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString((vocabulary / "m.model").read_bytes())
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    (vocabulary / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled",
             "precompiled_charsmap": base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()},
            {"type": "Strip", "strip_left": False, "strip_right": True},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]},
        "pre_tokenizer": metaspace, "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [[p.piece, p.score] for p in model.pieces],
                  "byte_fallback": False}}))
    return size
