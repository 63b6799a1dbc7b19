#!/usr/bin/env python3
"""Golden tokens: writes tests/golden/text/, a small vocabulary learned by HF tokenizers, and the ids of HF tokenizers and tiktoken.

    python tools/golden/tokens.py tests/golden/text [GPT2-FOLDER]      (needs tokenizers and tiktoken)

    learned/vocab.bpe, encoder.json   byte-level merges learned from corpus.txt: 400 tokens
    corpus.txt                        the training text of the merges
    cases.jsonl                       {"text", "ids", "ranks"[, "gpt2"]}: the ids of HF tokenizers with the learned vocabulary,
                                      of tiktoken with the same tokens as ranks, and of tiktoken with the vocabulary of
                                      GPT-2, whose files are read from GPT2-FOLDER and not copied
Bytes that are not UTF-8 are not included: neither library accepts them unchanged.
"""
import json
import pathlib
import random
import sys

import tiktoken
import tokenizers
from tokenizers import ByteLevelBPETokenizer

PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""

CORPUS = """The dog chased the ball, but it could not catch it even after running the whole field round and round.
Position embeddings tell a model where each token stands; without them "the cat sat" is "sat cat the".
They're learned, aren't they? We've seen that it's so, and I'll say it again: I'd say it, I'm sure.
Der Hund jagte den Ball über das Feld, aber er konnte ihn nicht fangen; größer, schöner, weiter.
Собака бежала за мячом по полю, но не могла его поймать, хотя бежала очень быстро.
狗追着球跑，但是它抓不到它。犬はボールを追いかけた。
for (int i = 0; i < 1024; ++i) { rows[i] += table[ids[i]]; }  // 3.14159, 0x1f, 2^31
\tindented   with    many     spaces
""" * 3 + "aaaaaaaaaaaaaaaa aaaa aaa aa a\n\n\n\n"

TEXTS = [
    "", "a", " ", "  ", "\n", "\n\n\n", " \n ", "hello  world", "hello \n world  ", "\u00a0x\u00a0\u00a0y", "\u2003\u2003em",
    "it's they're we've I'm you'll he'd IT'S 'S 'tis ''s '", "x'sy 'llama 'rest 've", "1234567 12.5 ½ Ⅷ ٣ 一二三",
    "The dog chased the ball.", " The  dog", "über größer naïve café cafe\u0301", "Собака бежала", "狗追着球跑，但是它", "안녕하세요 세계",
    "ภาษาไทย ไม่มี", "नमस्ते दुनिया", "مرحبا بالعالم", "😀😃 👨‍👩‍👧 🇩🇪", "a\u200bb\ufeffc", "\x00\x01\x1c\x1f\x85\x7f", "\u2028\u2029\u3000z",
    "<|endoftext|> is text", "tab\tand\r\nline\rends", "____----====", "!!!???...", "a" * 100, " " * 100 + "x", "^" * 70, "\n" * 50 + "y",
    "ab" * 60, "\U00010400\U0001d7d8 \U0002070e", "ǅǈ ªº ʰ", "Ω≈ç√∫˜µ≤≥÷", "\u0301\u0302 x", "snake_case CamelCase kebab-case 3D x2y",
]


def random_text(rng):
    pools = ["abcdefgh THE the it's ", " \n\t\u00a0\u2003", "0123456789½٣", "'.,;!?-_()[]{}<>|", "äöüßéñçÅ", "бвгджз СОБ", "狗追着球跑它犬", "😀👍🏽\u200d\u0301\u0000\ufffd"]
    return "".join(rng.choice(rng.choice(pools)) for _ in range(rng.randrange(1, 60)))


def tiktoken_of(encoder, unspell):
    ranks = {unspell(token): rank for token, rank in encoder.items() if token != "<|endoftext|>"}
    return tiktoken.Encoding("golden", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def byte_of_character():
    prints = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in prints]
    return {chr(byte): byte for byte in prints} | {chr(256 + i): byte for i, byte in enumerate(others)}


def main():
    out = pathlib.Path(sys.argv[1])
    (out / "learned").mkdir(parents=True, exist_ok=True)
    (out / "corpus.txt").write_bytes(CORPUS.encode())
    learned = ByteLevelBPETokenizer()
    learned.train_from_iterator([CORPUS], vocab_size=400, min_frequency=2, show_progress=False)
    model = json.loads(learned._tokenizer.to_str())["model"]
    merges = [" ".join(pair) if isinstance(pair, list) else pair for pair in model["merges"]]
    (out / "learned" / "vocab.bpe").write_text("#version: 0.2\n" + "".join(m + "\n" for m in merges), encoding="utf-8")
    (out / "learned" / "encoder.json").write_text(json.dumps(model["vocab"], ensure_ascii=False) + "\n", encoding="utf-8")

    spelling = byte_of_character()
    unspell = lambda token: bytes(spelling[c] for c in token)
    ranks = tiktoken_of(model["vocab"], unspell)
    gpt2 = None
    if len(sys.argv) > 2:
        gpt2 = tiktoken_of(json.loads((pathlib.Path(sys.argv[2]) / "encoder.json").read_text(encoding="utf-8")), unspell)
    rng = random.Random(20251115)
    with open(out / "cases.jsonl", "w", encoding="utf-8") as cases:
        for text in TEXTS + [random_text(rng) for _ in range(150)]:
            case = {"text": text, "ids": learned.encode(text).ids, "ranks": ranks.encode_ordinary(text)}
            if gpt2:
                case["gpt2"] = gpt2.encode_ordinary(text)
            cases.write(json.dumps(case, ensure_ascii=False) + "\n")
    (out / "VERSIONS").write_text(f"tokenizers {tokenizers.__version__}, tiktoken {tiktoken.__version__}\n")


if __name__ == "__main__":
    main()
