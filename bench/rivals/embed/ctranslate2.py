import ctranslate2
import numpy
from contender import THREADS, folder, serve
from embed.sentences import batches, pooled, texts, tokenizer
from exports import ctranslate2_folder

model = ctranslate2.Encoder(ctranslate2_folder(folder()), device="cpu", compute_type="float32", intra_threads=THREADS)
encoder, lines = tokenizer(folder()), texts(folder())


def job():
    out = numpy.empty((len(lines), 384), dtype=numpy.float32)
    for which, rows in batches(encoder, lines):
        lengths = numpy.array([[len(row)] for row in rows])
        hidden = numpy.array(model.forward_batch(rows).last_hidden_state)
        out[which] = pooled(hidden, numpy.arange(hidden.shape[1])[None] < lengths)
    return out


serve(job)
