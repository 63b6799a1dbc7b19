"""Position encodings of transformers: embed, classify, generate, train and compare on CPUs."""

from . import machine as _machine
from ._core import __version__, set_threads, threads
from .answerer import Answer, Answerer, Filler, Filling, Mask
from .classifier import Classification, Classifier, Span, Tagger
from .embedder import Embedder, similarity
from .errors import DataError, DivergedError, Error, FileError, MissingFileError, ResourceError
from .machine import info
from .model import Model, open_model
from .tokenizer import Encoding, Tokenizer
from .writer import Generated, Stream, Writer

__all__ = [
    "Answer",
    "Answerer",
    "Classification",
    "Classifier",
    "DataError",
    "DivergedError",
    "Embedder",
    "Encoding",
    "Error",
    "FileError",
    "Filler",
    "Filling",
    "Generated",
    "Mask",
    "MissingFileError",
    "Model",
    "ResourceError",
    "Span",
    "Stream",
    "Tagger",
    "Tokenizer",
    "Writer",
    "__version__",
    "info",
    "open_model",
    "set_threads",
    "similarity",
    "threads",
]

_machine.prepare_exit()
