"""The interface of sentence-transformers 6, computed by Locus."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

from .embedder import Embedder, rows_of, similarity
from .errors import DataError
from .texts import Device, DType, Folder, progress_bar

Precision = Literal["float32", "int8", "uint8", "binary", "ubinary"]
SimilarityName = Literal["cosine", "dot", "euclidean", "manhattan"]

# A name that no folder has: the embedder then uses no prompt.
NO_PROMPT = "\x00"


class SentenceTransformer:
    """Names and defaults of sentence_transformers.SentenceTransformer; change the import and keep the rest.

    The folder must be on this machine. Texts that are too long are cut. batch_size counts texts of 128 tokens.
    """

    def __init__(
        self,
        model_name_or_path: Folder,
        *,
        device: str | None = None,
        prompts: dict[str, str] | None = None,
        default_prompt_name: str | None = None,
        similarity_fn_name: SimilarityName | None = None,
        truncate_dim: int | None = None,
        dtype: DType = "f32",
    ) -> None:
        self._embedder = Embedder(model_name_or_path, dtype, device_of(device))
        config = settings_of(model_name_or_path, "config_sentence_transformers.json")
        self._pools_prompts = settings_of(model_name_or_path, "1_Pooling/config.json").get("include_prompt", True)
        self.prompts: dict[str, str] = {**config.get("prompts", {}), **(prompts or {})}
        self.default_prompt_name: str | None = default_prompt_name or config.get("default_prompt_name")
        self.similarity_fn_name: SimilarityName = similarity_fn_name or config.get("similarity_fn_name") or "cosine"
        self.truncate_dim = truncate_dim
        if self.similarity_fn_name not in SIMILARITIES:
            raise DataError(f"similarity_fn_name: got {self.similarity_fn_name!r}, expected one of {', '.join(SIMILARITIES)}")
        if self.default_prompt_name is not None and self.default_prompt_name not in self.prompts:
            raise DataError(f"default_prompt_name: got {self.default_prompt_name!r}, expected one of {list(self.prompts)}")

    @property
    def max_seq_length(self) -> int:
        return self._embedder.max_tokens

    def get_embedding_dimension(self) -> int:
        return min(self.truncate_dim or self._embedder.width, self._embedder.width)

    get_sentence_embedding_dimension = get_embedding_dimension

    def encode(
        self,
        inputs: str | Sequence[str],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: Literal["sentence_embedding"] = "sentence_embedding",
        precision: Precision = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
    ) -> Any:
        """Vectors of texts: a numpy array, a torch tensor with convert_to_tensor, or a list of tensors with neither."""
        if device is not None and device_of(device) != self._embedder._device:
            raise DataError(f"device: got {device!r}, expected {self._embedder._device!r}, that of the model", "usage")
        if output_value != "sentence_embedding":
            raise DataError(f"output_value: got {output_value!r}, expected 'sentence_embedding'", "usage")
        single = isinstance(inputs, str)
        texts = [inputs] if single else list(inputs)
        before = self._resolved(prompt, prompt_name)
        if before:
            if not self._pools_prompts:
                raise DataError("prompt: the model's pooling leaves out the prompt (include_prompt), expected none")
            texts = [before + text if isinstance(text, str) else text for text in texts]
        with progress_bar(bool(show_progress_bar), len(texts), "text") as update:
            vectors = self._embedder._core.embed(texts, "", NO_PROMPT, True, 128 * batch_size, update)
        vectors = finished(vectors, truncate_dim or self.truncate_dim, normalize_embeddings, precision)
        if convert_to_tensor or not convert_to_numpy:
            import torch

            vectors = torch.from_numpy(vectors)
            if not convert_to_tensor:
                vectors = list(vectors)
        return vectors[0] if single else vectors

    def encode_query(self, inputs: str | Sequence[str], prompt_name: str | None = None, prompt: str | None = None,
                     **options: Any) -> Any:
        """encode() with the prompt "query", if the folder has it."""
        return self._encode_for(["query"], inputs, prompt_name, prompt, options)

    def encode_document(self, inputs: str | Sequence[str], prompt_name: str | None = None, prompt: str | None = None,
                        **options: Any) -> Any:
        """encode() with the prompt "document", "passage" or "corpus", the first that the folder has."""
        return self._encode_for(["document", "passage", "corpus"], inputs, prompt_name, prompt, options)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of every row with every row, [n, m]: a torch tensor if torch is installed, else a numpy array."""
        a, b = rows_of(embeddings1, "embeddings1"), rows_of(embeddings2, "embeddings2")
        return tensor_if_possible(SIMILARITIES[self.similarity_fn_name](a, b))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of every row with the row of the same index, [n]."""
        import numpy

        a, b = (numpy.asarray(rows_of(one, "embeddings")) for one in (embeddings1, embeddings2))
        if a.shape != b.shape:
            raise DataError(f"similarity_pairwise: got shapes {list(a.shape)} and {list(b.shape)}, expected equal ones")
        compare = SIMILARITIES[self.similarity_fn_name]
        pairs = [compare(a[i : i + 1], b[i : i + 1])[0] for i in range(len(a))]
        return tensor_if_possible(numpy.concatenate(pairs) if pairs else numpy.zeros(0, numpy.float32))

    def _encode_for(
        self, names: list[str], inputs: str | Sequence[str], prompt_name: str | None, prompt: str | None,
        options: dict[str, Any],
    ) -> Any:
        if prompt is None and prompt_name is None:
            prompt_name = next((name for name in names if name in self.prompts), None)
            prompt = "" if prompt_name is None else None
        return self.encode(inputs, prompt_name=prompt_name, prompt=prompt, **options)

    def _resolved(self, prompt: str | None, name: str | None) -> str:
        if prompt is not None:
            return prompt
        if name is None:
            name = self.default_prompt_name
        if name is None:
            return ""
        if name not in self.prompts:
            raise DataError(f"prompt_name: got {name!r}, expected one of {list(self.prompts)}", "usage", "unknown_option")
        return self.prompts[name]


def settings_of(folder: Folder, name: str) -> dict[str, Any]:
    file = os.path.join(os.fsdecode(folder), name)
    if not os.path.exists(file):
        return {}
    import json

    with open(file, encoding="utf-8") as content:
        found = json.load(content)
    return found if isinstance(found, dict) else {}


def device_of(device: str | None) -> Device:
    """A device as torch names it."""
    if device in (None, "cpu"):
        return "cpu"
    if device in ("cuda", "cuda:0"):
        return "cuda"
    raise DataError(f"device: got {device!r}, expected 'cpu' or 'cuda'", "usage")


def finished(vectors: Any, dimensions: int | None, normalize: bool, precision: Precision) -> Any:
    """Cut, then normalized, then quantized, in the order of sentence-transformers."""
    import numpy

    if dimensions is not None:
        vectors = vectors[..., :dimensions]
    if normalize:
        vectors = vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    if precision == "float32" or len(vectors) == 0:
        return vectors
    if precision == "ubinary":
        return numpy.packbits(vectors > 0, axis=-1)
    if precision == "binary":
        return (numpy.packbits(vectors > 0, axis=-1).astype(numpy.int16) - 128).astype(numpy.int8)
    if precision not in ("int8", "uint8"):
        raise DataError(f"precision: got {precision!r}, expected float32, int8, uint8, binary or ubinary", "usage")
    if len(vectors) == 1:
        raise DataError(f"precision: got {precision} for one text, expected more: they set the range of each component")
    least = vectors.min(axis=0)
    step = (vectors.max(axis=0) - least) / 255
    buckets = numpy.clip(numpy.floor((vectors - least) / numpy.where(step == 0, 1, step)), 0, 255)
    return buckets.astype(numpy.uint8) if precision == "uint8" else (buckets - 128).astype(numpy.int8)


def dot(a: Any, b: Any) -> Any:
    import numpy

    return numpy.asarray(a) @ numpy.asarray(b).T


def euclidean(a: Any, b: Any) -> Any:
    import numpy

    return -numpy.linalg.norm(numpy.asarray(a)[:, None] - numpy.asarray(b)[None], axis=-1)


def manhattan(a: Any, b: Any) -> Any:
    import numpy

    return -numpy.abs(numpy.asarray(a)[:, None] - numpy.asarray(b)[None]).sum(-1)


SIMILARITIES: dict[str, Callable[[Any, Any], Any]] = {
    "cosine": similarity,
    "dot": dot,
    "euclidean": euclidean,
    "manhattan": manhattan,
}


def tensor_if_possible(array: Any) -> Any:
    try:
        import torch
    except ImportError:
        return array
    return torch.from_numpy(array)
