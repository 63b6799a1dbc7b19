#!/usr/bin/env python3
"""Golden values of the schemes that act on inputs, queries and keys: learned, sinusoidal, rotary, xpos.

    python tools/golden/schemes_input.py tests/golden

The values come from the modules of transformers if it has them. Otherwise, and where double precision is tested, they come
from the formulas of the papers with 50 digits (mpmath). Needs torch, transformers, safetensors and mpmath; the tests do not.
"""
import sys
from pathlib import Path

import mpmath
import numpy as np
import torch
import transformers
from mpmath import mpf
from safetensors.numpy import save_file
from transformers import BertConfig, GPT2Config, GPTJConfig, GPTNeoXConfig, LlamaConfig
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
from transformers.models.gpt2.modeling_gpt2 import GPT2Model
from transformers.models.gpt_neox import modeling_gpt_neox as neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

mpmath.mp.dps = 50
torch.manual_seed(4)
# Only one entry: the writer stores several in an order that changes from run to run.
METADATA = {"maker": f"tools/golden/schemes_input.py with transformers {transformers.__version__}, "
                     f"torch {torch.__version__}, mpmath {mpmath.__version__}"}


def write(folder, name, tensors):
    arrays = {k: np.ascontiguousarray(v.detach().numpy() if isinstance(v, torch.Tensor) else v)
              for k, v in tensors.items()}
    save_file(arrays, folder / f"{name}.safetensors", metadata=METADATA)


def doubles(rows):
    return np.array([[float(x) for x in row] for row in rows], dtype=np.float64)


def placement():
    """Position ids of RoBERTa and OPT for padding on the left, on the right, in between, and everywhere."""
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 1, 1], [0, 0, 0, 0, 0]])
    tokens = torch.where(mask == 1, 7, 1)  # 1 is the padding token of RoBERTa
    roberta = RobertaEmbeddings.create_position_ids_from_input_ids(tokens, 1)
    opt = OPTLearnedPositionalEmbedding(16, 1)
    opt.weight.data = torch.arange(18, dtype=torch.float32)[:, None]  # row i contains the number i
    return {"mask": mask, "roberta": roberta, "opt": opt(mask)[..., 0].long()}


def learned():
    ids = torch.tensor([[0, 1, 2, 3], [3, 0, 7, 7]])
    bert = BertEmbeddings(BertConfig(vocab_size=4, hidden_size=8, num_attention_heads=2, max_position_embeddings=8))
    gpt2 = GPT2Model(GPT2Config(vocab_size=4, n_embd=8, n_head=2, n_layer=1, n_positions=8))
    return {"ids": ids,
            "bert.table": bert.position_embeddings.weight, "bert.rows": bert.position_embeddings(ids),
            "gpt2.table": gpt2.wpe.weight, "gpt2.rows": gpt2.wpe(ids)}


def sinusoidal():
    length, width = 40, 12
    marian = MarianSinusoidalPositionalEmbedding(length, width)
    weight = marian.create_weight()
    distilbert = torch.nn.Parameter(torch.empty(length, width), requires_grad=False)
    create_sinusoidal_embeddings(length, width, distilbert)
    m2m100 = M2M100SinusoidalPositionalEmbedding.get_embedding(length, width)

    def waves(closed):
        half = width // 2
        exponents = [mpf(n) / (half - 1) if closed else mpf(2 * n) / width for n in range(half)]
        return [[p / mpf(10000) ** e for e in exponents] for p in range(length + 1)]

    def halves(angles):
        return [[mpmath.sin(a) for a in row] + [mpmath.cos(a) for a in row] for row in angles]

    def interleaved(angles):
        return [[f(a) for a in row for f in (mpmath.sin, mpmath.cos)] for row in angles]

    return {"marian": weight, "distilbert": distilbert, "m2m100": m2m100,
            "paper": doubles(interleaved(waves(False))), "tensor2tensor": doubles(halves(waves(True)))}


# Every scaling as (parameters of transformers, sequence lengths to test).
HALF = 8
POSITIONS = [0, 1, 2, 7, 63, 64, 100, 511, 4095, 131071]
SCALINGS = {
    "none": {"rope_type": "default"},
    "base500000": {"rope_type": "default", "rope_theta": 500000.0},
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 2.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64},
    "yarn_untruncated": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64,
                         "truncate": False, "beta_fast": 16.0, "beta_slow": 2.0},
    "yarn_mscale": {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 64,
                    "mscale": 1.0, "mscale_all_dim": 0.8},
    "yarn_attention": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64,
                       "attention_factor": 0.75},
    "longrope": {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 64,
                 "short_factor": [1.0 + 0.125 * n for n in range(HALF)],
                 "long_factor": [1.1 + 1.3 * n for n in range(HALF)]},
    "llama3": {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0, "original_max_position_embeddings": 8192},
}


def rope_config(parameters):
    return LlamaConfig(hidden_size=4 * HALF, num_attention_heads=2, num_hidden_layers=1, vocab_size=4,
                       max_position_embeddings=64, rope_parameters={"rope_theta": 10000.0, **parameters})


def exact_frequencies(p, length):
    """The formulas of the papers with 50 digits; the parameters are exact Python numbers."""
    kind, d, base = p["rope_type"], 2 * HALF, mpf(p.get("rope_theta", 10000.0))
    f, trained = mpf(p.get("factor", 1.0)), p.get("original_max_position_embeddings", 64)
    if kind == "ntk":
        base *= f ** (mpf(d) / (d - 2))
    if kind == "dynamic":
        base *= (f * max(length, trained) / trained - (f - 1)) ** (mpf(d) / (d - 2))
    plain = [base ** (-mpf(2 * n) / d) for n in range(HALF)]
    if kind == "linear":
        return [x / f for x in plain]
    if kind == "longrope":
        return [x / mpf(e) for x, e in zip(plain, p["long_factor" if length > trained else "short_factor"])]
    if kind == "yarn":
        pair = lambda turns: d * mpmath.log(trained / (mpf(turns) * 2 * mpmath.pi)) / (2 * mpmath.log(base))
        low, high = pair(p.get("beta_fast", 32)), pair(p.get("beta_slow", 1))
        if p.get("truncate", True):
            low, high = mpmath.floor(low), mpmath.ceil(high)
        low, high = max(low, mpf(0)), min(high, mpf(d - 1))
        ramp = [min(max((n - low) / (high - low), mpf(0)), mpf(1)) for n in range(HALF)]
        return [x / f * r + x * (1 - r) for x, r in zip(plain, ramp)]
    if kind == "llama3":
        low, high, result = mpf(p["low_freq_factor"]), mpf(p["high_freq_factor"]), []
        for x in plain:
            wavelength = 2 * mpmath.pi / x
            s = min(max((trained / wavelength - low) / (high - low), mpf(0)), mpf(1))
            result.append((1 - s) * x / f + s * x)
        return result
    return plain


def rotary():
    tensors = {"positions": np.array(POSITIONS, dtype=np.int32)}
    for name, parameters in SCALINGS.items():
        # A new module for each length: transformers keeps state from earlier calls.
        for length in (64, 131072) if name in ("dynamic", "longrope") else (131072,):
            module = llama.LlamaRotaryEmbedding(rope_config(parameters))
            positions = [p for p in POSITIONS if p < length]
            label = f"{name}.{length}"
            ids = torch.tensor([positions + [length - 1]])
            cos, sin = module(torch.zeros(1), ids)
            angle = ids[0, :-1, None].float() * module.inv_freq
            frequencies = exact_frequencies(parameters, length)
            a = mpf(module.attention_scaling)
            tensors |= {f"{label}.frequency": module.inv_freq, f"{label}.angle": angle,
                        f"{label}.cos": cos[0, :-1, :HALF], f"{label}.sin": sin[0, :-1, :HALF],
                        f"{label}.exact_cos": doubles([[a * mpmath.cos(p * x) for x in frequencies] for p in positions]),
                        f"{label}.exact_sin": doubles([[a * mpmath.sin(p * x) for x in frequencies] for p in positions])}
    # Enough frequencies, and a length that is not a power of two, to distinguish different orders of rounding.
    wide = LlamaConfig(hidden_size=512, num_attention_heads=2, head_dim=256, num_hidden_layers=1, vocab_size=4,
                       max_position_embeddings=131072,
                       rope_parameters={**SCALINGS["llama3"], "original_max_position_embeddings": 6000})
    tensors["llama3_wide.frequency"] = llama.LlamaRotaryEmbedding(wide).inv_freq
    ntk = exact_frequencies({"rope_type": "ntk", "factor": 4.0}, 0)
    tensors["ntk.131072.exact_cos"] = doubles([[mpmath.cos(p * x) for x in ntk] for p in POSITIONS])
    tensors["ntk.131072.exact_sin"] = doubles([[mpmath.sin(p * x) for x in ntk] for p in POSITIONS])
    return tensors


def rotated():
    """Queries and keys rotated as in Llama, NeoX (part of the head) and GPT-J (interleaved, part of the head)."""
    heads, length, size = 2, 9, 8
    q, k = torch.randn(1, heads, length, size), torch.randn(1, heads, length, size)
    ids = torch.arange(length)[None]
    flat = lambda x: x[0].transpose(0, 1).reshape(length, heads * size)  # [N, H*D]
    tensors = {"q": flat(q), "k": flat(k)}

    config = LlamaConfig(hidden_size=heads * size, num_attention_heads=heads, num_hidden_layers=1, vocab_size=4)
    turned = llama.apply_rotary_pos_emb(q, k, *llama.LlamaRotaryEmbedding(config)(q, ids))
    tensors |= {"llama.q": flat(turned[0]), "llama.k": flat(turned[1])}

    config = GPTNeoXConfig(hidden_size=heads * size, num_attention_heads=heads, num_hidden_layers=1, vocab_size=4,
                           rope_parameters={"rope_type": "default", "rope_theta": 10000.0,
                                            "partial_rotary_factor": 0.5})
    turned = neox.apply_rotary_pos_emb(q, k, *neox.GPTNeoXRotaryEmbedding(config)(q, ids))
    tensors |= {"neox.q": flat(turned[0]), "neox.k": flat(turned[1])}

    width = 4
    sin, cos = gptj.create_sinusoidal_positions(length, width)[ids].chunk(2, dim=-1)
    for name, x in (("q", q), ("k", k)):
        x = x.transpose(1, 2)  # GPT-J rotates [batch, length, heads, size]
        part = gptj.apply_rotary_pos_emb(x[..., :width], sin, cos)
        tensors[f"gptj.{name}"] = torch.cat([part, x[..., width:]], -1)[0].reshape(length, heads * size)
    return tensors


def xpos():
    """Scores q_i.k_j by the formula of the paper, in double, also for positions far from 0."""
    d, scale_base = 8, 512
    positions = [0, 1, 5, 700, 3000]
    q, k = torch.randn(len(positions), d, dtype=torch.float32), torch.randn(len(positions), d, dtype=torch.float32)
    scores = []
    for i, pi in enumerate(positions):
        row = []
        for j, pj in enumerate(positions):
            total = mpf(0)
            for n in range(d // 2):
                theta, zeta = mpf(10000) ** (-mpf(2 * n) / d), (mpf(2 * n) / d + mpf(4) / 10) / (mpf(14) / 10)
                qc, kc = (mpmath.mpc(float(x[2 * n]), float(x[2 * n + 1])) for x in (q[i], k[j]))
                turn = mpmath.expjpi((pi - pj) * theta / mpmath.pi)
                total += (qc * turn * mpmath.conj(kc)).real * zeta ** (mpf(pi - pj) / scale_base)
            row.append(total)
        scores.append(row)
    return {"positions": np.array([positions], dtype=np.int32), "q": q, "k": k, "scores": doubles(scores)}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for maker in (placement, learned, sinusoidal, rotary, rotated, xpos):
        write(folder, maker.__name__, maker())
