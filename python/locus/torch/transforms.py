"""The transforms of torch.func, of which operations in Python support vmap only."""

from __future__ import annotations

import torch


def refuse_derivatives(function: str) -> None:
    """Fails inside torch.func.grad, vjp, jvp and their like, in words; torch's own error is about its internals."""
    if torch.compiler.is_compiling():
        return
    interpreter = torch._C._functorch.peek_interpreter_stack()
    if interpreter is None:
        return
    if interpreter.key() in (torch._C._functorch.TransformType.Grad, torch._C._functorch.TransformType.Jvp):
        raise NotImplementedError(
            f"locus.torch.{function} has no derivatives inside torch.func transforms such as grad, vjp and jvp; "
            "use torch.autograd.grad or backward()"
        )
