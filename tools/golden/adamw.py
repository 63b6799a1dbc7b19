#!/usr/bin/env python3
"""Golden values of training with AdamW, from PyTorch: writes tests/golden/adamw.safetensors.

    python tools/golden/adamw.py tests/golden/adamw.safetensors      (needs torch and safetensors)

A two-layer classifier is trained on 24 samples in 50 steps: cross entropy, a learning rate with warmup and cosine decay,
gradient clipping by norm, weight decay of the matrices only. Everything is computed in double precision from inputs
rounded to f32.
    x, targets                    the samples
    start/NAME, end/NAME          the parameters before and after training
    rates, losses, norms          learning rate, loss and gradient norm (before clipping) of every step
"""
import math
import platform
import sys

import safetensors
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

STEPS, WARMUP, RATE, CLIP = 50, 10, 0.05, 0.25
torch.manual_seed(20251115)
x = torch.randn(24, 5)
targets = torch.randint(0, 4, (24,), dtype=torch.int32)
start = {
    "first.weight": torch.randn(8, 5) * 0.5,
    "first.bias": torch.randn(8) * 0.5,
    "second.weight": torch.randn(4, 8) * 0.5,
    "second.bias": torch.randn(4) * 0.5,
}
p = {name: value.double().requires_grad_() for name, value in start.items()}
optimizer = torch.optim.AdamW([
    {"params": [p["first.weight"], p["second.weight"]], "weight_decay": 0.1},
    {"params": [p["first.bias"], p["second.bias"]], "weight_decay": 0.0},
], betas=(0.9, 0.95), eps=1e-8)
rates, losses, norms = [], [], []
for step in range(1, STEPS + 1):
    if step <= WARMUP:
        rate = RATE * step / WARMUP
    else:
        rate = RATE * (0.1 + 0.9 * (1 + math.cos(math.pi * (step - WARMUP - 1) / (STEPS - WARMUP))) / 2)
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad()
    hidden = torch.tanh(F.linear(x.double(), p["first.weight"], p["first.bias"]))
    loss = F.cross_entropy(F.linear(hidden, p["second.weight"], p["second.bias"]), targets.long())
    loss.backward()
    norms.append(torch.nn.utils.clip_grad_norm_(p.values(), CLIP).item())
    losses.append(loss.item())
    rates.append(rate)
    optimizer.step()

tensors = {"x": x, "targets": targets}
tensors |= {f"start/{name}": value for name, value in start.items()}
tensors |= {f"end/{name}": value.detach().float() for name, value in p.items()}
tensors |= {"rates": torch.tensor(rates), "losses": torch.tensor(losses), "norms": torch.tensor(norms)}
save_file(tensors, sys.argv[1], metadata={
    "made_by": "tools/golden/adamw.py",
    "torch": torch.__version__,
    "safetensors": safetensors.__version__,
    "python": platform.python_version(),
    "precision": "computed in f64, stored as f32",
})
