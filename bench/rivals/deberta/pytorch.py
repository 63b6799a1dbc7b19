from bert.encoder import job, model
from contender import serve

encoder = model()
serve(lambda: job(encoder))
