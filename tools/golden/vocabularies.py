#!/usr/bin/env python3
"""Golden tokens of vocabularies without a tokenizer.json: the results of the tokenizer classes of transformers.

    python tools/golden/vocabularies.py tests/golden/text      (needs transformers, tokenizers, sentencepiece)

    bert/vocab.txt, bert-cased/vocab.txt + tokenizer_config.json   WordPiece learned from corpus.txt
    gpt2/, roberta/: vocab.json, merges.txt                        the merges of learned/, without and with <s> .. </s>
    marian/source.spm, target.spm, vocab.json                      two SentencePiece models with special rules
    deberta-v2/, t5/, mt5/, xlm-roberta/, camembert/, llama/, ..   a SentencePiece model, and the files next to it in model folders
    KIND.jsonl                                                     {"text", "ids", "decoded"}: the ids with special tokens added,
                                                                   and their text without special tokens; for Marian, "targets" are the
                                                                   ids of the same text with target.spm; "pair" and "segments" are for
                                                                   the text and SECOND, if special tokens in a text are recognized
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
from transformers import AutoTokenizer, BertTokenizer, GPT2Tokenizer, MarianTokenizer, RobertaTokenizer

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


def spm(file, lines, size, **settings):
    with tempfile.TemporaryDirectory() as scratch:
        text, rules = pathlib.Path(scratch) / "text", pathlib.Path(scratch) / "rules.tsv"
        text.write_text("\n".join(lines), encoding="utf-8")
        code = lambda s: " ".join(f"{ord(c):X}" for c in s)
        rules.write_text("".join(f"{code(a)}\t{code(b)}\n" for a, b in RULES.items()))
        settings = {"hard_vocab_limit": False, "normalization_rule_tsv": str(rules), **settings}
        sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=scratch + "/m", vocab_size=size,
                                                 minloglevel=2, **settings)
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString((pathlib.Path(scratch) / "m.model").read_bytes())
        model.trainer_spec.ClearField("input")  # a local path
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


SECOND = "a dog, or two"
TOKEN = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
DEBERTA = {"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3, "pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]",
           "unk_piece": "[UNK]", "user_defined_symbols": ["<user>"]}
T5 = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
LLAMA = {"model_type": "bpe", "byte_fallback": True, "hard_vocab_limit": True, "normalization_rule_tsv": "", "normalization_rule_name": "identity",
         "remove_extra_whitespaces": False}
PIECES = {  # the file, how it is trained, and the files next to it
    "deberta-v2": ("spm.model", DEBERTA, {"config": {"model_type": "deberta-v2"},
                                          "tokenizer_config": {"do_lower_case": False, "vocab_type": "spm"}}),
    "deberta-v2-lower": ("spm.model", DEBERTA, {
        "config": {"model_type": "deberta-v2"},
        "tokenizer_config": {"do_lower_case": True, "split_by_punct": True, "tokenizer_class": "DebertaV2Tokenizer"},
        "added_tokens": {"[MASK]": 111, "Ab Ba": 112}, "special_tokens_map": {"mask_token": "[MASK]", "pad_token": "[PAD]"}}),
    "t5": ("spiece.model", T5, {"config": {"model_type": "t5"}}),
    "mt5": ("spiece.model", {**T5, "user_defined_symbols": ["<user>"]}, {
        "config": {"model_type": "mt5", "tokenizer_class": "T5Tokenizer"},
        "tokenizer_config": {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "extra_ids": 0,
                             "additional_special_tokens": None}}),
    "xlm-roberta": ("sentencepiece.bpe.model", {}, {
        "config": {"model_type": "xlm-roberta"}, "tokenizer_config": {"model_max_length": 512},
        "special_tokens_map": {"mask_token": {**TOKEN, "content": "<mask>", "lstrip": True}}}),
    "camembert": ("sentencepiece.bpe.model", {}, {"config": {"model_type": "camembert"},
                                                  "tokenizer_config": {"tokenizer_class": "CamembertTokenizerFast"}}),
    "llama": ("tokenizer.model", LLAMA, {"config": {"model_type": "llama"}, "tokenizer_config": {
        "tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": False, "pad_token": None,
        "bos_token": {"__type": "AddedToken", **TOKEN, "content": "<s>", "normalized": True}}}),
    "llama-chat": ("tokenizer.model", LLAMA, {"config": {"model_type": "llama"}, "tokenizer_config": {
        "tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": True, "legacy": True, "pad_token": "<pad>",
        "additional_special_tokens": ["<|user|>"],
        "added_tokens_decoder": {"1": {**TOKEN, "content": "<s>"}, "340": {**TOKEN, "content": "<|user|>", "rstrip": True},
                                 "341": {**TOKEN, "content": "The dog", "special": False}}}}),
}


def pieces(folder, name, settings, beside):
    folder.mkdir(exist_ok=True)
    spm(folder / name, CORPUS.split("\n")[:4] * 8, 340 if "byte_fallback" in settings else 110, **settings)
    for file, value in beside.items():
        (folder / f"{file}.json").write_text(json.dumps(value) + "\n")
    return AutoTokenizer.from_pretrained(folder)


def write_pieces(out):
    names = ["[MASK]", "<mask>", "<s>", "</s>", "<pad>", "<unk>", "[CLS]", "[UNK]", "<user>", "<extra_id_0>", "<extra_id_99>", "<|user|>", "Ab Ba"]
    more = ["ﬁnd ½ abc abab", "e\u0301a é …", "\u200b", " \u3000 ", "größer über", "▁▁x ▁", "= == === ==== =====", "aaa aaaa aaaaa",
            "The dogs", "the DOG, the cat.", "".join(names), " ".join(names), "a <mask> b [MASK] c", "<s>a</s> b"]
    for name, (file, settings, beside) in PIECES.items():
        tokenizer = pieces(out / name, file, settings, beside)
        with open(out / f"{name}.jsonl", "w", encoding="utf-8") as cases:
            for text in TEXTS + more:
                ids = tokenizer(text)["input_ids"]
                case = {"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=True)}
                if text in more:
                    pair = tokenizer.backend_tokenizer.encode(text, SECOND)
                    case |= {"pair": pair.ids, "segments": pair.type_ids}
                cases.write(json.dumps(case, ensure_ascii=False) + "\n")


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
                    continue  # here special tokens in a text are plain text, in transformers they are not
                ids = tokenizer(text)["input_ids"]
                decoded = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
                targets = {"targets": tokenizer(text_target=text)["input_ids"]} if name == "marian" else {}
                cases.write(json.dumps({"text": text, "ids": ids, "decoded": decoded, **targets}, ensure_ascii=False) + "\n")
    write_pieces(out)
    (out / "VOCABULARIES-VERSIONS").write_text(
        f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}, sentencepiece {sentencepiece.__version__}\n")


if __name__ == "__main__":
    main()
