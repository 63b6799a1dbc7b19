#!/usr/bin/env python3
"""Golden tokens of vocabularies without a tokenizer.json: what transformers' own classes make of their files.

    python tools/golden/vocabularies.py tests/golden/text      (needs transformers, tokenizers, sentencepiece)

    bert/vocab.txt, bert-cased/vocab.txt + tokenizer_config.json   WordPiece learned from corpus.txt
    gpt2/, roberta/: vocab.json, merges.txt                        the merges of learned/, without and with <s> .. </s>
    marian/source.spm, target.spm, vocab.json                      two SentencePiece models with a few rules of their own
    KIND.jsonl                                                     {"text", "ids", "decoded"}: ids with the tokens around them,
                                                                   and their text without special tokens; Marian's "targets" are the
                                                                   ids of the same text by target.spm
"""
import json
import pathlib
import shutil
import sys
import tempfile

import sentencepiece
import tokenizers
import transformers
from sentencepiece import sentencepiece_model_pb2
from tokens import CORPUS, TEXTS
from transformers import BertTokenizer, GPT2Tokenizer, MarianTokenizer, RobertaTokenizer

RULES = {"ﬁ": "fi", "½": " 1/2 ", "\u3000": " ", "\t": " ", "\u00a0": " ", "\n": " ", "\u200b": "", "e\u0301": "é", "é": "e\u0301", "…": "...",
         "ab": "BA", "abc": "x"}


def wordpiece(folder, lowercase):
    folder.mkdir(exist_ok=True)
    trained = tokenizers.BertWordPieceTokenizer(lowercase=lowercase)
    trained.train_from_iterator([CORPUS], vocab_size=300, min_frequency=1, limit_alphabet=100, show_progress=False)
    vocabulary = trained.get_vocab()
    (folder / "vocab.txt").write_text("".join(t + "\n" for t in sorted(vocabulary, key=vocabulary.get)), encoding="utf-8")
    if not lowercase:
        (folder / "tokenizer_config.json").write_text('{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}\n')
    return BertTokenizer.from_pretrained(folder)


def merges(folder, learned, roberta):
    folder.mkdir(exist_ok=True)
    vocabulary = json.loads((learned / "encoder.json").read_text(encoding="utf-8"))
    for token in ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] if roberta else ["<|endoftext|>"]:
        vocabulary[token] = len(vocabulary)
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False) + "\n", encoding="utf-8")
    shutil.copy(learned / "vocab.bpe", folder / "merges.txt")
    return (RobertaTokenizer if roberta else GPT2Tokenizer).from_pretrained(folder)


def spm(file, lines, size):
    with tempfile.TemporaryDirectory() as scratch:
        text, rules = pathlib.Path(scratch) / "text", pathlib.Path(scratch) / "rules.tsv"
        text.write_text("\n".join(lines), encoding="utf-8")
        code = lambda s: " ".join(f"{ord(c):X}" for c in s)
        rules.write_text("".join(f"{code(a)}\t{code(b)}\n" for a, b in RULES.items()))
        sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=scratch + "/m", vocab_size=size,
                                                 hard_vocab_limit=False, normalization_rule_tsv=str(rules),
                                                 minloglevel=2)
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString((pathlib.Path(scratch) / "m.model").read_bytes())
        model.trainer_spec.ClearField("input")  # a path of this machine
        model.trainer_spec.ClearField("model_prefix")
        model.normalizer_spec.ClearField("normalization_rule_tsv")
        file.write_bytes(model.SerializeToString())
        return [piece.piece for piece in model.pieces]


def marian(folder):
    folder.mkdir(exist_ok=True)
    lines = CORPUS.split("\n")
    pieces = spm(folder / "source.spm", lines[:3] * 8, 160) + spm(folder / "target.spm", lines[3:5] * 8, 160)
    names = ["</s>", "<unk>"] + sorted(set(pieces) - {"<s>", "</s>", "<unk>"}) + [">>deu<<", ">>zho_Hans<<", "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({n: i for i, n in enumerate(names)}, ensure_ascii=False) + "\n", encoding="utf-8")
    return MarianTokenizer.from_pretrained(folder)


def main():
    out = pathlib.Path(sys.argv[1])
    kinds = {"bert": wordpiece(out / "bert", True), "bert-cased": wordpiece(out / "bert-cased", False),
             "gpt2": merges(out / "gpt2", out / "learned", False), "roberta": merges(out / "roberta", out / "learned", True),
             "marian": marian(out / "marian")}
    more = ["ﬁnd ½ abc abab ab", "e\u0301a é …", "\u200b", " \u3000 ", ">>deu<< The dog chased it.", ">>deu<<", "größer über", "▁▁x ▁"]
    for name, tokenizer in kinds.items():
        with open(out / f"{name}.jsonl", "w", encoding="utf-8") as cases:
            for text in TEXTS + CORPUS.split("\n")[:8] + more:
                if "<|endoftext|>" in text:
                    continue  # special tokens in a text are text here, and not there
                ids = tokenizer(text)["input_ids"]
                decoded = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
                targets = {"targets": tokenizer(text_target=text)["input_ids"]} if name == "marian" else {}
                cases.write(json.dumps({"text": text, "ids": ids, "decoded": decoded, **targets}, ensure_ascii=False) + "\n")
    (out / "VOCABULARIES-VERSIONS").write_text(
        f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}, sentencepiece {sentencepiece.__version__}\n")


if __name__ == "__main__":
    main()
