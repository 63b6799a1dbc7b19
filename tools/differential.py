#!/usr/bin/env python3
"""Varies config.json of the golden folders and looks for settings that Locus and transformers read differently.

Every field of the folder's config.json, of the configuration class in transformers, and of the code of the model gets other values, one field at a
time, and with --pairs also two at a time. Both programs run the same inputs. A row of the table counts the variations of one folder:

  no effect  neither result changes
  honored    both results change in the same way
  locus      Locus refuses the folder
  hf         transformers refuses the folder, or needs weights that it does not contain
  warned     the results differ, and Locus warns that it does not read the field
  known      the results differ for a reason that EXPECTED names
  SILENT     the results differ: listed below the row

Exits with 1 if there is a silent variation. Needs: pip install torch transformers safetensors, and a build.
Use: tools/differential.py [--locus build/release/locus] [--pairs N] [--seed N] [FOLDER..]
"""
import argparse
import collections
import contextlib
import copy
import dataclasses
import inspect
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1e-4
# What a variation may not change: the choice of the class, and settings that do not concern the weights and the forward pass.
FIXED = {"model_type", "architectures", "transformers_version", "dtype", "torch_dtype", "id2label", "label2id", "num_labels", "problem_type",
         "return_dict", "output_hidden_states", "output_attentions", "_name_or_path", "per_layer_config"}
# Differences that are known and documented in docs/checkpoints.md: the folder, the field, and the reason.
EXPECTED = {("olmo3", "rope_theta"): "transformers reads it for global-attention layers only",
            ("gpt2-class", "pad_token_id"): "Locus never classifies from a masked token"}
COLUMNS = ["no effect", "honored", "locus", "hf", "warned", "known", "SILENT"]
ACTIVATIONS = ["gelu", "gelu_new", "gelu_python", "gelu_pytorch_tanh", "relu", "silu", "tanh"]


def other_values(field, value, kind):
    """Values that a field may have instead of its own; `kind` is its type in the class of transformers, as text."""
    if value is None:
        some = {"null": [None], "bool": [True, False], "int": [1, 2], "float": [0.5, 2.0]}
        return [one for word, values in some.items() if word in kind for one in values]
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, max(value // 2, 1), 0, None]
    if isinstance(value, float):
        return [value * 2 or 0.5, value / 2 or 1.5, None]
    if isinstance(value, str):
        return [*(name for name in ACTIVATIONS if name != value and value in ACTIVATIONS), "unknown", None]
    if isinstance(value, list) and value:
        return [value[::-1], value[:1] * len(value), value[:-1], None]
    return []


def fields_of(config_class, model_class):
    """The fields that transformers may read for a model, by name: the type as text, and the default."""
    fields = {}
    for field in dataclasses.fields(config_class):
        preset = field.default if isinstance(field.default, (bool, int, float, str, list)) else None
        fields[field.name] = (str(field.type), preset)
    for name in getattr(config_class, "attribute_map", {}):
        fields.setdefault(name, ("int", None))
    modules = [sys.modules[each.__module__] for each in (config_class, model_class)] + [hf.masking_utils, hf.modeling_layers]
    if "rope_parameters" in fields:
        modules.append(hf.modeling_rope_utils)
    text = "".join(inspect.getsource(module) for module in modules)
    for name in re.findall(r'config\.(\w+)\b(?!\()|getattr\((?:self\.)?config, "(\w+)"|kwargs\.(?:pop|get)\("(\w+)"', text):
        fields.setdefault("".join(name), ("null | bool | int", None))
    return fields


def variations(config, fields):
    """Pairs of a dotted name and a value."""
    for field in sorted(set(config) | set(fields)):
        if field in FIXED or (field.startswith("_") and field not in config):
            continue
        kind, preset = fields.get(field, ("", None))
        value = config.get(field, preset)
        for other in other_values(field, value, kind):
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
    return (load_file(out) if done.returncode == 0 else None), done.stderr


def by_transformers(folder, model_class, inputs):
    """The outputs, or None; and the tensors that the folder lacks."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            model, info = model_class.from_pretrained(folder, output_loading_info=True, dtype=torch.float32)
            return (None if info["mismatched_keys"] else outputs_of(model.eval(), inputs)), set(info["missing_keys"])
    except Exception:  # whatever a class raises for a configuration that it does not take
        return None, set()


def difference(ours, theirs):
    worst = 0.0
    for name in set(ours) & set(theirs) - {"loss"}:
        a, b = ours[name].double(), theirs[name].double()
        if a.shape != b.shape or not bool(torch.isfinite(b).all()):
            return float("inf")
        worst = max(worst, float((a - b).abs().max() / max(float(b.abs().max()), 1e-30)))
    return worst


def verdict(name, changes, base, ours, theirs, notes):
    """The column of a variation, and the difference of the results."""
    if ours is None or theirs is None:
        return ("locus" if ours is None else "hf"), 0.0
    worst = difference(ours, theirs)
    if worst <= LIMIT:
        return ("honored" if difference(ours, base) > LIMIT else "no effect"), worst
    if any((name, field) in EXPECTED for field, _ in changes):
        return "known", worst
    if any(f"'{name}' is " in notes for field, _ in changes for name in (field, field.split(".")[0])):
        return "warned", worst
    return "SILENT", worst


def run_folder(options, golden):
    config = json.loads((golden / "config.json").read_text())
    inputs = {name: torch.tensor(rows) for name, rows in json.loads((golden / "inputs.json").read_text()).items()
              if name not in ("start_positions", "end_positions") and not (name == "labels" and not config.get("is_encoder_decoder"))}
    names = config.get("architectures")
    config_class = hf.CONFIG_MAPPING[config["model_type"]]
    model_class = getattr(hf, names[0]) if names else hf.MODEL_MAPPING[config_class]
    single = [(one,) for one in dict((json.dumps(one), one) for one in variations(config, fields_of(config_class, model_class))).values()]
    chosen = random.Random(options.seed)
    double = [tuple(one[0] for one in chosen.sample(single, 2)) for _ in range(options.pairs)]
    counts, silent, base, computed = collections.Counter(), [], None, set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.safetensors").symlink_to((golden / "model.safetensors").resolve())
        for changes in [(), *single, *double]:
            (folder / "config.json").write_text(json.dumps(changed(config, changes)))
            ours, notes = by_locus(options.locus, folder, inputs)
            theirs, missing = by_transformers(folder, model_class, inputs) if ours is not None else (None, set())
            if not changes:
                base, computed = ours, missing  # such as tables of sinusoids
            if missing - computed:
                theirs = None
            what, worst = verdict(golden.name, changes, base, ours, theirs, notes)
            if not changes and what != "no effect":
                sys.exit(f"differential: {golden.name} differs unchanged: {what}, {worst:.2g}")
            counts[what] += 1
            if what == "SILENT":
                silent.append((worst, changes))
    return {field.split(".")[0] for changes in single for field, _ in changes}, counts, silent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locus", default=ROOT / "build/release/locus")
    parser.add_argument("--pairs", type=int, default=0, help="variations of two fields per folder, chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="chooses the pairs")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    golden = sorted(path.parent for path in (ROOT / "tests/golden/family").glob("*/config.json"))
    chosen = [path for path in golden if not options.folders or path.name in options.folders]
    if unknown := set(options.folders) - {path.name for path in golden}:
        sys.exit(f"differential: no golden folder {', '.join(sorted(unknown))}, expected some of {', '.join(path.name for path in golden)}")
    found = 0
    print(f"{'folder':24} fields " + " ".join(f"{column:>9}" for column in COLUMNS))
    for path in chosen:
        fields, counts, silent = run_folder(options, path)
        print(f"{path.name:24} {len(fields):6} " + " ".join(f"{counts[column]:9}" for column in COLUMNS), flush=True)
        found += len(silent)
        for worst, changes in silent:
            print(f"  SILENT {', '.join(f'{field} = {json.dumps(value)}' for field, value in changes)}: differs by {worst:.2g}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    try:
        import torch
        import transformers as hf
        from safetensors.torch import load_file

        sys.path.insert(0, str(ROOT / "tools/golden"))
        from family_folder import outputs_of
    except ImportError as error:
        sys.exit(f"differential: {error}, expected a Python with torch, transformers and safetensors: pip install torch transformers safetensors, or "
                 "name another Python in LOCUS_PYTHON")
    hf.logging.set_verbosity(hf.logging.CRITICAL)
    torch.set_num_threads(1)  # the models are tiny
    sys.exit(main())
