import numpy
import torch
from contender import THREADS, folder, inputs, serve
from transformers import AutoModelForCausalLM

torch.set_num_threads(THREADS)
model = AutoModelForCausalLM.from_pretrained(folder() + "/model", attn_implementation="sdpa").eval()
prompt = inputs()["ids"].long()[None]


@torch.inference_mode()
def job():
    mask = torch.ones_like(prompt)
    out = model.generate(prompt, attention_mask=mask, do_sample=False, max_new_tokens=128, min_new_tokens=128, pad_token_id=0)
    return out[0, prompt.shape[1]:].numpy().astype(numpy.int32)


serve(job)
