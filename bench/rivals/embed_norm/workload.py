"""Token rows plus position rows, layer norm; 16 sequences of 256 tokens of width 768, without and with backward."""

from arrays import ids, normal, write

TITLE = "token + position, layer norm, 16x256x768"
CASES = ["forward", "backward"]
UNIT = "passes"
LIMIT = "copy"
# Gradients of gamma are sums over 4096 tokens.
TOLERANCE = 1e-3

B, L, C, V = 16, 256, 768, 30522


def prepare(folder, models, case):
    write(folder, tokens=normal(1, V, C), positions=normal(2, L, C), gamma=normal(3, C), beta=normal(4, C),
          ids=ids(5, V, B * L), dy=normal(6, B * L, C))
    size = B * L * C * 4
    # Forward reads the rows and writes the sums. Backward (which includes forward) reads dy and the rows again and
    # writes their gradients.
    parts = 2 if case == "forward" else 5
    return {"amount": 1, "work": parts * size, "footprint": parts * size}
