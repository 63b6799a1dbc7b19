import torch
from contender import THREADS, serve
from encode.texts import model, texts
from sentence_transformers import SentenceTransformer

torch.set_num_threads(THREADS)
embedder, given = SentenceTransformer(model(), device="cpu"), texts()
serve(lambda: embedder.encode(given))
