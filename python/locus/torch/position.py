"""The position schemes of Locus as modules of torch."""

# No postponed annotations here: torch reads the types of the arguments from them.
import functools
import json
from typing import Any, Optional

import torch
from torch import Tensor, nn

from .. import _core
from .terms import Rotation, Terms

_PROBES = (40, 41, 77)  # lengths at which shapes are looked at


@functools.lru_cache(maxsize=256)
def _scheme(key: str) -> Any:
    """The compiled scheme of a key, which has all that it is made from."""
    name, sizes, options, f64, seed = json.loads(key)
    return _core.TrainableScheme(name, tuple(sizes), options, f64, seed)


@functools.lru_cache(maxsize=256)
def _described(key: str, layer: int, length: int) -> Any:
    return _scheme(key).describe(length, layer)


def _names(key: str, layer: int) -> list[str]:
    return [name for name, _ in _described(key, layer, 1)[0]]


def _tensors(arrays: list[Any]) -> list[Tensor]:
    return [torch.from_numpy(array) for array in arrays]


@torch.library.custom_op("locus::position_terms", mutates_args=(), device_types="cpu")
def position_terms_op(values: list[Tensor], key: str, length: int, layer: int) -> list[Tensor]:
    """The tensors that a scheme adds to a text of this length."""
    return _tensors(_scheme(key).terms([value.detach().contiguous() for value in values], length, layer))


@torch.library.custom_op("locus::position_terms_backward", mutates_args=(), device_types="cpu")
def position_terms_backward_op(
    values: list[Tensor], gradients: list[Tensor], given: list[bool], key: str, length: int, layer: int
) -> list[Tensor]:
    """The gradients of all values. An output whose gradient is not given has an empty tensor."""
    found = [x.contiguous() if has else None for x, has in zip(gradients, given)]
    arrays = _scheme(key).backward([value.detach().contiguous() for value in values], found, length, layer)
    return _tensors(arrays)


@position_terms_op.register_fake
def _(values: list[Tensor], key: str, length: int, layer: int) -> list[Tensor]:
    dtype = torch.float64 if json.loads(key)[3] else torch.float32
    outputs = []
    for n, name in enumerate(_names(key, layer)):
        sizes = _sizes(key, layer, n, length)
        outputs.append(torch.empty(sizes, dtype=torch.int32 if name.endswith("slots") else dtype))
    return outputs


def _sizes(key: str, layer: int, output: int, length: int) -> list[int]:
    """The shape of an output. Sizes are linear in the length, or length x length; others are looked up, which makes a
    compiled graph one for this length only."""
    name, shape = _described(key, layer, 1)[0][output]
    if name in ("input", "cos", "sin", "key_cos", "key_sin"):  # a row for each position
        return [length, shape[1]]
    shapes = [_described(key, layer, probe)[0][output][1] for probe in _PROBES]
    sizes = []
    for values in zip(*shapes):
        step = values[1] - values[0]
        if all(value == probe * probe for value, probe in zip(values, _PROBES)):
            sizes.append(length * length)
        elif values[2] - values[0] == step * (_PROBES[2] - _PROBES[0]) and step in (0, 1, 2):
            sizes.append(values[0] + step * (length - _PROBES[0]))
        else:
            return list(_described(key, layer, int(length))[0][output][1])
    return sizes


@position_terms_backward_op.register_fake
def _(values: list[Tensor], *rest: Any) -> list[Tensor]:
    return [torch.empty_like(value, memory_format=torch.contiguous_format) for value in values]


def _save(ctx: Any, inputs: tuple[Any, ...], output: list[Tensor]) -> None:
    ctx.save_for_backward(*inputs[0])
    ctx.options = inputs[1:]


def _backward(ctx: Any, gradients: list[Optional[Tensor]]) -> tuple[Any, ...]:
    values = list(ctx.saved_tensors)
    given = [x is not None and x.is_floating_point() for x in gradients]
    filled = [x if has and x is not None else torch.empty(0) for x, has in zip(gradients, given)]
    found = position_terms_backward_op(values, filled, given, *ctx.options)
    return found, None, None, None


position_terms_op.register_autograd(_backward, setup_context=_save)


class Position(nn.Module):
    """A position scheme with its parameters, which gives the terms of a text.

    scheme: a name of `locus schemes`, or a combination such as "learned+t5"; options: those of the scheme.
    width: the size of the model, heads * head_size if absent. layers: the number of layers, for schemes with tables of
    their own for each. max_length: the rows of a learned table, or the trained length of a scaling.
    seed: of the initial values, which are those of the scheme's paper; drawn from torch's generator if absent.

        position = Position("t5", heads=8, head_size=64)
        out = attention(q, k, v, lengths=lengths, terms=position(q.shape[1]))

    The names in state_dict() are those of the parameters in Locus.
    """

    def __init__(
        self,
        scheme: str,
        heads: int,
        head_size: int,
        *,
        width: Optional[int] = None,
        layers: int = 1,
        max_length: int = 0,
        causal: bool = False,
        dtype: torch.dtype = torch.float32,
        seed: Optional[int] = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if dtype not in (torch.float32, torch.float64):
            raise ValueError(f"locus.torch.Position: dtype is {dtype}, expected float32 or float64")
        if seed is None:
            seed = int(torch.randint(2**62, ()).item())
        self.scheme = scheme
        sizes = (heads, head_size, heads * head_size if width is None else width, layers, max_length, causal)
        texts = {name: _text(value) for name, value in options.items()}
        self._heads, self._head_size, self._options, self._dtype = heads, head_size, texts, dtype
        made = _core.TrainableScheme(scheme, sizes, texts, dtype == torch.float64, seed)
        self._names: list[str] = []
        for name, value in made.initial():
            self._add(name, nn.Parameter(torch.from_numpy(value).to(dtype)))
            self._names.append(name)
        # Everything that forward() needs to know, so that torch.compile sees no call of the compiled module.
        outputs, self._scale, self._interleaved, self._joined = made.describe(1, 0)
        self._outputs = [name for name, _ in outputs]
        self._keys = {wide: json.dumps([scheme, sizes, texts, wide, 0]) for wide in (False, True)}

    def _add(self, name: str, parameter: nn.Parameter) -> None:
        """Registers a.b.c as parameter c of the modules a and b, so that state_dict() has the name a.b.c."""
        *path, last = name.split(".")
        place: nn.Module = self
        for part in path:
            if part not in place._modules:
                place.add_module(part, nn.Module())
            place = place.get_submodule(part)
        place.register_parameter(last, parameter)

    def forward(
        self,
        length: int,
        *,
        layer: int = 0,
        query_weight: Optional[Tensor] = None,
        query_bias: Optional[Tensor] = None,
        key_weight: Optional[Tensor] = None,
        key_bias: Optional[Tensor] = None,
    ) -> Terms:
        """The terms of a layer for texts of up to `length` tokens. deberta also needs the weights [H * D, width] and
        biases [H * D] of the layer's query and key projections. A scaling that depends on the length of the text uses
        `length`."""
        # Not get_parameter(), which accepts no tensors of torch.func.functional_call.
        values: list[Any] = [functools.reduce(getattr, name.split("."), self) for name in self._names]
        dtype = values[0].dtype if values else self._dtype
        empty = torch.empty(0, dtype=dtype)
        weights = [empty if x is None else x for x in (query_weight, query_bias, key_weight, key_bias)]
        key = self._keys[dtype == torch.float64]
        found = dict(zip(self._outputs, position_terms_op([*values, *weights], key, length, layer)))
        rotation = None
        if "cos" in found:
            rotation = Rotation(
                found["cos"],
                found["sin"],
                key_cos=found.get("key_cos"),
                key_sin=found.get("key_sin"),
                interleaved=self._interleaved,
            )
        dense = found.get("dense")
        return Terms(
            by_distance=found.get("by_distance"),
            by_query=self._per_head(found.get("by_query")),
            by_key=self._per_head(found.get("by_key")),
            dense=None if dense is None else dense.reshape(1, -1, length, length),
            query_slots=found.get("query_slots"),
            key_slots=found.get("key_slots"),
            zero=length - 1,
            scale=self._scale,
            rotation=rotation,
            input=found.get("input"),
            joined=self._joined,
        )

    def _per_head(self, table: Optional[Tensor]) -> Optional[Tensor]:
        """[slots, H * D] as [slots, H, D]."""
        if table is None or table.shape[1] == self._head_size:
            return table
        return table.reshape(-1, self._heads, self._head_size)

    def extra_repr(self) -> str:
        return ", ".join([repr(self.scheme), *(f"{name}={value}" for name, value in self._options.items())])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in value)
    return str(value)
