"""The minimum of floating-point operations of a model: the products with weights and the two of attention."""


def encoder(lengths, layers, width):
    """For sequences of these lengths in BERT layers: 12 width^2 weights, every token attends to all tokens."""
    return sum(2 * length * layers * (12 * width * width + 2 * length * width) for length in lengths)
