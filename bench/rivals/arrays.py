"""Inputs of workloads: random tensors in inputs.safetensors, the same in every run."""

import numpy


def normal(seed, *shape, scale=1.0):
    return (scale * numpy.random.default_rng(seed).standard_normal(shape)).astype(numpy.float32)


def ids(seed, below, *shape):
    return numpy.random.default_rng(seed).integers(0, below, shape).astype(numpy.int32)


def write(folder, **tensors):
    from safetensors.numpy import save_file

    save_file(tensors, str(folder / "inputs.safetensors"))


def sizes(case):
    """Parses the sizes in the name of a case: "8x128" is [8, 128]."""
    return [int(size) for size in case.split("x")]


def random_model(folder, make):
    """Writes make() into folder/model, with the same weights in every run, unless it exists."""
    import torch

    if not (folder / "model" / "config.json").exists():
        torch.manual_seed(1)
        make().eval().save_pretrained(folder / "model")
