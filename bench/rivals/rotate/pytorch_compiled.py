import torch
from contender import serve
from rotate.rotation import job, rotate

compiled = torch.compile(rotate)
serve(lambda: job(compiled))
