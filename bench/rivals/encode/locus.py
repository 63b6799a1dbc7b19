from contender import THREADS, serve
from encode.texts import model, texts

import locus

locus.set_threads(THREADS)
embedder, given = locus.Embedder(model()), texts()
serve(lambda: embedder.encode(given, truncate=True))
