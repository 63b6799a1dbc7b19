#!/usr/bin/env python3
"""Vectors of all-MiniLM-L6-v2 by `locus embed` against transformers: the smallest cosine of 1,000 sentences.

    parity_embed.py LOCUS models/all-MiniLM-L6-v2
"""

import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import torch
from transformers import AutoModel, AutoTokenizer

WORDS = ("the dog chased ball it ran who is there Größe naïve 北京 Москва 3,141 isn't hopeless transformers position "
         "of every token, and? emoji 🙂 extraordinarily (parenthesised) e-mail @ 50% Übung").split()


def main():
    locus, folder = sys.argv[1:3]
    rng = random.Random(11)
    texts = [" ".join(rng.choice(WORDS) for _ in range(rng.choice([1, 4, 9, 20, 60]))) for _ in range(1000)]
    with tempfile.TemporaryDirectory() as scratch:
        lines, out = pathlib.Path(scratch) / "lines.txt", pathlib.Path(scratch) / "out.npy"
        lines.write_text("\n".join(texts) + "\n")
        subprocess.run([locus, "embed", folder, "--file", str(lines), "--out", str(out)], check=True)
        ours = torch.from_numpy(numpy.load(out)).double()
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).double().eval()
    theirs = []
    with torch.no_grad():
        for begin in range(0, len(texts), 50):
            batch = tokenizer(texts[begin:begin + 50], padding=True, truncation=True, max_length=256, return_tensors="pt")
            hidden, mask = model(**batch).last_hidden_state, batch["attention_mask"].unsqueeze(-1).double()
            theirs.append(torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1))
    cosine = (ours * torch.cat(theirs)).sum(1) / ours.norm(dim=1)
    print(f"{len(texts)} sentences: smallest cosine {cosine.min():.9f}, largest difference "
          f"{(ours - torch.cat(theirs)).abs().max():.2e}")
    return 0 if cosine.min() >= 0.999999 else 1


if __name__ == "__main__":
    sys.exit(main())
