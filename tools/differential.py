#!/usr/bin/env python3
"""Varies config.json of the golden folders and looks for settings that Locus and transformers read differently.

Every field of the folder's config.json and of the configuration class in transformers gets other values, one field at a time, and with --pairs
also two at a time. Both programs run the same inputs. A row of the table counts the variations of one folder:

  same       both compute the same
  locus      Locus refuses the folder
  hf         transformers refuses the folder, or needs weights that it does not contain
  SILENT     both compute, and the results differ: listed below the table, unless EXPECTED gives a reason

Exits with 1 if there is a silent variation. Needs: pip install torch transformers safetensors, and a build.
Use: tools/differential.py [--locus build/release/locus] [--pairs N] [FOLDER..]
"""
import argparse
import contextlib
import copy
import dataclasses
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1e-4
# What a variation may not change: the choice of the class, and settings that do not concern the weights and the forward pass.
FIXED = {"model_type", "architectures", "transformers_version", "dtype", "torch_dtype", "id2label", "label2id", "num_labels", "problem_type",
         "return_dict", "output_hidden_states", "output_attentions", "_name_or_path", "per_layer_config"}
# Folder and field of differences that are known and documented in docs/checkpoints.md, with the reason.
EXPECTED = {("olmo3", "rope_theta"): "transformers reads it for global-attention layers only"}
ACTIVATIONS = ["gelu", "gelu_new", "gelu_python", "gelu_pytorch_tanh", "relu", "silu", "tanh"]


def other_values(field, value, kind):
    """Values that a field may have instead of its own; `kind` is its type in the class of transformers, as text."""
    if isinstance(value, bool) or (value is None and "bool" in kind):
        return [not value, None] if value is not None else [True, False]
    if isinstance(value, int) or (value is None and "int" in kind):
        return [value + 1, max(value // 2, 1), 0, None] if value is not None else [1, 2]
    if isinstance(value, float) or (value is None and "float" in kind):
        return [value * 2 or 0.5, value / 2 or 1.5, None] if value is not None else [0.5, 2.0]
    if isinstance(value, str):
        return [*(name for name in ACTIVATIONS if name != value and value in ACTIVATIONS), "unknown", None]
    if isinstance(value, list) and value:
        return [value[::-1], value[:1] * len(value), value[:-1], None]
    return []


def variations(config, kinds):
    """Pairs of a dotted name and a value."""
    for field in sorted(set(config) | set(kinds)):
        if field in FIXED or field.startswith("_"):
            continue
        value = config.get(field)
        for other in other_values(field, value, kinds.get(field, "")):
            yield field, other
        if isinstance(value, dict):
            yield field, None
            for name, member in value.items():
                members = member.items() if isinstance(member, dict) else [(None, member)]
                for inner, number in members:
                    for other in other_values(name, number, ""):
                        yield ".".join(filter(None, (field, name, inner))), other


def changed(config, changes):
    result = copy.deepcopy(config)
    for field, value in changes:
        *path, name = field.split(".")
        at = result
        for part in path:
            at = at.get(part) if isinstance(at, dict) else None
        if isinstance(at, dict):
            at[name] = value
    return result


def by_locus(program, folder, inputs):
    (folder / "x.json").write_text(json.dumps({name: tensor.tolist() for name, tensor in inputs.items()}))
    out = folder / "y.safetensors"
    out.unlink(missing_ok=True)
    done = subprocess.run([program, "forward", folder, "--input", folder / "x.json", "--out", out], capture_output=True, text=True)
    if done.returncode not in (0, 2, 3, 4):
        sys.exit(f"differential: locus ended with {done.returncode}: {done.stderr}")
    return load_file(out) if done.returncode == 0 else None


def by_transformers(folder, model_class, inputs):
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            model, info = model_class.from_pretrained(folder, output_loading_info=True, dtype=torch.float32)
            if info["missing_keys"] or info["mismatched_keys"]:
                return None
            return outputs_of(model.eval(), inputs)
    except Exception:  # whatever a class raises for a configuration that it does not take
        return None


def difference(ours, theirs):
    worst = 0.0
    for name in set(ours) & set(theirs) - {"loss"}:
        a, b = ours[name].double(), theirs[name].double()
        if a.shape != b.shape or not bool(torch.isfinite(b).all()):
            return float("inf")
        worst = max(worst, float((a - b).abs().max() / max(float(b.abs().max()), 1e-30)))
    return worst


def run_folder(program, golden, pairs):
    config = json.loads((golden / "config.json").read_text())
    inputs = {name: torch.tensor(rows) for name, rows in json.loads((golden / "inputs.json").read_text()).items()
              if name not in ("start_positions", "end_positions") and not (name == "labels" and not config.get("is_encoder_decoder"))}
    names = config.get("architectures")
    config_class = hf.CONFIG_MAPPING[config["model_type"]]
    model_class = getattr(hf, names[0]) if names else hf.AutoModel
    kinds = {field.name: str(field.type) for field in dataclasses.fields(config_class)}
    kinds.update((name, "int") for name in getattr(config_class, "attribute_map", {}))
    single = [(one,) for one in variations(config, kinds)]
    chosen = random.Random(1)
    double = [tuple(one[0] for one in chosen.sample(single, 2)) for _ in range(pairs)]
    counts, silent = dict.fromkeys(("same", "locus", "hf", "SILENT"), 0), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.safetensors").symlink_to((golden / "model.safetensors").resolve())
        for changes in [(), *single, *double]:
            (folder / "config.json").write_text(json.dumps(changed(config, changes)))
            ours = by_locus(program, folder, inputs)
            theirs = by_transformers(folder, model_class, inputs) if ours is not None else None
            if not changes and (ours is None or theirs is None):
                sys.exit(f"differential: {golden.name} does not open unchanged")
            worst = difference(ours, theirs) if ours is not None and theirs is not None else 0.0
            what = "locus" if ours is None else "hf" if theirs is None else "same" if worst <= LIMIT else "SILENT"
            counts[what] += 1
            if what == "SILENT" and not any((golden.name, field) in EXPECTED for field, _ in changes):
                silent.append((worst, changes))
    return counts, silent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locus", default=ROOT / "build/release/locus")
    parser.add_argument("--pairs", type=int, default=0, help="variations of two fields per folder, chosen at random")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    golden = sorted(path.parent for path in (ROOT / "tests/golden/family").glob("*/config.json"))
    chosen = [path for path in golden if not options.folders or path.name in options.folders]
    if unknown := set(options.folders) - {path.name for path in golden}:
        sys.exit(f"differential: no golden folder {', '.join(sorted(unknown))}, expected some of {', '.join(path.name for path in golden)}")
    found = []
    print(f"{'folder':24} {'same':>6} {'locus':>6} {'hf':>6} {'SILENT':>6}")
    for path in chosen:
        counts, silent = run_folder(options.locus, path, options.pairs)
        found += [(path.name, *one) for one in silent]
        print(f"{path.name:24} " + " ".join(f"{count:6}" for count in counts.values()), flush=True)
    for name, worst, changes in found:
        print(f"SILENT {name}: {', '.join(f'{field} = {json.dumps(value)}' for field, value in changes)}: differs by {worst:.2g}")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        import torch
        import transformers as hf
        from safetensors.torch import load_file

        sys.path.insert(0, str(ROOT / "tools/golden"))
        from families import outputs_of
    except ImportError as error:
        sys.exit(f"differential: {error}, expected a Python with torch, transformers and safetensors: pip install torch transformers safetensors, or "
                 "name another Python in LOCUS_PYTHON")
    hf.logging.set_verbosity_error()
    torch.set_num_threads(1)  # the models are tiny
    sys.exit(main())
