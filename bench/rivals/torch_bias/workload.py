"""Attention with a learned bias by distance inside torch, and the gradients of q, k, v and of the bias.
FlexAttention is not a contender: on CPUs it has no backward pass."""

from arrays import normal, write

TITLE = "attention with a learned distance bias in torch, 2x12x512x64"
CASES = ["backward"]
UNIT = "passes"
TOLERANCE = 1e-3  # sums over 1024 pairs for each distance

B, H, L, D = 2, 12, 512, 64


def prepare(folder, models, case):
    projections = {name: normal(seed, B, L, H, D) for seed, name in enumerate(("q", "k", "v", "dy"))}
    write(folder, **projections, bias=normal(9, H, 2 * L - 1))
    return {"amount": 1, "work": 7 * 2 * B * H * L * L * D}
