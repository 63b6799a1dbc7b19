"""Floating operations that models need at least: the products with weights, and attention's own two."""


def encoder(lengths, layers, width):
    """Of sequences of these lengths, in layers of BERT's shape: 12 width^2 weights, every token attending to all."""
    return sum(2 * length * layers * (12 * width * width + 2 * length * width) for length in lengths)
