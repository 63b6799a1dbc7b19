#!/usr/bin/env python3
"""Golden values of the ops, from PyTorch: writes tests/golden/ops.safetensors.

    python tools/golden/ops.py tests/golden/ops.safetensors      (needs torch and safetensors)

Inputs are random numbers rounded to f32. Everything is computed in double precision from these inputs and stored as f32,
so the file is exact to half an ulp of f32. A case NAME has the tensors
    NAME/in0, in1, ...    the inputs; integers are i32
    NAME/out0, ...        the results
    NAME/dout0, ...       random gradients of the results
    NAME/grad0, ...       the resulting gradients of the floating-point inputs; absent for inputs without gradient
The metadata of the file names the versions used.
"""
import platform
import sys

import safetensors
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

torch.manual_seed(20251115)
tensors = {}


def normal(*shape, scale=1.0):
    return torch.randn(shape, dtype=torch.float32) * scale


def ids(*values):
    return torch.tensor(values, dtype=torch.int32)


def case(name, f, *inputs, constant=()):
    """Runs f on double copies; inputs whose index is in `constant` get no gradient."""
    doubles = []
    for i, value in enumerate(inputs):
        tensors[f"{name}/in{i}"] = value.clone(memory_format=torch.contiguous_format)
        wide = value.double() if value.is_floating_point() else value.long()
        doubles.append(wide.requires_grad_() if value.is_floating_point() and i not in constant else wide)
    results = f(*doubles)
    results = results if isinstance(results, (tuple, list)) else [results]
    weights = [normal(*y.shape) for y in results]
    sum((y * w.double()).sum() for y, w in zip(results, weights)).backward()
    for i, (y, w) in enumerate(zip(results, weights)):
        tensors[f"{name}/out{i}"] = y.detach().float().contiguous()
        tensors[f"{name}/dout{i}"] = w
    for i, wide in enumerate(doubles):
        if wide.grad is not None:
            tensors[f"{name}/grad{i}"] = wide.grad.float().contiguous()


ACTIVATIONS = {
    "none": lambda x: x * 1,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "relu": F.relu,
    "tanh": torch.tanh,
}

case("add", torch.add, normal(3, 5), normal(3, 5))
case("multiply", torch.mul, normal(3, 5), normal(3, 5))
case("scale", lambda x: x * -1.5, normal(2, 7))
case("add_bias", torch.add, normal(2, 3, 5), normal(5))
case("sum", torch.sum, normal(3, 7))
case("mean", torch.mean, normal(3, 7))

for name, f in ACTIVATIONS.items():
    case(f"activate.{name}", f, normal(4, 17, scale=2))
    case(f"gated.{name}", lambda gate, up, f=f: f(gate) * up, normal(4, 17, scale=2), normal(4, 17))
    case(f"linear.{name}", lambda x, w, b, f=f: f(F.linear(x, w, b)), normal(2, 3, 7), normal(13, 7), normal(13))
case("linear.unbiased", F.linear, normal(5, 7), normal(4, 7))

for a in "nt":
    for b in "nt":
        flip = lambda x, how: x.transpose(-1, -2) if how == "t" else x
        product = lambda x, y, a=a, b=b: flip(x, a) @ flip(y, b)
        case(f"matmul.{a}{b}", product, flip(normal(5, 9), a), flip(normal(9, 13), b))
        case(f"matmul.batch.{a}{b}", product, flip(normal(3, 5, 4), a), flip(normal(3, 4, 6), b))

case("layer_norm", lambda x, g, b: F.layer_norm(x, (19,), g, b, 1e-5), normal(2, 3, 19, scale=3), normal(19), normal(19))
case("layer_norm.unbiased", lambda x, g: F.layer_norm(x, (8,), g, None, 1e-12), normal(4, 8), normal(8))
case("rms_norm", lambda x, g: F.rms_norm(x, (19,), g, 1e-6), normal(2, 3, 19, scale=3), normal(19))

case("reshape", lambda x: x.reshape(3, 4), normal(2, 6))
case("split", lambda x: torch.split(x, [2, 3, 1], -1), normal(4, 6))
case("join", lambda a, b: torch.cat([a, b], -1), normal(4, 2), normal(4, 3))
case("gather", lambda t, i: F.embedding(i, t), normal(7, 5), ids(6, 0, 2, 6, 6, 3).reshape(2, 3))
case("gather.frozen", lambda t, i: F.embedding(i, t, padding_idx=2), normal(7, 5), ids(6, 0, 2, 6, 2))

# Weights are an input so that the file contains them; they get no gradient.
TARGETS = ids(4, -100, 0, 10, 4, 7)
case("cross_entropy", F.cross_entropy, normal(6, 11, scale=3), TARGETS)
case("cross_entropy.smoothed", lambda x, t: F.cross_entropy(x, t, label_smoothing=0.125), normal(6, 11, scale=3), TARGETS)
case("cross_entropy.weighted", lambda x, t, w: F.cross_entropy(x, t, w), normal(6, 11, scale=3), TARGETS,
     torch.rand(11) + 0.5, constant={2})
case("cross_entropy.both", lambda x, t, w: F.cross_entropy(x, t, w, label_smoothing=0.125), normal(6, 11, scale=3), TARGETS,
     torch.rand(11) + 0.5, constant={2})

TOKENS, ROWS, KINDS = ids(6, 0, 2, 6, 3), ids(0, 1, 2, 0, 1), ids(0, 0, 1, 1, 0)
case("embed.added", lambda t, i, p, r: F.embedding(i, t, padding_idx=2) * 2.5 + F.embedding(r, p, padding_idx=1),
     normal(7, 5), TOKENS, normal(3, 5), ROWS)
case("embed.segments.norm",
     lambda t, i, p, r, s, k, g, b: F.layer_norm(F.embedding(i, t) + F.embedding(r, p) + F.embedding(k, s), (9,), g, b, 1e-12),
     normal(7, 9), TOKENS, normal(3, 9), ROWS, normal(2, 9), KINDS, normal(9), normal(9))
case("embed.joined.rms",
     lambda t, i, p, r, g: F.rms_norm(torch.cat([F.embedding(i, t), F.embedding(r, p)], -1), (9,), g, 1e-6),
     normal(7, 5), TOKENS, normal(3, 4), ROWS, normal(9))


def rotated(x, rows, cos, sin, heads, interleaved):
    """As complex numbers: (a + ib)(cos + i sin) for every pair of the first 2 * cos.shape[1] elements of a head."""
    x = x.reshape(x.shape[0], heads, -1)
    turned, rest = x.split([2 * cos.shape[1], x.shape[2] - 2 * cos.shape[1]], -1)
    pairs = turned.unflatten(-1, (-1, 2)) if interleaved else turned.unflatten(-1, (2, -1)).transpose(-1, -2)
    turn = torch.complex(cos, sin)[rows][:, None]
    pairs = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turn)
    turned = pairs.flatten(-2) if interleaved else pairs.transpose(-1, -2).flatten(-2)
    return torch.cat([turned, rest], -1).flatten(1)


for layout in ("halves", "interleaved"):
    case(f"rotate.{layout}", lambda x, r, c, s, layout=layout: rotated(x, r, c, s, 2, layout == "interleaved"),
         normal(5, 20), ROWS, normal(3, 3), normal(3, 3), constant={2, 3})

save_file(tensors, sys.argv[1], metadata={
    "made_by": "tools/golden/ops.py",
    "torch": torch.__version__,
    "safetensors": safetensors.__version__,
    "python": platform.python_version(),
    "precision": "computed in f64, stored as f32",
})
