"""The job of the contenders: attention with a bias [H, 2 L - 1], and the gradients of all inputs."""

import torch
from contender import THREADS, inputs


def job_of(attention):
    torch.set_num_threads(THREADS)
    given = inputs()
    dy = given.pop("dy")
    leaves = [given[name].requires_grad_() for name in ("q", "k", "v", "bias")]

    def job():
        gradients = torch.autograd.grad(attention(*leaves), leaves, dy)
        return torch.cat([x.flatten() for x in gradients]).numpy()

    return job


def distances(length):
    """The column of the bias for each pair of query and key."""
    place = torch.arange(length)
    return place[None] - place[:, None] + length - 1
