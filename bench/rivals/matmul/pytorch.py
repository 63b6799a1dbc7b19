import torch
from contender import THREADS, inputs, serve

torch.set_num_threads(THREADS)
given = inputs()
serve(torch.inference_mode()(lambda: torch.nn.functional.linear(given["x"], given["weight"]).numpy()))
