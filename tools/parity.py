#!/usr/bin/env python3
"""Compares Locus with transformers: more models of every family than the golden folders, with other sizes, seeds, settings and heads.

Each model is saved by transformers, run by `locus forward --gradients`, and compared: hidden states, logits, loss and every gradient, with
padding on the right, on the left, without padding, with explicit position_ids, and with weights stored as bf16. Then Locus saves the folder
again and transformers opens it. A difference is the largest one of a tensor, relative to its largest number. A gradient that is zero except
for rounding (that of a bias on keys) is compared relative to a hundredth of the largest gradient of all. Generative models also decode token
by token, and the KV cache of Locus is compared with that of transformers. Locus extends the context of some models, which are compared past
their old length. Finally, transformers opens models that Locus made from blueprints, and transformers models that Locus trained.

Needs: pip install torch transformers safetensors, and a build. Use: tools/parity.py [--build build/release] [--minilm FOLDER] [CASE..]
--minilm compares the real weights from `./run fetch minilm`, and checks that a text gives the same bits in every batch.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers as hf
from safetensors.torch import load_file

sys.path.insert(0, str(pathlib.Path(__file__).parent / "golden"))
from family_folder import inputs_for, outputs_of, randomise, save_folder  # noqa: E402
from parity_cases import CASES  # noqa: E402

FORWARD, GRADIENT = 2e-5, 2e-4


def differences(got, wanted):
    most = max((t.abs().max().item() for n, t in wanted.items() if n.startswith("grad.")), default=0)
    result = {"forward": 0.0, "gradient": 0.0}
    missing = set(wanted) ^ set(got)
    if missing:
        raise ValueError(f"different names: {sorted(missing)[:6]}")
    for name, tensor in wanted.items():
        kind = "gradient" if name.startswith("grad.") else "forward"
        size = max(tensor.abs().max().item(), 1e-2 * most if kind == "gradient" else 0, 1e-30)
        result[kind] = max(result[kind], (got[name].to(tensor.dtype) - tensor).abs().max().item() / size)
    return result


# Scalings that depend on the length: transformers uses the longest of the batch, Locus each sequence's own length. They agree for equal lengths.
EQUAL = {"llama 2", "llama 3"}

TAKE_NO_POSITIONS = ("Bloom", "Mpt", "FalconForSequence", "FalconForToken", "FalconForQuestion", "Deberta", "MPNet", "RoFormer", "MT5")


def conditions(name, model):
    """Name -> inputs, as far as the kind of model supports them."""
    lengths = (20, 20, 20) if name in EQUAL else (23, 4, 17)
    kind = type(model).__name__
    answers, pooled = "QuestionAnswering" in kind, "SequenceClassification" in kind
    causal = any(part in kind for part in ("GPT", "Llama", "Mistral", "Qwen", "Gemma", "Phi", "SmolLM3", "Starcoder", "StableLm", "Cohere", "Bloom", "Mpt",
                                           "Falcon", "OPT"))
    segments = 2 if kind.startswith(("Bert", "Electra", "Albert", "NomicBert", "RoFormer")) else 0
    result = {"none": inputs_for(model, (13,) * 4, segments=segments)}
    del result["none"]["attention_mask"]
    if not answers:  # their softmax over a row would include padding
        result["right"] = inputs_for(model, lengths, segments=segments)
        if causal or not pooled:  # otherwise the pooled token would be padding
            result["left"] = inputs_for(model, lengths, left=True, segments=segments)
    if not model.config.is_encoder_decoder and not any(part in kind for part in TAKE_NO_POSITIONS):
        given = inputs_for(model, (13,) * 4, segments=segments)
        given["position_ids"] = torch.stack([torch.arange(13) * 2 + 3, torch.arange(13) + 15] * 2)
        result["given"] = given
    return result


def run(build, folder, inputs, loss, scratch=None):
    scratch = scratch or folder
    (scratch / "inputs.json").write_text(json.dumps({k: v.tolist() for k, v in inputs.items()}))
    out = scratch / "out.safetensors"
    subprocess.run([build / "locus", "forward", folder, "--input", scratch / "inputs.json", "--out", out] + ["--gradients"] * loss, check=True)
    return load_file(out)


# Sinusoidal tables that RoFormer and Pegasus compute, and store among their weights.
COMPUTED = {"roformer.encoder.embed_positions.weight"} | {f"{before}{stack}.embed_positions.weight" for before in ("", "model.")
                                                        for stack in ("encoder", "decoder")}


def compare(name, build, scratch):
    kind, config, settings = CASES[name]
    torch.manual_seed(sum(map(ord, name)))
    model = randomise(kind(config(**settings)), seed=sum(map(ord, name)))
    model.set_attn_implementation("eager")
    folder, worst, cells = scratch / "model", {"forward": 0.0, "gradient": 0.0}, []
    save_folder(model, {}, folder)
    half = kind.from_pretrained(folder, dtype=torch.bfloat16)
    for dtype in ("f32", "bf16"):
        if dtype == "bf16":
            save_folder(half, {}, folder)
            model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        for condition, inputs in conditions(name, model).items():
            wanted = outputs_of(model, inputs)
            found = differences(run(build, folder, inputs, "loss" in wanted), wanted)
            cells.append(f"{condition}/{dtype} {found['forward']:.0e} {found['gradient']:.0e}")
            worst = {k: max(worst[k], found[k]) for k in worst}
    subprocess.run([build / "tests/model_resave", folder, scratch / "again"], check=True)
    again, info = kind.from_pretrained(scratch / "again", dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    # This one is not used if the head is not tied.
    info["missing_keys"] = set(info["missing_keys"]) - COMPUTED - (set() if model.config.tie_word_embeddings else {"cls.predictions.bias"})
    if info["missing_keys"] or info["unexpected_keys"]:
        raise ValueError(f"saved again, transformers misses {info['missing_keys']}, does not know {info['unexpected_keys']}")
    model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()  # scalings keep state from earlier lengths
    inputs = next(iter(conditions(name, model).values()))
    trip = differences({k: v for k, v in outputs_of(again.eval(), inputs).items()}, outputs_of(model, inputs))
    fine = worst["forward"] <= FORWARD and worst["gradient"] <= GRADIENT and trip["forward"] == 0
    print(f"{name:14} {kind.__name__:36} {worst['forward']:8.1e} {worst['gradient']:8.1e} {trip['forward']:6.0e}  {'fine' if fine else 'FAILED'}",
          flush=True)
    if not fine:
        print("   " + "; ".join(cells))
    return fine


WRITES = ("CausalLM", "LMHeadModel", "ConditionalGeneration", "MTModel")


def compare_cached(name, build, scratch):
    """Prompts of several lengths in one batch, then token by token; transformers runs each sequence alone."""
    kind, config, settings = CASES[name]
    model = randomise(kind(config(**settings)), seed=sum(map(ord, name))).eval()
    model.set_attn_implementation("eager")
    save_folder(model, {}, scratch / "model")
    inputs = {k: v for k, v in inputs_for(model, (12,) * 3).items() if k in ("input_ids", "decoder_input_ids")}
    both = model.config.is_encoder_decoder
    if both:
        inputs["decoder_input_ids"] = inputs["input_ids"].flip(1)
    (scratch / "inputs.json").write_text(json.dumps({k: v.tolist() for k, v in inputs.items()}))
    subprocess.run([build / "tests/model_decode", scratch / "model", scratch / "inputs.json", scratch / "out.safetensors"], check=True)
    got, worst = load_file(scratch / "out.safetensors")["logits"], 0.0
    for b, row in enumerate(inputs["decoder_input_ids" if both else "input_ids"]):
        cache, begin = None, 0
        for step in range(len(got)):
            fresh, begin = row[None, begin:3 + b + step], 3 + b + step
            with torch.no_grad():
                if both:
                    out = model(input_ids=inputs["input_ids"][b:b + 1], decoder_input_ids=fresh, past_key_values=cache, use_cache=True)
                else:
                    out = model(input_ids=fresh, past_key_values=cache, use_cache=True)
            cache, wanted = out.past_key_values, out.logits[0, -1]
            worst = max(worst, ((got[step, b] - wanted).abs().max() / wanted.abs().max()).item())
    fine = worst <= FORWARD
    print(f"{name:14} {'with a cache, token by token':36} {worst:8.1e}                  {'fine' if fine else 'FAILED'}", flush=True)
    return fine


MADE_SIZES = dict(vocabulary=61, width=40, layers=3, heads=5, max_length=64, init_std=0.3)
MADE_BARE = dict(norm="rms", query_bias=False, key_bias=False, value_bias=False, output_bias=False, hidden_bias=False)
MADE_LLAMA = {**MADE_BARE, "scheme.name": "rotary", "gated": True, "activation": "silu"}
MADE_COHERE = {**MADE_LLAMA, "norm": "layer", "norm_bias": False, "residual": "parallel-one-norm", "scheme.pairs": "interleaved", "head_scale": 0.5}
MADE_ENCODER = {"scheme.name": "learned", "kind": "encoder", "head": "masked_token", "norm_place": "after", "final_norm": False, "embedding_norm": True,
                "head_dense": True, "head_bias": True}
MADE_GEMMA = {**MADE_BARE, "norm": "rms-from-one", "gated": True, "activation": "gelu_tanh", "embedding_scale": 40 ** 0.5, "head_size": 6}
MADE_DEBERTA = {"scheme.name": "deberta", "attention_scale": (3 * 8) ** -0.5}
MADE = {
    "learned": (hf.GPT2LMHeadModel, {"scheme.name": "learned"}),
    "one key": (hf.GPTBigCodeForCausalLM, {"scheme.name": "learned", "key_heads": 1}),
    "rotary": (hf.GPTNeoXForCausalLM, {"scheme.name": "rotary", "scheme.width": 4, "activation": "gelu_tanh"}),
    "llama": (hf.LlamaForCausalLM, {**MADE_LLAMA, "key_heads": 1, "head_size": 6}),
    "llama yarn": (hf.LlamaForCausalLM, {**MADE_LLAMA, "scheme.scaling": "yarn", "scheme.factor": 4, "scheme.original_length": 16}),
    "llama labels": (hf.LlamaForTokenClassification, {**MADE_LLAMA, "head": "token_class", "labels": 5}),
    "mistral": (hf.MistralForCausalLM, {**MADE_LLAMA, "window": 6, "tied": False}),
    "qwen2": (hf.Qwen2ForCausalLM, {**MADE_LLAMA, "query_bias": True, "key_bias": True, "value_bias": True}),
    "alibi": (hf.BloomForCausalLM, {"scheme.name": "alibi", "embedding_norm": True, "activation": "gelu_tanh"}),
    "mpt": (hf.MptForCausalLM, {**MADE_BARE, "norm": "layer", "norm_bias": False, "scheme.name": "alibi", "attention_scale": 1, "init_std": 0.2}),
    "falcon": (hf.FalconForCausalLM, {**MADE_BARE, "norm": "layer", "scheme.name": "rotary", "residual": "parallel", "width": 48, "heads": 6, "key_heads": 2}),
    "falcon one key": (hf.FalconForCausalLM, {**MADE_BARE, "norm": "layer", "scheme.name": "rotary", "residual": "parallel-one-norm", "key_heads": 1}),
    "counted": (hf.OPTForCausalLM, {"scheme.name": "learned", "positions": "count", "position_offset": 2, "activation": "relu"}),
    "qwen3": (hf.Qwen3ForCausalLM, {**MADE_LLAMA, "head_norms": True, "head_size": 6, "key_heads": 1}),
    "eurobert": (hf.EuroBertForMaskedLM, {**MADE_LLAMA, "kind": "encoder", "head": "masked_token", "key_heads": 1}),
    "qwen2 both": (hf.Qwen2Model, {**MADE_LLAMA, "kind": "encoder", "head": "none", "query_bias": True, "key_bias": True, "value_bias": True}),
    "phi": (hf.PhiForCausalLM, {"scheme.name": "rotary", "scheme.width": 4, "residual": "parallel-one-norm", "head_bias": True, "tied": False}),
    "phi3": (hf.Phi3ForCausalLM, {**MADE_LLAMA, "fused_qkv": True, "scheme.width": 4, "key_heads": 1, "tied": False}),
    "smollm3": (hf.SmolLM3ForCausalLM, {**MADE_LLAMA, "global_every": 2, "global_first": 1, "global_scheme.name": "none"}),
    "cohere": (hf.CohereForCausalLM, {**MADE_COHERE}),
    "cohere2": (hf.Cohere2ForCausalLM, {**MADE_COHERE, "window": 5, "global_every": 2, "global_scheme.name": "none"}),
    "starcoder2": (hf.Starcoder2ForCausalLM, {"scheme.name": "rotary", "key_heads": 1, "window": 5}),
    "stablelm": (hf.StableLmForCausalLM, {**MADE_LLAMA, "norm": "layer", "scheme.width": 4, "key_heads": 1}),
    "granite": (hf.GraniteForCausalLM, {**MADE_LLAMA, "embedding_scale": 3, "residual_scale": 0.5, "attention_scale": 0.3, "head_scale": 0.25, "key_heads": 1}),
    "olmo2": (hf.Olmo2ForCausalLM, {**MADE_LLAMA, "norm_place": "added", "joint_norms": True, "key_heads": 1}),
    "olmo3": (hf.Olmo3ForCausalLM, {**MADE_LLAMA, "norm_place": "added", "joint_norms": True, "window": 5, "global_every": 3, "global_first": 1,
                                    "global_scheme.name": "rotary", "global_scheme.scaling": "linear", "global_scheme.factor": 2}),
    "gemma": (hf.GemmaForCausalLM, {**MADE_GEMMA, "scheme.name": "rotary"}),
    "gemma2": (hf.Gemma2ForCausalLM, {**MADE_GEMMA, "scheme.name": "rotary", "norm_place": "around", "window": 5, "global_every": 2, "global_first": 1,
                                      "attention_scale": 0.5, "score_cap": 1.5, "logit_cap": 0.7}),
    "gemma3": (hf.Gemma3ForCausalLM, {**MADE_GEMMA, "norm_place": "around", "head_norms": True, "window": 5, "global_every": 3, "global_first": 2,
                                      "scheme.name": "rotary", "global_scheme.name": "rotary", "global_scheme.base": 300, "global_scheme.scaling": "linear",
                                      "global_scheme.factor": 2}),
    "gpt-neo": (hf.GPTNeoForCausalLM, {"scheme.name": "learned", "query_bias": False, "key_bias": False, "value_bias": False, "attention_scale": 1,
                                       "window": 5, "global_every": 2}),
    "mpnet": (hf.MPNetForMaskedLM, {**MADE_ENCODER, "scheme.name": "learned+t5", "positions": "count", "position_offset": 2, "padding_token": 1}),
    "bert": (hf.BertForMaskedLM, {**MADE_ENCODER, "segments": 2}),
    "electra": (hf.ElectraForMaskedLM, {**MADE_ENCODER, "segments": 2, "embedding_width": 24}),
    "albert": (hf.AlbertForMaskedLM, {**MADE_ENCODER, "segments": 2, "embedding_width": 24, "shared_layers": True}),
    "modernbert": (hf.ModernBertForMaskedLM, {**MADE_BARE, "norm": "layer", "norm_bias": False, "kind": "encoder", "head": "masked_token", "gated": True,
                                              "embedding_norm": True, "first_norm": False, "head_dense": True, "dense_bias": False, "head_bias": True,
                                              "window": 5, "global_every": 2, "scheme.name": "rotary", "global_scheme.name": "rotary", "global_scheme.base": 300}),
    "nomic-bert": (hf.NomicBertForMaskedLM, {**MADE_ENCODER, **MADE_BARE, "norm": "layer", "segments": 2, "scheme.name": "rotary", "gated": True,
                                             "activation": "silu"}),
    "roformer": (hf.RoFormerForMaskedLM, {**MADE_ENCODER, "segments": 2, "scheme.name": "rotary", "scheme.pairs": "interleaved", "embedding_width": 24}),
    "roberta": (hf.RobertaForMaskedLM, {**MADE_ENCODER, "segments": 1, "positions": "count", "position_offset": 2, "padding_token": 1}),
    "distilbert": (hf.DistilBertForMaskedLM, {**MADE_ENCODER, "norm_eps": 1e-12}),
    "deberta": (hf.DebertaForMaskedLM, {**MADE_ENCODER, **MADE_DEBERTA, "key_bias": False, "scheme.buckets": 0, "scheme.shared": False,
                                        "scheme.key_bias": False, "scheme.norm": False}),
    "deberta-v2": (hf.DebertaV2ForTokenClassification, {**MADE_ENCODER, **MADE_DEBERTA, "scheme.buckets": 8, "scheme.norm_eps": 1e-5,
                                                        "head": "token_class", "head_dense": False}),
    "no segments": (hf.DebertaV2ForMaskedLM, {**MADE_ENCODER}),
    "gptj": (hf.GPTJForCausalLM, {"scheme.name": "rotary", "scheme.pairs": "interleaved", "scheme.width": 6, "residual": "parallel-one-norm", "head_bias": True,
                                  "query_bias": False, "key_bias": False, "value_bias": False, "output_bias": False, "activation": "gelu_tanh"}),
    # Unscaled scores: smaller weights prevent the softmax from selecting a single key.
    "t5": (hf.T5ForConditionalGeneration, {**MADE_BARE, "init_std": 0.2, "kind": "encoder-decoder", "scheme.name": "t5", "attention_scale": 1, "tied": False,
                                           "gated": True, "activation": "gelu_tanh", "decoder_layers": 2}),
    "marian": (hf.MarianMTModel, {"kind": "encoder-decoder", "scheme.name": "sinusoidal", "scheme.pairs": "halves", "norm_place": "after",
                                  "final_norm": False}),
    "mbart": (hf.MBartForConditionalGeneration, {"kind": "encoder-decoder", "scheme.name": "learned", "position_offset": 2,
                                                 "embedding_norm": True, "head_bias": True}),
    "m2m_100": (hf.M2M100ForConditionalGeneration, {"kind": "encoder-decoder", "scheme.name": "sinusoidal", "scheme.pairs": "halves",
                                                    "scheme.spacing": "closed", "positions": "count", "position_offset": 2, "padding_token": 1}),
    "pegasus": (hf.PegasusForConditionalGeneration, {"kind": "encoder-decoder", "scheme.name": "sinusoidal", "scheme.pairs": "halves",
                                                     "head_bias": True}),
}


def compare_made(name, build, scratch):
    """A model that Locus makes from a blueprint and saves, opened by transformers."""
    kind, settings = MADE[name]
    words = [f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in {**MADE_SIZES, **settings}.items()]
    subprocess.run([build / "tests/model_made", scratch / "made", *words], check=True)
    model, info = kind.from_pretrained(scratch / "made", attn_implementation="eager", output_loading_info=True)
    if json.loads((scratch / "made/config.json").read_text())["architectures"] != [kind.__name__]:
        raise ValueError(f"expected {kind.__name__}")
    if set(info["missing_keys"]) - COMPUTED - {"final_logits_bias"} or info["unexpected_keys"]:
        raise ValueError(f"transformers misses {info['missing_keys']}, does not know {info['unexpected_keys']}")
    inputs = inputs_for(model.eval(), (13, 13, 13))
    wanted = outputs_of(model, inputs)
    found = differences(run(build, scratch / "made", inputs, "loss" in wanted), wanted)
    fine = found["forward"] <= FORWARD and found["gradient"] <= GRADIENT
    print(f"{name:14} {'made by Locus, ' + kind.__name__:36} {found['forward']:8.1e} {found['gradient']:8.1e}         {'fine' if fine else 'FAILED'}", flush=True)
    return fine


STRETCHED = {("bert 1", "interpolate"), ("roberta 1", "repeat"), ("gpt2 1", "interpolate"), ("opt 1", "repeat"), ("bart 1", "interpolate"),
             ("mistral 1", "linear"), ("mistral 1", "ntk"), ("qwen2 1", "yarn"), ("neox 1", "linear"), ("smollm3 1", "yarn"),
             ("modernbert 1", "linear"), ("gemma3 1", "yarn"), ("phi3 1", "ntk"), ("olmo3 1", "yarn")}


def compare_stretched(name, how, build, scratch):
    """A model with a context window extended by Locus, opened by transformers."""
    kind, config, settings = CASES[name]
    model = randomise(kind(config(**settings)))
    save_folder(model, {}, scratch / "model")
    own = getattr(model.config, "n_positions", model.config.max_position_embeddings)
    subprocess.run([build / "locus", "stretch", scratch / "model", "--length", str(2 * own), "--how", how, "--out", scratch / "longer"],
                   check=True, stdout=subprocess.DEVNULL)
    longer = kind.from_pretrained(scratch / "longer", attn_implementation="eager").eval()
    inputs = inputs_for(longer, (own + 9, own - 5))
    wanted = outputs_of(longer, inputs)
    found = differences(run(build, scratch / "longer", inputs, "loss" in wanted), wanted)
    fine = found["forward"] <= FORWARD and found["gradient"] <= GRADIENT
    print(f"{name:14} {'stretched, ' + how:36} {found['forward']:8.1e} {found['gradient']:8.1e}         {'fine' if fine else 'FAILED'}", flush=True)
    return fine


LETTERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdef"]
TRAINED = {
    "fine-tuned": ("bert 3", hf.BertForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "labels anew": ("roberta 2", hf.RobertaForTokenClassification, "head = 'token_class'\n", "y.tsv"),
    "trained on": ("gpt2 1", hf.GPT2LMHeadModel, "", "x.txt"),
    "narrow rows": ("electra 4", hf.ElectraForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "shared layers": ("albert 4", hf.AlbertForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "labels twice": ("bart 2", hf.BartForSequenceClassification, "head = 'sequence_class'\n", "x.tsv"),
    "answers twice": ("bart 4", hf.BartForQuestionAnswering, "", "q.jsonl"),
    "pairs": ("t5 1", hf.T5ForConditionalGeneration, "", "z.tsv"),
    "more pairs": ("bart 1", hf.BartForConditionalGeneration, "", "z.tsv"),
    "answers": ("bert 3", hf.BertForQuestionAnswering, "head = 'answer'\n", "q.jsonl"),
}
QUESTIONS = [("a", "b c d e", "c d"), ("f", "e d c b", "b")]
PAIRS = [("a b c", "c b a"), ("d e", "e d"), ("f", "f")]


def loss_of_data(model, data, tokenizer):
    """The loss of transformers on the same examples, or None if Locus cuts its own windows."""
    with torch.no_grad():
        if data == "z.tsv":
            read = tokenizer([source for source, _ in PAIRS], padding=True, return_tensors="pt", return_token_type_ids=False)
            labels = tokenizer(text_target=[target for _, target in PAIRS], padding=True, return_tensors="pt")["input_ids"]
            return model(**read, labels=labels.masked_fill(labels == tokenizer.pad_token_id, -100)).loss.item()
        if data == "q.jsonl":
            read = tokenizer([q for q, *_ in QUESTIONS], [c for _, c, _ in QUESTIONS], return_tensors="pt",
                             return_token_type_ids=not model.config.is_encoder_decoder)
            begins = [context.index(answer) for _, context, answer in QUESTIONS]
            first = [read.char_to_token(i, begin, 1) for i, begin in enumerate(begins)]
            last = [read.char_to_token(i, begin + len(QUESTIONS[i][2]) - 1, 1) for i, begin in enumerate(begins)]
            return model(**read, start_positions=torch.tensor(first), end_positions=torch.tensor(last)).loss.item()
    return None


def compare_trained(name, build, scratch):
    """A transformers folder, trained by Locus with its own head or a new one, opened by transformers again."""
    case, kind, head, data = TRAINED[name]
    before, config, settings = CASES[case]
    save_folder(randomise(before(config(**settings))), {}, scratch / "model")
    (scratch / "model/vocab.txt").write_text("\n".join(LETTERS) + "\n")
    (scratch / "x.tsv").write_text("a b c\tup\nc b a\tdown\n" * 4)
    (scratch / "y.tsv").write_text("a b c\tX Y X\nc b a\tY Y X\n" * 4)
    (scratch / "x.txt").write_text("a b c d e f " * 40)
    (scratch / "z.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    (scratch / "q.jsonl").write_text("".join(
        json.dumps(dict(question=q, context=c, answers=dict(text=[a], answer_start=[c.index(a)]))) + "\n" for q, c, a in QUESTIONS))
    (scratch / "run.toml").write_text(f"[model]\nfrom = 'model'\n{head}[data]\ntrain = '{data}'\ncontext = 12\n[train]\nsteps = 5\nrate = 0.001\n")
    subprocess.run([build / "locus", "train", scratch / "run.toml", "--out", scratch / "run"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    hub = scratch / "run/hub"
    model, info = kind.from_pretrained(hub, attn_implementation="eager", output_loading_info=True)
    if info["missing_keys"] or info["unexpected_keys"]:
        raise ValueError(f"transformers misses {info['missing_keys']}, does not know {info['unexpected_keys']}")
    tokenizer = hf.BertTokenizer.from_pretrained(hub)
    if tokenizer.convert_tokens_to_ids("f") != len(LETTERS) - 1:
        raise ValueError("another tokenizer than the folder's")
    loss = loss_of_data(model.eval(), data, tokenizer)
    if loss is not None:
        printed = subprocess.run([build / "locus", "eval", scratch / "run", scratch / data, "--json"], check=True, capture_output=True).stdout
        if abs(json.loads(printed)["loss"] - loss) > FORWARD * loss:
            raise ValueError(f"the loss of its examples is {json.loads(printed)['loss']}, for transformers {loss}")
    inputs = inputs_for(model, (13, 13, 13))
    wanted = outputs_of(model, inputs)
    found = differences(run(build, hub, inputs, "loss" in wanted), wanted)
    fine = found["forward"] <= FORWARD and found["gradient"] <= GRADIENT
    print(f"{name:14} {'trained by Locus, ' + kind.__name__:36} {found['forward']:8.1e} {found['gradient']:8.1e}         {'fine' if fine else 'FAILED'}", flush=True)
    return fine


def compare_minilm(build, folder):
    texts = ["The dog chased the ball.", "It ran.", "Positions are data: a scheme turns them into terms, and kernels execute terms."]
    tokenizer, model = hf.AutoTokenizer.from_pretrained(folder), hf.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

    def states(batch):
        with tempfile.TemporaryDirectory() as scratch:
            return run(build, folder, dict(batch), False, pathlib.Path(scratch))["last_hidden_state"]

    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        wanted = model(**batch).last_hidden_state
    got = states(batch)
    difference = ((got - wanted) * batch["attention_mask"][..., None]).abs().max().item()
    alone = [states(tokenizer([text], return_tensors="pt"))[0] for text in texts]
    same = all(torch.equal(one, got[i, :len(one)]) for i, one in enumerate(alone))
    fine = difference <= 1e-5 and same
    print(f"minilm: largest difference {difference:.1e}, alone and in a batch {'same bits' if same else 'DIFFERENT bits'}: {'fine' if fine else 'FAILED'}")
    return fine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--minilm", type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    if options.minilm:
        sys.exit(not compare_minilm(options.build, options.minilm))
    print(f"{'case':14} {'architecture':36} {'forward':>8} {'gradient':>8} {'again':>6}")
    jobs = [(compare, (name,)) for name in options.cases or CASES if name in CASES]
    # With a cache, transformers keeps keys rotated with the scaling of earlier lengths, so it does not equal a full pass there.
    jobs += [(compare_cached, (name,)) for name, (kind, *_) in CASES.items()
             if kind.__name__.endswith(WRITES) and name not in EQUAL and (not options.cases or name in options.cases)]
    jobs += [(compare_stretched, case) for case in sorted(STRETCHED) if not options.cases or case[0] in options.cases]
    jobs += [(compare_made, (name,)) for name in MADE if not options.cases or name in options.cases]
    jobs += [(compare_trained, (name,)) for name in TRAINED if not options.cases or name in options.cases]
    failed = 0
    for job, words in jobs:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                failed += not job(*words, options.build, pathlib.Path(scratch))
            except (ValueError, subprocess.CalledProcessError) as error:
                print(f"{words[0]:14} {error}", flush=True)
                failed += 1
    print("all fine" if failed == 0 else f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
