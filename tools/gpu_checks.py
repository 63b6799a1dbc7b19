#!/usr/bin/env python3
"""Checks that tools/gpu_visit.sh runs. Needs nothing but Python.

  gpu_checks.py golden LOCUS FOLDER DEVICE      runs `locus forward --gradients` on every golden model folder in FOLDER
                                                and compares hidden states, logits, loss and gradients with transformers
  gpu_checks.py losses RUN OTHER BOUND          compares the losses of every step of two runs
  gpu_checks.py weights RUN OTHER               compares all bits of the last checkpoints of two runs
"""
import array
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FORWARD, GRADIENT = 5e-5, 5e-4  # relative to the largest number of a tensor


def tensors(path):
    """The f32 tensors of a safetensors file."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        if entry["dtype"] != "F32":
            raise SystemExit(f"{path}: {name} is {entry['dtype']}, expected F32")
        found[name] = array.array("f", data[8 + size + begin : 8 + size + end])
    return found


def largest(values):
    return max(map(abs, values), default=0.0)


def difference(got, want, least):
    """The largest difference, relative to the largest number; infinite for other sizes and numbers that are not finite."""
    if len(got) != len(want) or not all(map(math.isfinite, got)):
        return math.inf
    scale = max(largest(want), least)
    return max((abs(a - b) for a, b in zip(got, want)), default=0.0) / scale if scale else 0.0


def golden_folder(locus, folder, device):
    """The worst difference of the results and of the gradients of a folder, each with its name, or the program's error."""
    want = tensors(folder / "expected.safetensors")
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place) / "out.safetensors"
        words = [locus, "forward", folder, "--input", folder / "inputs.json", "--out", out, "--device", device]
        if "loss" in want:
            words.append("--gradients")
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr.strip()
        got = tensors(out)
    if got.keys() != want.keys():
        return f"other tensors: {sorted(got.keys() ^ want.keys())}"
    # A gradient that is zero except for rounding, such as that of a bias on keys, has the size of the others' errors.
    most = max((largest(values) for name, values in want.items() if name.startswith("grad.")), default=0.0)
    worst = {False: (0.0, ""), True: (0.0, "")}
    for name, values in want.items():
        gradient = name.startswith("grad.")
        own = difference(got[name], values, 1e-2 * most if gradient else 0.0)
        worst[gradient] = max(worst[gradient], (own, name))
    return worst


def golden(locus, place, device):
    folders = sorted(path for path in pathlib.Path(place).iterdir() if path.is_dir())
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda folder: golden_folder(locus, folder, device), folders))
    failed, most = 0, {False: 0.0, True: 0.0}
    for folder, result in zip(folders, results):
        if isinstance(result, str):
            print(f"{folder.name:32} FAILED: {result}")
            failed += 1
            continue
        fine = result[False][0] <= FORWARD and result[True][0] <= GRADIENT
        failed += not fine
        most = {kind: max(most[kind], result[kind][0]) for kind in most}
        print(f"{folder.name:32} {result[False][0]:.1e} {result[True][0]:.1e} {'' if fine else f'FAILED: {result}'}")
    print(f"{len(folders)} folders, {failed} failed; worst result {most[False]:.1e}, worst gradient {most[True]:.1e}")
    return failed == 0 and len(folders) > 0


def losses_of(run):
    found = {}
    for line in (pathlib.Path(run) / "metrics.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "loss" in entry and "rate" in entry:
            found[entry["step"]] = entry["loss"]
    return found


def losses(run, other, bound):
    a, b = losses_of(run), losses_of(other)
    if not a or a.keys() != b.keys():
        print(f"{len(a)} and {len(b)} steps")
        return False
    worst = max(a, key=lambda step: abs(a[step] - b[step]))
    print(f"{len(a)} steps; the largest difference is {abs(a[worst] - b[worst]):.1e}, at step {worst}; "
          f"the last losses are {a[max(a)]:.4f} and {b[max(b)]:.4f}")
    return abs(a[worst] - b[worst]) <= float(bound)


def weights(run, other):
    files = [pathlib.Path(folder) / "last" / name for name in ("model.safetensors", "optimizer.safetensors")
             for folder in (run, other)]
    same = files[0].read_bytes() == files[1].read_bytes() and files[2].read_bytes() == files[3].read_bytes()
    print(f"weights and moments: {'the same bits' if same else 'DIFFERENT'}, {files[0].stat().st_size} bytes of weights")
    return same


if __name__ == "__main__":
    checks = {"golden": (golden, 3), "losses": (losses, 3), "weights": (weights, 2)}
    check, count = checks.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if check is None or len(sys.argv) != 2 + count:
        raise SystemExit(__doc__)
    sys.exit(0 if check(*sys.argv[2:]) else 1)
