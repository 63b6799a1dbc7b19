import torch
from bert.encoder import job, model
from contender import serve

encoder = torch.compile(model())
serve(lambda: job(encoder))
