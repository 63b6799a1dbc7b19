import numpy
import torch
from contender import THREADS, folder, inputs, serve
from transformers import AutoModelForCausalLM

torch.set_num_threads(THREADS)
model = AutoModelForCausalLM.from_pretrained(folder() + "/model", attn_implementation="sdpa").train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
ids = inputs()["ids"].long()


def job():
    optimizer.zero_grad()
    logits = model(input_ids=ids[:, :-1]).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return numpy.array([loss.item()], dtype=numpy.float32)


serve(job)
