import json

import ctranslate2
import numpy
from contender import THREADS, folder
from embed.sentences import batches, pooled, texts, tokenizer
from exports import ctranslate2_folder

model = ctranslate2.Encoder(ctranslate2_folder(folder()), device="cpu", compute_type="float32", intra_threads=THREADS)
(_, ids), = batches(tokenizer(folder()), texts(folder()))
hidden = numpy.array(model.forward_batch(ids).last_hidden_state)
print(json.dumps({"embedding": pooled(hidden, numpy.ones(hidden.shape[:2]))[0].tolist()}))
