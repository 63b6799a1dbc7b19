"""A transformers encoder as a job: computes the hidden states of the ids."""

import torch
from contender import THREADS, folder, inputs
from transformers import AutoModel

torch.set_num_threads(THREADS)
ids = inputs()["ids"].long()


def model(**options):
    return AutoModel.from_pretrained(folder() + "/model", **options).eval()


def job(model):
    with torch.inference_mode():
        return model(input_ids=ids).last_hidden_state.numpy()
