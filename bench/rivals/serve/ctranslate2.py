import ctranslate2
from contender import THREADS, folder
from embed.sentences import ctranslate2_vectors, tokenizer
from exports import ctranslate2_folder
from serve.batching import run

model = ctranslate2.Encoder(ctranslate2_folder(folder()), device="cpu", compute_type="float32", intra_threads=THREADS)
encoder = tokenizer(folder())
run(lambda texts: ctranslate2_vectors(model, encoder, texts))
