import torch
from bert.encoder import job, model
from contender import serve

encoder = torch.compile(model(attn_implementation="sdpa"))
serve(lambda: job(encoder))
