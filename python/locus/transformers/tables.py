"""The position bias of T5-like models as a table [H, distances] instead of a tensor [1, H, Lq, Lk]."""

from __future__ import annotations

from typing import Any

import torch
import transformers
from torch import Tensor, nn

from ..torch import Terms

# Their first layer has the table, and all layers share it.
_SHARED = {"T5Attention", "MT5Attention", "SwitchTransformersAttention"}


def patch(model: nn.Module) -> nn.Module:
    """Switches a model of transformers to attn_implementation="locus", and returns it. The position bias of T5, mT5 and
    Switch Transformers stays a table over distances: memory grows with the length, not with its square. Fails for
    models that do not use the attention interface."""
    from .interface import NAME, refusal, register, uses_interface

    register()
    if not isinstance(model, transformers.PreTrainedModel):
        raise TypeError(f"locus.transformers.patch: got {type(model).__name__}, expected a model of transformers")
    for part in model.modules():
        if isinstance(part, transformers.PreTrainedModel) and not uses_interface(type(part)):
            raise refusal(type(part))
    model.set_attn_implementation(NAME)
    for stack in model.modules():
        blocks = getattr(stack, "block", None)
        if isinstance(blocks, nn.ModuleList):
            _share_table(blocks)
    return model


def _share_table(blocks: nn.ModuleList) -> None:
    modules: list[Any] = [part for block in blocks for part in block.modules() if type(part).__name__ in _SHARED]
    source = next((part for part in modules if part.has_relative_attention_bias), None)
    if source is None or not hasattr(transformers, "AttentionInterface"):
        return
    for part in modules:
        if "_locus_source" in vars(part):
            continue
        # Not an attribute of the module: it would become a submodule. Cross-attention has no bias.
        vars(part)["_locus_source"] = (source if _is_self_attention(part, blocks) else None,)
        part.register_forward_pre_hook(_without_dense_bias, with_kwargs=True)


def _is_self_attention(part: nn.Module, blocks: nn.ModuleList) -> bool:
    return any(getattr(layer, "SelfAttention", None) is part for block in blocks for layer in block.modules())


def _without_dense_bias(module: Any, arguments: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]] | None:
    """Instead of the bias, passes one number, which attention_forward ignores. NaN, in case that anything else reads
    it."""
    if module.config._attn_implementation != "locus" or kwargs.get("position_bias") is not None:
        return None
    weight: Tensor = module.q.weight
    return arguments, {**kwargs, "position_bias": weight.new_full((1, 1, 1, 1), torch.nan)}


def table_of(module: nn.Module, queries: int, keys: int) -> Terms | None:
    """The term of a patched module, without a table for cross-attention; None for other modules."""
    found = vars(module).get("_locus_source")
    if found is None:
        return None
    (source,) = found
    if source is None:
        return Terms()
    distances = torch.arange(1 - keys, queries, device=source.relative_attention_bias.weight.device)
    buckets = source._relative_position_bucket(
        distances,
        bidirectional=not source.is_decoder,
        num_buckets=source.relative_attention_num_buckets,
        max_distance=source.relative_attention_max_distance,
    )
    return Terms(by_distance=source.relative_attention_bias(buckets).T, zero=keys - 1)
