#!/usr/bin/env python3
"""Golden losses by length: tests/golden/lengths/

Writes text.txt, and expected.json with the losses of transformers for two models of tests/golden/apply, in windows of several lengths. A window
reads `length` tokens (fewer at the end of the text) and predicts the token after each of them. Windows begin `stride` tokens apart, and a window
has the targets that the one before it does not have.

    length, stride, windows, targets, loss     loss: mean over all targets, in nats
    late_loss                                  of the targets in the second half of their window
    bits_per_byte                              tokens / bytes of the text * loss / ln 2
    positions                                  mean loss by the last position of a band: 1, 2, 4, 8 ..

Needs: pip install torch transformers tokenizers. Use: tools/golden/lengths.py [FOLDER]
"""
import json
import math
import pathlib
import sys

import tokenizers
import torch
import transformers as hf

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
TEXT = ("the dog sat by the ball, and the dog ran after the ball. é 狗 the dog!\n" * 6) + "the end of the dog"
CASES = {"write": [(8, 8), (16, 16), (48, 48), (16, 4)],      # GPT-2: learned positions, 48 of them
         "embed_last": [(16, 16), (80, 80), (160, 160)]}      # Qwen3: rotary, longer than its max length


def measured(model, ids, length, stride, size):
    losses, positions, windows, done, begin = [], [], 0, 0, 0
    while done < len(ids) - 1:
        end = min(begin + length, len(ids) - 1)
        logits = model(torch.tensor([ids[begin:end]])).logits[0].double()
        targets = torch.tensor(ids[begin + 1:end + 1])
        each = torch.nn.functional.cross_entropy(logits, targets, reduction="none").tolist()
        losses += each[done - begin:]
        positions += range(done - begin, end - begin)
        windows, done, begin = windows + 1, end, begin + stride
    mean = sum(losses) / len(losses)
    late = [x for x, p in zip(losses, positions) if 2 * p >= length]
    bands = {}
    for x, p in zip(losses, positions):
        bands.setdefault(min(1 << p.bit_length(), length), []).append(x)
    return dict(length=length, stride=stride, windows=windows, targets=len(losses), loss=mean, late_loss=sum(late) / len(late),
                bits_per_byte=len(ids) / size * mean / math.log(2), positions={most: sum(b) / len(b) for most, b in sorted(bands.items())})


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else GOLDEN / "lengths")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "text.txt").write_text(TEXT)
    result = dict(versions=dict(torch=torch.__version__, transformers=hf.__version__, tokenizers=tokenizers.__version__))
    with torch.no_grad():
        for name, cases in CASES.items():
            place = GOLDEN / "apply" / name
            model = hf.AutoModelForCausalLM.from_pretrained(place).eval()
            ids = tokenizers.Tokenizer.from_file(str(place / "tokenizer.json")).encode(TEXT, add_special_tokens=False).ids
            result[name] = [measured(model, ids, *case, len(TEXT.encode())) for case in cases]
    (folder / "expected.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


main()
