"""Attention with a bias of your own: a linear penalty that stops to grow at 16 tokens."""

import numpy

import locus

L, H, D = 64, 4, 16
distance = numpy.arange(1 - L, L)
slopes = 2.0 ** -numpy.arange(1, H + 1)
bias = -slopes[:, None] * numpy.minimum(numpy.abs(distance), 16)

q, k, v = (numpy.random.default_rng(i).standard_normal((L, H, D)) for i in range(3))
out = locus.attention(q, k, v, terms={"by_distance": bias}, causal=True)
print(out.shape)
