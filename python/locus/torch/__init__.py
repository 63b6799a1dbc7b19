"""Attention with position terms, rotation and input embeddings as operations of torch, with gradients."""

from .attention import attention
from .embed_norm import embed_norm
from .position import Position
from .rotate import rotate
from .terms import Rotation, Terms

__all__ = ["Position", "Rotation", "Terms", "attention", "embed_norm", "rotate"]
