"""Locus as an attention implementation of transformers: attn_implementation="locus"."""

from .interface import register
from .tables import patch

__all__ = ["patch", "register"]
