import numpy
import torch
from contender import THREADS, folder, serve
from embed.sentences import batches, padded, texts, tokenizer
from transformers import AutoModel

torch.set_num_threads(THREADS)
model = AutoModel.from_pretrained(folder() + "/model", attn_implementation="sdpa").eval()
encoder, lines = tokenizer(folder()), texts(folder())


@torch.inference_mode()
def job():
    out = numpy.empty((len(lines), model.config.hidden_size), dtype=numpy.float32)
    for which, rows in batches(encoder, lines):
        ids, mask = map(torch.from_numpy, padded(rows))
        hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).float()
        mean = (hidden * weights).sum(1) / weights.sum(1)
        out[which] = torch.nn.functional.normalize(mean, dim=1).numpy()
    return out


serve(job)
