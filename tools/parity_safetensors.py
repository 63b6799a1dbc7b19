#!/usr/bin/env python3
"""Does Locus accept exactly the safetensors files that the safetensors package accepts?

Mutates small valid files (bits, bytes, lengths, JSON values, JSON structure), asks both, and prints the agreement.
Locus is stricter on purpose in two ways, counted apart:
  duplicate   a tensor's name stands twice; the package keeps the last one silently
  positional  a tensor as ["F32", [1], [0, 4]] or its dtype as {"F32": null}: accidents of the package's JSON library,
              no part of the format
Any other difference ends with exit code 1. Needs: pip install safetensors. Use:
  tools/parity_safetensors.py build/release/tests/safetensors_accept [--count 10000] [--seed 1]
"""
import argparse
import copy
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import safetensors

BITS = {"BOOL": 8, "F4": 4, "F6_E2M3": 6, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E8M0": 8, "I16": 16, "F16": 16,
        "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "C64": 64, "F64": 64, "I64": 64, "U64": 64}
VALUES = [0, 1, -1, 2, 3, 4, 8, 1.0, 0.5, 1e0, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70, -2**63, None,
          True, False, "", "F32", "F99", "f32", [], {}, [0], [0, 4], [[0]], {"a": "b"}, {"a": 1}, "\u0000", "\u00e9"]
TEXTS = ["-0", "00", "01", "1.", ".5", "1e5", "1e400", "1E+2", "0x1", "NaN", "Infinity", "nul", "truex", "+1",
         '"\\ud800"', '"\\udc00"', '"\\ud83d\\ude00"', '"\\u00g0"', '"\\x"', '"\\/"', '"\x01"', '"\x7f"', "18446744073709551615",
         "18446744073709551616", "99999999999999999999999", "[" * 120 + "]" * 120, "[" * 125 + "]" * 125,
         "[" * 126 + "]" * 126, "[" * 5000 + "]" * 5000, "[1,]", "[,1]", '{"a":1,}', "{1:2}", "[}", '{"a" 1}', "'a'", "/**/1"]


def pack(header, data, length=None):
    return struct.pack("<Q", (len(header) if length is None else length) & (2**64 - 1)) + header + data


def valid(rng):
    """A valid file as (header object, data)."""
    header, begin = {}, 0
    if rng.random() < 0.5:
        header["__metadata__"] = {f"k{i}": "v" * rng.randrange(3) for i in range(rng.randrange(3))}
    for i in range(rng.randrange(5)):
        dtype = rng.choice(list(BITS))
        shape = [rng.choice([0, 1, 2, 3, 4, 8]) for _ in range(rng.randrange(4))]
        count = 1
        for size in shape:
            count *= size
        if count * BITS[dtype] % 8:
            shape, count = shape + [4], count * 4
        end = begin + count * BITS[dtype] // 8
        header[rng.choice(["w", "layer.0.", "é", "a/../b", "\0"]) + str(i)] = {
            "dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
        begin = end
    items = list(header.items())
    rng.shuffle(items)
    return dict(items), rng.randbytes(begin)


def places(node, path=()):
    """Every place in a JSON value, as a path of keys."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def edit_json(rng, header):
    """Changes one place of the JSON value."""
    header = copy.deepcopy(header)
    path = rng.choice(list(places(header)))
    if not path:
        return rng.choice(VALUES) if rng.random() < 0.3 else header
    node = header
    for key in path[:-1]:
        node = node[key]
    key, kind = path[-1], rng.randrange(6)
    if kind == 0:
        del node[key]
    elif kind == 1 and isinstance(node, dict):
        node[rng.choice(["x", "dtype", "shape", "data_offsets", "__metadata__"])] = node.pop(key)
    elif kind == 2 and isinstance(node, dict):
        node[rng.choice(["x", "y", "name"])] = rng.choice(VALUES)
    elif kind == 3 and isinstance(node[key], int):
        node[key] += rng.choice([-8, -4, -1, 1, 4, 8])
    elif kind == 4 and isinstance(node[key], list):
        node[key] = rng.choice([node[key][::-1], node[key] + [1], node[key] + [0], node[key][:-1]])
    else:
        node[key] = rng.choice(VALUES)
    return header


def edit_text(rng, header):
    """Puts a text that Python's writer would not make somewhere a value stands."""
    header = copy.deepcopy(header)
    path = rng.choice([p for p in places(header) if p] or [("x",)])
    node = header
    for key in path[:-1]:
        node = node[key]
    node[rng.choice(["x", path[-1]]) if isinstance(node, dict) else path[-1]] = "@@"
    return dump(rng, header).replace('"@@"', rng.choice(TEXTS))


def edit_structure(rng, header):
    """Repeats a key, or writes a tensor in the positional form."""
    text = dump(rng, header)
    tensors = [k for k in header if k != "__metadata__"]
    if not tensors:
        return text
    name = rng.choice(tensors)
    info = header[name]
    kind = rng.randrange(5)
    if kind == 0:
        return text[:-1] + "," + json.dumps(name) + ":" + json.dumps(info) + "}"
    if kind == 1:
        return dump(rng, {**header, name: list(info.values())})
    if kind == 2:
        return dump(rng, {**header, name: {**info, "dtype": {info["dtype"]: None}}})
    if kind == 3:
        return text.replace('"dtype"', '"dtype":"F32","dtype"', 1)
    return text[:-1] + ',"__metadata__":{}}'


def dump(rng, header):
    return json.dumps(header, ensure_ascii=rng.random() < 0.5, separators=rng.choice([(",", ":"), (", ", ": "), (" ,\n", "\t:\r")]))


def mutate(rng):
    header, data = valid(rng)
    kind = rng.choice(["none", "bits", "bytes", "header bytes", "length", "data", "json", "json", "json", "text", "text", "pad",
                       "structure"])
    if kind == "json":
        for _ in range(rng.choice([1, 1, 2])):
            header = edit_json(rng, header) if isinstance(header, dict) else header
        return kind, pack(dump(rng, header).encode("utf-8", "surrogatepass"), data)
    if kind == "text":
        return kind, pack(edit_text(rng, header).encode(), data)
    if kind == "structure":
        return kind, pack(edit_structure(rng, header).encode(), data)
    text = dump(rng, header).encode()
    if kind == "pad":
        pads = [b"", b" ", b"\n\t\r ", b"\0", b"\x0c", b"\xef\xbb\xbf", b"x", b"{}", b"\xc2\xa0", b"," ]
        return kind, pack(rng.choice(pads) + text + rng.choice(pads), data)
    if kind == "length":
        change = rng.choice([-len(text), -8, -2, -1, 1, 2, 8, len(data), 100, 100_000_000, 2**63, 2**64 - 1])
        return kind, pack(text, data, len(text) + change)
    if kind == "data":
        return kind, pack(text, rng.choice([data[:-1], data + b"\0", b"", data * 2, data[:-8]]))
    whole = bytearray(pack(text, data))
    if kind == "bits":
        for _ in range(rng.choice([1, 1, 2, 8])):
            whole[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
    elif kind in ("bytes", "header bytes"):
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.randrange(0 if kind == "bytes" else 8, max(9, len(whole) - len(data)))
            if rng.random() < 0.5:
                whole[at:at + 1] = rng.choice(b'{}[]":,0123456789-+.eE \\/\0\xffuFI').to_bytes(1, 'little')
            elif rng.random() < 0.5 and len(whole) > 9:
                del whole[at]
            else:
                whole.insert(at, rng.choice(b'{}[]":,0123456789- \\n'))
        if kind == "header bytes":
            whole[:8] = struct.pack("<Q", len(whole) - 8 - len(data))
    return kind, bytes(whole)


def package_accepts(content):
    try:
        safetensors.deserialize(content)
        return True
    except safetensors.SafetensorError:
        return False


def explained(content):
    """The name of the rule by which Locus refuses what the package takes, or None."""
    (length,) = struct.unpack("<Q", content[:8])
    repeated = []

    def pairs(items):
        keys = [k for k, _ in items]
        repeated.extend(k for k in keys if keys.count(k) > 1)
        return dict(items)

    header = json.loads(content[8:8 + length], object_pairs_hook=pairs)
    tensors = [v for k, v in header.items() if k != "__metadata__"]
    if any(isinstance(t, list) or isinstance(t["dtype"], dict) for t in tensors):
        return "positional"
    return "duplicate" if any(k in header for k in repeated) else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        files, kinds = [], []
        for i in range(options.count):
            kind, content = mutate(rng)
            path = pathlib.Path(folder, f"{i}.safetensors")
            path.write_bytes(content)
            files.append(path)
            kinds.append(kind)
        run = subprocess.run([options.program], input="\n".join(map(str, files)), capture_output=True, text=True, check=True)
        answers = run.stdout.splitlines()
        assert len(answers) == len(files), f"{len(answers)} answers for {len(files)} files"
        counts, same, stricter, bad = {}, 0, {}, []
        for path, kind, answer in zip(files, kinds, answers):
            content = path.read_bytes()
            theirs, ours = package_accepts(content), answer == "accept"
            row = counts.setdefault(kind, [0, 0, 0])
            row[0] += 1
            row[1] += theirs
            row[2] += theirs == ours
            same += theirs == ours
            if theirs != ours:
                rule = explained(content) if theirs else None
                if rule:
                    stricter[rule] = stricter.get(rule, 0) + 1
                else:
                    bad.append((kind, theirs, answer, content))
    print(f"safetensors {safetensors.__version__}, seed {options.seed}")
    print(f"{'mutation':14}{'files':>7}{'accepted':>10}{'agree':>7}")
    for kind, (files_, accepted, agree) in sorted(counts.items()):
        print(f"{kind:14}{files_:7}{accepted:10}{agree:7}")
    print(f"agreement {same} of {options.count}; stricter on purpose: {stricter or 'none'}; unexplained: {len(bad)}")
    for kind, theirs, answer, content in bad[:20]:
        print(f"  {kind}: package {'accepts' if theirs else 'rejects'}, Locus: {answer[:200]}\n    {content[:300]}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
