"""The product of a linear layer, x [m, k] with a weight [n, k], for shapes that occur in models."""

from arrays import normal, sizes, write

TITLE = "matrix product, m x n x k"
CASES = ["2048x2048x2048", "1024x1536x384", "1024x3072x768", "256x384x384"]
UNIT = "products"
LIMIT = "fma"
# Sums of at most 2048 products of size 1.
TOLERANCE = 1e-3


def prepare(folder, models, case):
    m, n, k = sizes(case)
    write(folder, x=normal(1, m, k), weight=normal(2, n, k))
    return {"amount": 1, "work": 2 * m * n * k}
