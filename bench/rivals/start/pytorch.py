import json

import torch
from contender import THREADS, folder
from embed.sentences import texts
from transformers import AutoModel, AutoTokenizer

torch.set_num_threads(THREADS)
model = AutoModel.from_pretrained(folder() + "/model", attn_implementation="sdpa").eval()
with torch.inference_mode():
    tokens = AutoTokenizer.from_pretrained(folder() + "/model")(texts(folder()), return_tensors="pt")
    mean = model(**tokens).last_hidden_state.mean(1)
print(json.dumps({"embedding": torch.nn.functional.normalize(mean, dim=1)[0].tolist()}))
