import numpy
from contender import THREADS, folder, serve
from embed.sentences import batches, padded, pooled, texts, tokenizer
from exports import onnx_session

hidden_states = onnx_session(folder(), THREADS)
encoder, lines = tokenizer(folder()), texts(folder())


def job():
    out = numpy.empty((len(lines), 384), dtype=numpy.float32)
    for which, rows in batches(encoder, lines):
        ids, mask = padded(rows)
        out[which] = pooled(hidden_states(ids, mask), mask)
    return out


serve(job)
