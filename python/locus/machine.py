"""What Locus uses on this machine."""

import atexit
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


def prepare_exit() -> None:
    """When Python exits, ends streams, and then keeps other threads from coming back from a computation."""

    def exit() -> None:
        from .writer import running

        for stream in list(running):
            stream.close()
        _core.begin_exit()

    atexit.register(exit)
