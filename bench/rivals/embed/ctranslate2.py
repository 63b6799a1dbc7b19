import ctranslate2
from contender import THREADS, folder, serve
from embed.sentences import ctranslate2_vectors, texts, tokenizer
from exports import ctranslate2_folder

model = ctranslate2.Encoder(ctranslate2_folder(folder()), device="cpu", compute_type="float32", intra_threads=THREADS)
encoder, lines = tokenizer(folder()), texts(folder())
serve(lambda: ctranslate2_vectors(model, encoder, lines))
