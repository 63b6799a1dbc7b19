"""Shared by the rivals: tokenized sentences in batches of 32 of similar length, and pooling of hidden states."""

import pathlib

import numpy
from tokenizers import Tokenizer


def texts(folder):
    return (pathlib.Path(folder) / "sentences.txt").read_text().splitlines()


def tokenizer(folder):
    tokenizer = Tokenizer.from_file(str(pathlib.Path(folder) / "model" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    return tokenizer


def batches(tokenizer, texts, size=32):
    """Pairs of sentence indices and token ids, longest first."""
    ids = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
    for begin in range(0, len(order), size):
        which = order[begin:begin + size]
        yield which, [ids[i] for i in which]


def padded(ids):
    """Ids and mask, int64 [B, longest]."""
    longest = max(map(len, ids))
    mask = numpy.arange(longest)[None] < numpy.array([[len(row)] for row in ids])
    filled = numpy.zeros(mask.shape, dtype=numpy.int64)
    for row, own in zip(filled, ids):
        row[:len(own)] = own
    return filled, mask.astype(numpy.int64)


def pooled(hidden, mask):
    """Means over the non-padding tokens, normalized to length one: [B, C]."""
    weights = mask[..., None].astype(numpy.float32)
    mean = (hidden * weights).sum(1) / weights.sum(1)
    return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)


def ctranslate2_vectors(model, tokenizer, texts):
    """The vectors of texts by a ctranslate2.Encoder: [texts, C]."""
    out = numpy.empty((len(texts), 384), dtype=numpy.float32)
    for which, rows in batches(tokenizer, texts):
        lengths = numpy.array([[len(row)] for row in rows])
        hidden = numpy.array(model.forward_batch(rows).last_hidden_state)
        out[which] = pooled(hidden, numpy.arange(hidden.shape[1])[None] < lengths)
    return out
