import pathlib

import ctranslate2
import numpy
from contender import THREADS, folder, serve
from embed.sentences import batches, pooled, texts, tokenizer

converted = pathlib.Path(folder()) / "ctranslate2"
if not converted.exists():
    ctranslate2.converters.TransformersConverter(folder() + "/model").convert(str(converted))

model = ctranslate2.Encoder(str(converted), device="cpu", compute_type="float32", intra_threads=THREADS)
encoder, lines = tokenizer(folder()), texts(folder())


def job():
    out = numpy.empty((len(lines), 384), dtype=numpy.float32)
    for which, rows in batches(encoder, lines):
        lengths = numpy.array([[len(row)] for row in rows])
        hidden = numpy.array(model.forward_batch(rows).last_hidden_state)
        out[which] = pooled(hidden, numpy.arange(hidden.shape[1])[None] < lengths)
    return out


serve(job)
