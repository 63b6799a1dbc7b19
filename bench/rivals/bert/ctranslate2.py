import ctranslate2
import numpy
from bert.encoder import ids
from contender import THREADS, folder, serve
from exports import ctranslate2_folder

model = ctranslate2.Encoder(ctranslate2_folder(folder()), device="cpu", compute_type="float32", intra_threads=THREADS)
serve(lambda: numpy.array(model.forward_batch(ids.tolist()).last_hidden_state))
