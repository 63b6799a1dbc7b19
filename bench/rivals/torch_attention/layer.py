"""The job of the contenders: attention on projections [B, L, H, D], and the gradients of all inputs."""

import torch
from contender import THREADS, case, inputs


def job_of(attention):
    torch.set_num_threads(THREADS)
    given = inputs()
    backward = case() == "backward"
    projections = [given[name].requires_grad_(backward) for name in "qkv"]

    def job():
        with torch.set_grad_enabled(backward):
            y = attention(*projections)
        if not backward:
            return y.contiguous().numpy()
        return torch.stack(torch.autograd.grad(y, projections, given["dy"])).numpy()

    return job
