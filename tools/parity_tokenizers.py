#!/usr/bin/env python3
"""Locus's tokenizers against HF tokenizers: ids, offsets and decoded text must be the same.

    parity_tokenizers.py TOKEN_LINES FOLDER [--megabytes 10] [--corpus FILE ...] [--folders MODEL ...]

Trains every kind of tokenizer with the tokenizers package on a mixed text, writes each as FOLDER/KIND/tokenizer.json,
then lets Locus (tests/text/token_lines.cc, in build/release/tests) and the package encode and decode the same lines: English, German, Russian, Arabic, Hindi, Thai, Chinese,
Japanese, Korean, emoji with joiners, code, control and combining characters, random characters, and the names of
special tokens. Needs the packages tokenizers and, for SentencePiece's rules, sentencepiece. With --folders it takes
these model folders as transformers' AutoTokenizer opens them instead of training any.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

SENTENCES = """
The quick brown fox doesn't jump over 3,141 lazy dogs; it's tired, isn't it? They'll say we've won, I'd guess.
Franz jagt im komplett verwahrlosten Taxi quer durch Bayern. Größe, Straße, Übermut, naïve café.
Съешь же ещё этих мягких французских булок, да выпей чаю. Подъём в 7:45!
نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق. ١٢٣٤
ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले विष्णुवतार भगवान श्रीराम।
เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน ๑๒๓
視野無限廣，窗外有藍天。天地玄黃，宇宙洪荒。我能吞下玻璃而不伤身体。
いろはにほへと ちりぬるを 我が世誰ぞ 常ならむ。ｶﾀｶﾅ、ガギグゲゴ。
다람쥐 헌 쳇바퀴에 타고파. 키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.
👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪🇫🇷 ❤️‍🔥 ☕️ 1️⃣ emoji 🤷‍♀️!
def f(x: int) -> int:\treturn x ** 2  # comment; if (a && b) { c->d[i++] += 0x1F; } </tag> $HOME \\n
  leading and   many    blanks, tabs\t\tand trailing   
ﬁ ﬂ ① ² ½ Å Å ｆｕｌｌ ㍿ ™ … “quotes” ‘single’ — – ‐ · İstanbul ǅ ß ẞ ŉ
e\u0301 a\u0323\u0302 o\u0302\u0323 \u0315\u0300\u05ae\u0300 q\u0307\u0323 \u1100\u1161\u11a8 \ud55c\u1100
""".strip("\n").split("\n")
SPECIALS = ["[CLS]", "[SEP]", "[UNK]", "[MASK]", "[PAD]", "<s>", "</s>", "<unk>", "<mask>", "<extra>", "New York"]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")


def random_line(rng):
    """Any characters that Unicode knew when both sides' tables were made, but for line ends."""
    out = []
    while len(out) < 60:
        planes = [(0, 0x250), (0x250, 0x3000), (0x3000, 0xD800), (0xE000, 0x10000), (0x10000, 0x20000), (0x20000, 0x110000)]
        code = rng.randrange(*rng.choices(planes, [6, 6, 3, 2, 2, 1])[0])
        if code not in (10, 13) and unicodedata.category(chr(code)) not in ("Cn", "Cs"):
            out.append(chr(code))
    return "".join(out)


def lines_of(size, corpus, seed=7):
    rng = random.Random(seed)
    words = [w for s in SENTENCES for w in s.split(" ")]
    own = [line for file in corpus for line in pathlib.Path(file).read_text(errors="replace").splitlines() if line]
    total = 0
    while total < size:
        kind = rng.random()
        if own and kind < 0.5:
            line = rng.choice(own)
        elif kind < 0.6:
            line = rng.choice(SENTENCES)
        elif kind < 0.8:
            line = "".join(rng.choice(words) + rng.choice([" ", " ", " ", "", "  ", "\t", "\u00a0", "\u3000", ", "])
                           for _ in range(rng.randrange(1, 30)))
        elif kind < 0.9:
            line = random_line(rng)
        elif kind < 0.95:
            line = "".join(rng.choice([rng.choice(words), " ", rng.choice(SPECIALS)]) for _ in range(12))
        else:
            line = rng.choice(["a", " ", "^", "中", "e\u0301", "\u0301", "'", "1", "x ", "!?"]) * rng.randrange(1, 300)
        line = line.replace("\n", " ").replace("\r", " ")
        total += len(line.encode()) + 1
        yield line


def charsmap():
    """SentencePiece's own rules, out of a model that it trains; they do not depend on the text."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as pb

    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "text"
        text.write_text("\n".join(SENTENCES[:2] * 50))
        sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=folder + "/m", vocab_size=100,
                                                 hard_vocab_limit=False, minloglevel=2)
        model = pb.ModelProto()
        model.ParseFromString((pathlib.Path(folder) / "m.model").read_bytes())
        return model.normalizer_spec.precompiled_charsmap


def frame(tokenizer, begin, end, second=1):
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", pair=f"{begin} $A {end} $B:{second} {end}:{second}",
        special_tokens=[(t, tokenizer.token_to_id(t)) for t in (begin, end)])


def wordpiece(lines, **options):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(**options)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    t.train_from_iterator(lines, trainers.WordPieceTrainer(
        vocab_size=3000, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    frame(t, "[CLS]", "[SEP]")
    t.add_tokens(["New York", AddedToken("<extra>", lstrip=True, rstrip=True), AddedToken("fox", single_word=True)])
    return t


def byte_bpe(lines, pre, post=None, ignore_merges=False, **options):
    t = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    t.pre_tokenizer = pre
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=3000, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    if post == "roberta":
        t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), **options)
    elif post == "llama":
        frame(t, "<s>", "</s>")
        t.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), t.post_processor])
    else:
        t.post_processor = processors.ByteLevel(**options)
    return t


def fallback_bpe(lines, metaspace):
    alphabet = [f"<0x{i:02X}>" for i in range(256)]
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if metaspace:
        t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    else:
        t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trained.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=3000, limit_alphabet=300, special_tokens=["<unk>", "<s>", "</s>"] + alphabet, show_progress=False))
    state = json.loads(t.to_str())
    state["model"].update({k: json.loads(trained.to_str())["model"][k] for k in ("vocab", "merges")})
    t = Tokenizer.from_str(json.dumps(state))
    t.add_special_tokens(["<unk>", "<s>", "</s>"])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                   decoders.Strip(" ", 1, 0)])
    frame(t, "<s>", "</s>")
    return t


def gemma(lines):
    t = fallback_bpe(lines, False)
    t.normalizer = normalizers.Replace(" ", "▁")
    t.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return t


def modernbert(lines):
    t = byte_bpe(lines, pre_tokenizers.ByteLevel(add_prefix_space=False), trim_offsets=True)
    t.normalizer = normalizers.NFC()
    t.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)])
    t.add_special_tokens(["[CLS]", "[SEP]", AddedToken("[MASK]", lstrip=True)])
    frame(t, "[CLS]", "[SEP]")
    return t


def unigram(lines, normalizer, fallback=False, **metaspace):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizer
    t.pre_tokenizer = pre_tokenizers.Metaspace(**metaspace)
    t.decoder = decoders.Metaspace(**metaspace)
    bytes_ = [f"<0x{i:02X}>" for i in range(256)] if fallback else []
    t.train_from_iterator(lines, trainers.UnigramTrainer(
        vocab_size=3000, special_tokens=["<s>", "<pad>", "</s>", "<unk>"] + bytes_, unk_token="<unk>",
        show_progress=False))
    if fallback:
        state = json.loads(t.to_str())
        state["model"]["byte_fallback"] = True
        state["added_tokens"] = state["added_tokens"][:4]
        t = Tokenizer.from_str(json.dumps(state))
    frame(t, "<s>", "</s>")
    return t


def kinds(lines):
    split = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
                                     pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    unknown = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r"\p{Lu}?\p{Ll}+|\d{1,2}|\s+|[^\s\d]"), "isolated"),
                                       pre_tokenizers.Digits(individual_digits=True),
                                       pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    known = {c for s in SENTENCES for c in unicodedata.normalize("NFKC", s) + s}
    plain = [line for line in lines if set(line) <= known]
    rules = normalizers.Sequence([normalizers.Precompiled(charsmap()), normalizers.Replace(Regex(" {2,}"), " ")])
    yield "bert", lambda: wordpiece(lines)
    yield "bert-cased", lambda: wordpiece(lines, lowercase=False)
    yield "gpt2", lambda: byte_bpe(lines, pre_tokenizers.ByteLevel(add_prefix_space=False), trim_offsets=False)
    yield "roberta", lambda: byte_bpe(lines, pre_tokenizers.ByteLevel(add_prefix_space=False), "roberta",
                                      add_prefix_space=False)
    yield "prefixed", lambda: byte_bpe(lines, pre_tokenizers.ByteLevel(add_prefix_space=True), "roberta")
    yield "llama3", lambda: byte_bpe(lines, split, "llama", ignore_merges=True)
    yield "pattern", lambda: byte_bpe(lines, unknown)
    yield "llama2", lambda: fallback_bpe(lines, False)
    yield "metaspace", lambda: fallback_bpe(lines, True)
    yield "gemma", lambda: gemma(lines)
    yield "modernbert", lambda: modernbert(lines)
    yield "t5", lambda: unigram(plain, rules)
    yield "nfkc", lambda: unigram(plain, normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]),
                                  prepend_scheme="first")
    yield "nfd", lambda: unigram(plain, normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
                                 fallback=True, prepend_scheme="never")
    yield "nfc", lambda: unigram(plain, normalizers.Sequence([normalizers.Strip(), normalizers.NFC()]))


def differences(program, folder, tokenizer, scratch, lines, specials):
    """How many lines Locus and the package see differently, and how many they decode differently; the first few are shown."""
    tokenizer.encode_special_tokens = not specials
    text, found = scratch / "lines.txt", scratch / "found.jsonl"
    text.write_bytes("".join(line + "\n" for line in lines).encode())
    with open(found, "wb") as out:
        subprocess.run([program, str(folder), str(text)] + (["--read-specials"] if specials else []), stdout=out, check=True)
    wrong = decoded = 0
    with open(found, encoding="utf-8", newline="\n") as results:
        for first in range(0, len(lines), 1000):
            part = lines[first:first + 1000]
            encodings = tokenizer.encode_batch(part)
            texts = tokenizer.decode_batch([e.ids for e in encodings])
            for line, theirs, text_there in zip(part, encodings, texts):
                ours = json.loads(next(results))
                same = ours["ids"] == theirs.ids and [tuple(o) for o in ours["offsets"]] == theirs.offsets
                wrong += not same
                decoded += ours["decoded"] != text_there
                if not same and wrong <= 3:
                    report(tokenizer, line, theirs, ours)
                if ours["decoded"] != text_there and decoded <= 3:
                    print("  decodes differently:", repr(text_there[:100]), repr(ours["decoded"][:100]))
        assert not results.read(1), "more results than lines"
    found.unlink()
    return wrong, decoded


def report(tokenizer, line, theirs, ours):
    print("  differs:", repr(line[:200]))
    for i in range(max(len(theirs.ids), len(ours["ids"]))):
        a = (theirs.ids[i], theirs.offsets[i]) if i < len(theirs.ids) else None
        b = (ours["ids"][i], tuple(ours["offsets"][i])) if i < len(ours["ids"]) else None
        if a != b:
            print("    token", i, "expected", a, tokenizer.id_to_token(a[0]) if a else "", "found", b)
            break


def opened(folders):
    from transformers import AutoTokenizer

    for folder in folders:
        yield folder.name, folder, AutoTokenizer.from_pretrained(folder).backend_tokenizer


def trained(options):
    training = list(lines_of(400_000, options.corpus, seed=1))
    for name, make in kinds(training):
        if options.only and name not in options.only.split(","):
            continue
        folder = options.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "tokenizer.json").exists():
            make().save(str(folder / "tokenizer.json"))
        yield name, folder, Tokenizer.from_file(str(folder / "tokenizer.json"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--corpus", nargs="*", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--folders", type=pathlib.Path, nargs="*", default=[])
    options = parser.parse_args()
    lines = list(lines_of(int(options.megabytes * 1e6), options.corpus))
    failed = False
    for name, folder, tokenizer in opened(options.folders) if options.folders else trained(options):
        size = sum(len(line.encode()) + 1 for line in lines) / 1e6
        for specials in (False, True):
            wrong, decoded = differences(options.program, folder, tokenizer, options.folder, lines, specials)
            print(f"{name}: {len(lines)} lines, {size:.1f} MB, special tokens {'read' if specials else 'as text'}: "
                  f"{wrong} differ, {decoded} decode differently", flush=True)
            failed = failed or wrong > 0 or decoded > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
