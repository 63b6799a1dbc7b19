"""The attention and the mask function of attn_implementation="locus", for transformers 4.57 and later."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from transformers.masking_utils import sdpa_mask

from ..errors import DataError, Error
from ..torch import Terms, attention
from .tables import table_of

NAME = "locus"


def register() -> None:
    """Makes attn_implementation="locus" known to transformers.

    Registers the attention and the mask function; with the first alone, transformers would pass no masks, and padding
    would be attended to. A model that does not use the interface fails when it is made with "locus".
    """
    transformers.AttentionInterface.register(NAME, attention_forward)
    transformers.AttentionMaskInterface.register(NAME, attention_mask)
    _refuse_other_models()


def attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    position_bias: Tensor | None = None,
    s_aux: Tensor | None = None,
    cache: Any = None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """query [B, H, Lq, D], key and value [B, G, Lk, D]. Returns [B, Lq, H, D]; never the weights."""
    if kwargs.get("output_attentions"):
        raise ValueError('attn_implementation="locus" stores no attention weights; use "eager" for output_attentions')
    for name, given in (
        ("attention sinks (s_aux)", s_aux),
        ("a paged cache", cache),
        ("a head mask", kwargs.get("head_mask")),
    ):
        if given is not None:
            raise NotImplementedError(f'attn_implementation="locus" does not support {name}; use "eager" or "sdpa"')
    if scaling is None and getattr(module, "scale_attn_by_inverse_layer_idx", False):
        layer: Any = module.layer_idx  # GPT-2 before transformers 5
        scaling = query.shape[-1] ** -0.5 / float(layer + 1)
    causal = _causal(module, is_causal)
    mask, dense = attention_mask, None
    if mask is not None and mask.dim() == 4:  # prepared by the user or by an older model: it says all
        dense, mask, causal = _additive(mask, query), None, False
        dense = dense.expand(-1, -1, query.shape[2], -1)[..., : key.shape[2]]
    terms = table_of(module, query.shape[2], key.shape[2] if mask is None else mask.shape[1])
    if terms is None:
        terms = Terms()
        if position_bias is not None:
            position_bias = position_bias.expand(-1, -1, query.shape[2], -1)
            dense = position_bias if dense is None else dense + position_bias
    out = attention(
        query.transpose(1, 2),
        key.transpose(1, 2),
        value.transpose(1, 2),
        mask=mask,
        terms=Terms(by_distance=terms.by_distance, zero=terms.zero, dense=dense),
        causal=causal,
        window=int(sliding_window or 0) if attention_mask is mask else 0,
        scale=scaling,
        cap=float(softcap or 0.0),
        dropout=dropout,
    )
    return out, None


def _causal(module: nn.Module, given: bool | None) -> bool:
    # GPT-2 of transformers 4 passes False with any mask, because it expects that the mask has the causality.
    if given is not None and not transformers.__version__.startswith("4."):
        return bool(given)
    return bool(getattr(module, "is_causal", True)) and not getattr(module, "is_cross_attention", False)


def _additive(mask: Tensor, query: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return torch.zeros_like(mask, dtype=query.dtype).masked_fill(~mask, -torch.inf)
    return mask.to(query.dtype)


def attention_mask(
    batch_size: int,
    *,
    kv_length: int,
    q_length: int | None = None,
    q_offset: int | Tensor = 0,
    kv_offset: int = 0,
    cache_position: Tensor | None = None,
    mask_function: Callable[..., Any] | None = None,
    attention_mask: Tensor | None = None,
    **kwargs: Any,
) -> Tensor | None:
    """The mask [B, keys] of the tokens, which attention_forward reads; None if all are tokens. A mask that is not made
    of padding, causality and a window is a tensor [B, 1, Lq, Lk]."""
    places: dict[str, Any] = dict(cache_position=cache_position)  # transformers 4
    if cache_position is None:
        places = dict(q_length=q_length, q_offset=q_offset)
    if mask_function is not None and not _is_plain(mask_function):
        kwargs.update(allow_is_causal_skip=False, allow_is_bidirectional_skip=False)
        mask: Tensor | None = sdpa_mask(
            batch_size=batch_size,
            kv_length=kv_length,
            kv_offset=kv_offset,
            mask_function=mask_function,
            attention_mask=attention_mask,
            **places,
            **kwargs,
        )
        return mask
    if attention_mask is None:
        seen = int(cache_position[-1]) + 1 if cache_position is not None else int(q_offset) + int(q_length or 0)
        if seen >= kv_length or not _is_causal(mask_function):
            return None
        # The rest of a static cache has no keys yet.
        return torch.ones(batch_size, seen, dtype=torch.bool, device=kwargs.get("device", "cpu"))
    attention_mask = attention_mask[:, -kv_length:].to(torch.bool)
    if torch.compiler.is_compiling():  # not known before the call
        return attention_mask
    return None if attention_mask.shape[1] == kv_length and bool(attention_mask.all()) else attention_mask


_CAUSAL = {"causal_mask_function", "sliding_window_overlay.<locals>.inner_mask"}
_PLAIN = _CAUSAL | {"bidirectional_mask_function", "sliding_window_bidirectional_overlay.<locals>.inner_mask"}


def _parts(function: Callable[..., Any]) -> list[str]:
    """The names of the functions that a mask function is the intersection of."""
    name = function.__qualname__
    if name != "and_masks.<locals>.and_mask":
        return [name]
    (functions,) = (cell.cell_contents for cell in function.__closure__ or ())
    return [part for function in functions for part in _parts(function)]


def _is_plain(function: Callable[..., Any]) -> bool:
    return set(_parts(function)) <= _PLAIN


def _is_causal(function: Callable[..., Any] | None) -> bool:
    return function is None or not _CAUSAL.isdisjoint(_parts(function))


def uses_interface(model: type) -> bool:
    """Whether the attention of a model class goes through the interface. True for classes without attention."""
    source = vars(sys.modules[model.__module__])
    own = any(
        name.endswith("Attention") and getattr(entry, "__module__", "") == model.__module__
        for name, entry in source.items()
    )
    return "ALL_ATTENTION_FUNCTIONS" in source or not own


def refusal(model: type) -> Error:
    return DataError(
        f"{model.__name__} of transformers {transformers.__version__} does not use the attention interface, so "
        'attn_implementation="locus" would have no effect or a wrong one',
        "usage",
        "none",
        [model.__name__],
        "use locus.open_model(folder), which computes the whole model",
    )


def _refuse_other_models() -> None:
    """Models that ignore the interface would get masks that they do not understand, and no error."""
    kind: Any = transformers.PreTrainedModel
    original = kind._check_and_adjust_attn_implementation
    if hasattr(original, "_locus"):
        return

    @functools.wraps(original)
    def check(self: Any, attn_implementation: str | None, *arguments: Any, **kwargs: Any) -> Any:
        if attn_implementation == NAME and not uses_interface(type(self)):
            raise refusal(type(self))
        return original(self, attn_implementation, *arguments, **kwargs)

    check._locus = True  # type: ignore[attr-defined]
    kind._check_and_adjust_attn_implementation = check
