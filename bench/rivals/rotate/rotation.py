"""The rotation as implemented in transformers, on [B, H, L, D]."""

import torch
from contender import THREADS, inputs
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

torch.set_num_threads(THREADS)
given = inputs()
q, k = (given[name].view(4, 1024, 12, 64).transpose(1, 2).contiguous() for name in ("q", "k"))
cos, sin = (torch.cat([given[name]] * 2, dim=-1)[None] for name in ("cos", "sin"))


def rotate():
    return apply_rotary_pos_emb(q, k, cos, sin)


def job(rotate):
    with torch.inference_mode():
        return rotate()[1].transpose(1, 2).numpy()
