#!/usr/bin/env python3
"""Opens runs that Locus trained and exported (`locus export`) with transformers.

For every case: trains a few steps from scratch, exports the run, opens the folder with AutoConfig, the model class in config.json and
AutoTokenizer, and compares the ids of mixed texts and the logits of these ids with those of Locus. Special token names in a text are tokens
for transformers and text for Locus, so the texts contain none.

Needs: pip install torch transformers safetensors, and a build. Use: tools/parity_export.py [--build build/release] [CASE..]
"""
import argparse
import base64
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers as hf
from safetensors.torch import load_file

LARGEST = 1e-5
TEXTS = ["the cat sat on the mat", "  Größe, naïve 12 345!\n\n\tit's  over ", "a", "中文 и кириллица", "the mat's hat\r\n"]
CORPUS = "the cat sat on the mat, and the cat's hat sat on that mat\n" * 60
SIZES = "width = 16\nlayers = 2\nheads = 2\ninit_std = 0.3\n"
BERT = "embedding_norm = true\nnorm_place = 'after'\nfinal_norm = false\n"
CLASSES = "kind = 'encoder'\nhead = 'sequence_class'\npooling = 'first'\npooler = 'tanh'\n" + BERT
WITHOUT_BIASES = "norm = 'rms'\nquery_bias = false\nkey_bias = false\nvalue_bias = false\noutput_bias = false\nhidden_bias = false\n"
ROTARY, LEARNED = "[model.scheme]\nname = 'rotary'\n", "[model.scheme]\nname = 'learned'\n"
# Name: [model], training file, tokenizer.
CASES = {
    "decoder": (ROTARY, "x.txt", "bytes"),
    "decoder of merges": (ROTARY, "x.txt", "merges"),
    "decoder of characters": (LEARNED, "x.txt", "characters"),
    "decoder of ranks": (LEARNED, "x.txt", "ranks"),
    "decoder of words": (ROTARY, "x.txt", "words"),
    "decoder of files": (ROTARY, "x.txt", "files"),
    "Llama": (WITHOUT_BIASES + "gated = true\nactivation = 'silu'\n" + ROTARY, "x.txt", "merges"),
    "classes": (CLASSES + LEARNED, "x.tsv", "bytes"),
    "classes of pairs": (CLASSES + "segments = 2\n" + LEARNED, "pairs.tsv", "merges"),
    "masked": ("kind = 'encoder'\nhead = 'masked_token'\nhead_dense = true\nhead_bias = true\nsegments = 2\n" + BERT + LEARNED, "x.txt", "bytes"),
    "masked of words": ("kind = 'encoder'\nhead = 'masked_token'\nhead_dense = true\nhead_bias = true\nsegments = 2\n" + BERT + LEARNED, "x.txt", "words"),
}


def prepare_tokenizer(kind, locus, scratch):
    """The value of data.tokenizer."""
    if kind == "bytes":
        return kind
    folder = scratch / kind
    folder.mkdir()
    if kind == "characters":
        letters = sorted(set(CORPUS + "".join(TEXTS)))
        specials = {name: len(letters) + i for i, name in enumerate(["<s>", "</s>", "<unk>"])}
        (folder / "vocabulary.json").write_text(json.dumps(dict(kind=kind, characters=letters, specials=specials)))
        return kind
    if kind == "words":
        (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcehmnost,'", "##t", "the", "mat", "##at"]) + "\n")
        return kind
    subprocess.run([locus, "tokenize", "--learn", "300", "--file", scratch / "x.txt", "--special", "<s>", "--special", "</s>", "--out",
                    scratch / "learned"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if kind == "merges":
        return "learned"
    if kind == "files":
        (folder / "vocab.json").write_text((scratch / "learned/encoder.json").read_text())
        (folder / "merges.txt").write_text((scratch / "learned/vocab.bpe").read_text())
        return kind
    words = json.loads((scratch / "learned/encoder.json").read_text())
    alphabet = letters_of_bytes()
    ranks = [base64.b64encode(bytes(alphabet[c] for c in word)).decode() + f" {id}\n" for word, id in words.items() if word not in ("<s>", "</s>")]
    (folder / "ranks.tiktoken").write_text("".join(ranks))
    (folder / "vocabulary.json").write_text(json.dumps(dict(kind="ranks", specials={w: words[w] for w in ("<s>", "</s>")})))
    return kind


def letters_of_bytes():
    """How byte-level vocabularies spell bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{chr(byte): byte for byte in printable}, **{chr(256 + i): byte for i, byte in enumerate(others)}}


def exported(name, locus, scratch):
    model, data, tokenizer = CASES[name]
    (scratch / "x.txt").write_text(CORPUS)
    (scratch / "x.tsv").write_text("the cat\tup\nthat mat\tdown\n" * 4)
    (scratch / "pairs.tsv").write_text("the cat\tsat\tup\nthat mat\tran\tdown\n" * 4)
    tokenizer = prepare_tokenizer(tokenizer, locus, scratch)
    (scratch / "run.toml").write_text(f"[model]\n{SIZES}{model}[data]\ntrain = '{data}'\ntokenizer = '{tokenizer}'\ncontext = 64\n"
                                      "[train]\nsteps = 5\nlearning_rate = 0.01\n")
    subprocess.run([locus, "train", scratch / "run.toml", "--out", scratch / "run"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([locus, "export", scratch / "run", scratch / "out"], check=True, stdout=subprocess.DEVNULL)
    return scratch / "out"


def locus_logits(locus, folder, inputs, scratch):
    (scratch / "inputs.json").write_text(json.dumps({key: value.tolist() for key, value in inputs.items()}))
    subprocess.run([locus, "forward", folder, "--input", scratch / "inputs.json", "--out", scratch / "out.safetensors"], check=True,
                   stdout=subprocess.DEVNULL)
    return load_file(scratch / "out.safetensors")["logits"]


def compare(name, build, scratch):
    locus = build / "locus"
    folder = exported(name, locus, scratch)
    kind = getattr(hf, json.loads((folder / "config.json").read_text())["architectures"][0])
    model, info = kind.from_pretrained(folder, attn_implementation="eager", output_loading_info=True)
    if info["missing_keys"] or info["unexpected_keys"]:
        raise ValueError(f"transformers misses {info['missing_keys']}, does not know {info['unexpected_keys']}")
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    largest, count = 0.0, 0
    for text in TEXTS:
        inputs = tokenizer(text, return_tensors="pt")
        printed = subprocess.run([locus, "tokenize", folder, text, "--json"], check=True, capture_output=True, text=True).stdout
        if json.loads(printed)["ids"] != inputs["input_ids"][0].tolist():
            raise ValueError(f"{text!r}: ids {inputs['input_ids'].tolist()}, expected {printed}")
        plain = tokenizer(text, add_special_tokens=False)["input_ids"]
        if CASES[name][2] != "words" and tokenizer.decode(plain) != text:
            raise ValueError(f"{text!r}: decoded as {tokenizer.decode(plain)!r}")
        with torch.no_grad():
            wanted = model.eval()(**inputs).logits
        found = locus_logits(locus, folder, dict(inputs), scratch)
        largest, count = max(largest, (found - wanted).abs().max().item()), count + inputs["input_ids"].numel()
    fine = largest <= LARGEST
    print(f"{name:22} {kind.__name__:32} {count:4} ids equal, logits {largest:8.1e}  {'fine' if fine else 'FAILED'}", flush=True)
    return fine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    print(f"transformers {hf.__version__}")
    failed = 0
    for name in options.cases or CASES:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                failed += not compare(name, options.build, pathlib.Path(scratch))
            except (ValueError, subprocess.CalledProcessError) as error:
                print(f"{name:22} {error}", flush=True)
                failed += 1
    print("all fine" if failed == 0 else f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
