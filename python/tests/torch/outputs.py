"""What the workers of a DataLoader run; a module that they can import."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from locus.torch import attention


class Outputs(torch.utils.data.IterableDataset):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[torch.Tensor]:
        torch.manual_seed(0)
        q = torch.randn(2, 40, 4, 8)
        yield attention(q, q, q)
