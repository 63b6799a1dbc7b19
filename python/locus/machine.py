"""What Locus uses on this machine."""

from typing import TypedDict

from . import _core


class Info(TypedDict):
    """version, CPU model, its vector instructions, those in use, threads, bytes of memory, arguments copied so far."""

    version: str
    cpu: str
    features: list[str]
    simd: str
    threads: int
    memory: int
    copies: int


def info() -> Info:
    """Returns the version, the CPU and the number of threads. `copies` counts array arguments that were copied,
    because their dtype or their strides do not fit."""
    return _core.machine_info()  # type: ignore[return-value]
