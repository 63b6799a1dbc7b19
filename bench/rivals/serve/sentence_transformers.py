import torch
from contender import THREADS, folder
from sentence_transformers import SentenceTransformer
from serve.batching import run

torch.set_num_threads(THREADS)
model = SentenceTransformer(folder() + "/model", device="cpu")
run(lambda texts: model.encode(texts, show_progress_bar=False))
