"""Position encodings of transformers: embed, classify, generate, train and compare on CPUs."""

from ._core import __version__, set_threads, threads
from .errors import DataError, DivergedError, Error, FileError, MissingFileError, ResourceError
from .machine import info

__all__ = [
    "DataError",
    "DivergedError",
    "Error",
    "FileError",
    "MissingFileError",
    "ResourceError",
    "__version__",
    "info",
    "set_threads",
    "threads",
]
