from bert.encoder import job, model
from contender import serve

encoder = model(attn_implementation="sdpa")
serve(lambda: job(encoder))
