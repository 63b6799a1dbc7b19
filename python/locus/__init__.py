"""Position encodings of transformers: embed, classify, generate, train and compare on CPUs."""

from . import machine as _machine
from ._core import __version__, set_threads, threads
from .answerer import Answer, Answerer, Filler, Filling, Mask
from .classifier import Classification, Classifier, Span, Tagger
from .compare import Comparison, compare
from .embedder import Embedder, similarity
from .errors import DataError, DivergedError, Error, FileError, MissingFileError, ResourceError
from .explain import Explanation, explain
from .machine import info
from .model import Model, open_model
from .positions import attention, embed_norm, rotate
from .scheme import Scheme, scheme, schemes
from .sentence_transformer import SentenceTransformer
from .tokenizer import Encoding, Tokenizer
from .train import Run, Step, train
from .writer import Generated, Stream, Writer

__all__ = [
    "Answer",
    "Answerer",
    "Classification",
    "Classifier",
    "Comparison",
    "DataError",
    "DivergedError",
    "Embedder",
    "Encoding",
    "Error",
    "Explanation",
    "FileError",
    "Filler",
    "Filling",
    "Generated",
    "Mask",
    "MissingFileError",
    "Model",
    "ResourceError",
    "Run",
    "Scheme",
    "SentenceTransformer",
    "Span",
    "Step",
    "Stream",
    "Tagger",
    "Tokenizer",
    "Writer",
    "__version__",
    "attention",
    "compare",
    "embed_norm",
    "explain",
    "info",
    "open_model",
    "rotate",
    "scheme",
    "schemes",
    "set_threads",
    "similarity",
    "threads",
    "train",
]

_machine.prepare_exit()
