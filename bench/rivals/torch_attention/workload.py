"""locus.torch.attention and its rival inside torch, 2 sequences of 512 tokens, 12 heads of 64."""

from arrays import normal, write

TITLE = "attention in torch, 2x12x512x64"
CASES = ["forward", "backward"]
UNIT = "passes"
TOLERANCE = 1e-4

B, H, L, D = 2, 12, 512, 64


def prepare(folder, models, case):
    write(folder, **{name: normal(seed, B, L, H, D) for seed, name in enumerate(("q", "k", "v", "dy"))})
    return {"amount": 1, "work": (2 if case == "forward" else 7) * 2 * B * H * L * L * D}
