"""The job of the contenders: a training step, whose result is the loss."""

import numpy
import torch
from contender import THREADS, folder, inputs
from transformers import T5ForConditionalGeneration


def job_of(prepare):
    torch.set_num_threads(THREADS)
    model = T5ForConditionalGeneration.from_pretrained(folder() + "/model")
    prepare(model)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    given = {name: x.long() for name, x in inputs().items()}

    def job():
        optimizer.zero_grad()
        loss = model(input_ids=given["ids"], labels=given["labels"]).loss
        loss.backward()
        optimizer.step()
        return numpy.array([loss.item()], dtype=numpy.float32)

    return job
