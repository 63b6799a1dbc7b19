#!/usr/bin/env python3
"""Stretches the golden folder of every family and compares the result with the installed version of transformers.

Versions 4 and 5 of transformers read different spellings of rotary settings in config.json, and each ignores the other one. Run this script with
both: the folder that `locus stretch` writes must compute the same in Locus and in transformers, on texts longer than the old context. The
difference is the largest one of the outputs, relative to their largest number. A folder that the installed version cannot represent must fail
to open, and never compute something else.

Needs: pip install torch transformers safetensors (transformers==4.53.3, and the newest), and a build.
Use: tools/parity_stretch.py [--build build/release] [FAMILY..]
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

import torch
import transformers as hf
from safetensors.torch import load_file, save_file

MOST = 2e-5
HEADS = ("-class", "-token", "-answer", "-head")  # the same bodies as the folders without a suffix
METHODS = {"rotary": ("linear", "ntk", "yarn"), "learned": ("interpolate", "repeat")}
LENGTH_FIELDS = ("n_positions", "max_position_embeddings")


def inputs_for(model, lengths):
    generator = torch.Generator().manual_seed(3)
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(3, model.config.vocab_size, mask.shape, generator=generator)
    padding = model.config.pad_token_id or 0
    result = {"input_ids": torch.where(mask > 0, ids, torch.full_like(ids, padding)), "attention_mask": mask}
    if model.config.is_encoder_decoder:
        result["decoder_input_ids"] = torch.randint(3, model.config.vocab_size, (2, max(lengths)), generator=generator)
    return result


def difference(model, inputs, build, folder):
    with torch.no_grad():
        out = model(**inputs)
    name = next(n for n in ("logits", "last_hidden_state") if n in out)
    (folder / "inputs.json").write_text(json.dumps({k: v.tolist() for k, v in inputs.items()}))
    subprocess.run([build / "locus", "forward", folder, "--input", folder / "inputs.json", "--out", folder / "out.safetensors"], check=True)
    got, wanted = load_file(folder / "out.safetensors")[name], out[name]
    per_token = wanted.dim() == 3 and not model.config.is_encoder_decoder
    mask = inputs["attention_mask"][..., None] if per_token else 1
    return ((got - wanted) * mask).abs().max().item() / (wanted * mask).abs().max().item()


def without_scaling(block):
    if any(isinstance(value, dict) for value in block.values()):
        return {name: without_scaling(value) for name, value in block.items()}
    return {**{name: block[name] for name in ("rope_theta", "partial_rotary_factor") if name in block}, "rope_type": "default"}


def compare(golden, how, build, scratch):
    """One line of the table: (difference or None, a word, whether it is as it should be); None if the method does not suit."""
    shutil.copytree(golden, scratch / "model")
    golden = scratch / "model"
    config = json.loads((golden / "config.json").read_text())
    own = next((config[field] for field in LENGTH_FIELDS if field in config), 2048)
    if "rope_parameters" in config:
        config["rope_parameters"] = without_scaling(config["rope_parameters"])
    if hf.__version__ < "5" and (config.get("use_bidirectional_attention") or not config.get("is_causal", True)):
        return None, "this version has only causal attention", True
    if config["model_type"] == "smollm3":  # version 4 ignores these biases
        config["mlp_bias"] = False
        weights = load_file(golden / "model.safetensors")
        save_file({name: tensor for name, tensor in weights.items() if not re.search(r"mlp.*bias", name)}, golden / "model.safetensors")
    (golden / "config.json").write_text(json.dumps(config))
    longer = scratch / "longer"
    done = subprocess.run([build / "locus", "stretch", golden, "--length", str(2 * own), "--how", how, "--out", longer], capture_output=True, text=True)
    if done.returncode:
        return None
    kind = getattr(hf, config["architectures"][0], None)
    if kind is None:
        return None, f"this version has no {config['architectures'][0]}", True
    only_newer = "version 5 or later" in " ".join(done.stdout.split())
    try:
        with warnings.catch_warnings(record=True):
            model, info = kind.from_pretrained(longer, attn_implementation="eager", output_loading_info=True)
    except Exception as error:  # every version has its own exceptions for a config.json that it cannot represent
        return None, f"fails: {type(error).__name__}", hf.__version__ < "5"
    if [key for key in info["missing_keys"] if "embed_positions" not in key]:
        return None, f"missing: {info['missing_keys']}", False
    if only_newer and hf.__version__ < "5":
        return None, "opens, but this version cannot represent it", False
    found = difference(model.eval(), inputs_for(model, (2 * own - 3, own - 5)), build, longer)
    return found, "fine" if found <= MOST else "DIFFERENT", found <= MOST


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("families", nargs="*")
    options = parser.parse_args()
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    print(f"transformers {hf.__version__}\n{'family':18} {'method':12} {'difference':>10}")
    failed = 0
    folders = sorted((pathlib.Path(__file__).parent.parent / "tests/golden/family").iterdir())
    for golden in folders:
        if options.families and golden.name not in options.families or golden.name.endswith(HEADS):
            continue
        for how in sum(METHODS.values(), ()):
            with tempfile.TemporaryDirectory() as scratch:
                result = compare(golden, how, options.build, pathlib.Path(scratch))
            if result is None:
                continue
            found, word, fine = result
            failed += not fine
            print(f"{golden.name:18} {how:12} {'' if found is None else f'{found:.1e}':>10}  {word}", flush=True)
    print("all fine" if failed == 0 else f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
