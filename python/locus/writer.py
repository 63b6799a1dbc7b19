"""Text generation, chats and translation."""

from _weakrefset import WeakSet
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, overload

from . import _core
from .errors import DataError
from .texts import Device, DType, Folder, listed, progress_bar


Message = Mapping[str, object]


class Generated(NamedTuple):
    """A generated text, and why it ended: "stop" (an end token or a stop string), "length" (max_tokens), or "context"
    (the model can read no more tokens)."""

    text: str
    finish_reason: str


class Stream:
    """Pieces of text while they are generated: an iterator of (number of the prompt, text), also for `async for`. Ends the
    generation if it is closed, at the end of a with statement, or when it is collected."""

    def __init__(self, core: _core.Stream) -> None:
        self._core = core
        running.add(self)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        return self._core.next()

    def __aiter__(self) -> AsyncIterator[tuple[int, str]]:
        return self

    async def __anext__(self) -> tuple[int, str]:
        import asyncio

        piece = await asyncio.to_thread(next, self, None)
        if piece is None:
            raise StopAsyncIteration
        return piece

    def close(self) -> None:
        """Stops the generation. The iterator then ends."""
        self._core.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# Those that Python must end before it exits.
running: WeakSet[Stream] = WeakSet()


def sampling_options(
    max_tokens: int | None, temperature: float | None, top_k: int | None, top_p: float | None, min_p: float | None,
    repetition_penalty: float | None, seed: int, stop: str | Iterable[str],
) -> dict[str, Any]:
    """The options that generate() and chat() share, by their names. None is an option that the caller omits."""
    return {
        "max_tokens": max_tokens, "temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p,
        "repetition_penalty": repetition_penalty, "seed": seed,
        "stop": [stop] if isinstance(stop, str) else listed(stop, "stop"),
    }


class Writer:
    """Generates text: a decoder continues a prompt, an encoder-decoder answers it."""

    def __init__(self, folder: Folder, dtype: DType = "f32", device: Device = "cpu") -> None:
        self._folder = folder
        self._dtype: DType = dtype
        self._device: Device = device
        self._core = _core.Writer(folder, dtype, device)

    @property
    def warnings(self) -> list[str]:
        """Warnings about the folder, for example about settings of generation_config.json that are not supported."""
        return self._core.warnings

    @overload
    def generate(  # type: ignore[overload-overlap]
        self, prompts: str, *, stream: Literal[False] = ..., max_tokens: int | None = ..., temperature: float | None = ...,
        top_k: int | None = ..., top_p: float | None = ..., min_p: float | None = ...,
        repetition_penalty: float | None = ..., beams: int | None = ..., length_penalty: float | None = ...,
        seed: int = ..., stop: str | Iterable[str] = ..., read_specials: bool = ..., truncate: bool = ...,
        batch_tokens: int = ..., progress: bool = ...,
    ) -> Generated: ...
    @overload
    def generate(
        self, prompts: Iterable[str], *, stream: Literal[False] = ..., max_tokens: int | None = ...,
        temperature: float | None = ..., top_k: int | None = ..., top_p: float | None = ..., min_p: float | None = ...,
        repetition_penalty: float | None = ..., beams: int | None = ..., length_penalty: float | None = ...,
        seed: int = ..., stop: str | Iterable[str] = ..., read_specials: bool = ..., truncate: bool = ...,
        batch_tokens: int = ..., progress: bool = ...,
    ) -> list[Generated]: ...
    @overload
    def generate(
        self, prompts: str | Iterable[str], *, stream: Literal[True], max_tokens: int | None = ...,
        temperature: float | None = ..., top_k: int | None = ..., top_p: float | None = ..., min_p: float | None = ...,
        repetition_penalty: float | None = ..., beams: int | None = ..., length_penalty: float | None = ...,
        seed: int = ..., stop: str | Iterable[str] = ..., read_specials: bool = ..., truncate: bool = ...,
        batch_tokens: int = ..., progress: bool = ...,
    ) -> Stream: ...
    def generate(
        self,
        prompts: str | Iterable[str],
        *,
        stream: bool = False,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repetition_penalty: float | None = None,
        beams: int | None = None,
        length_penalty: float | None = None,
        seed: int = 0,
        stop: str | Iterable[str] = (),
        read_specials: bool = False,
        truncate: bool = False,
        batch_tokens: int = 4096,
        progress: bool = False,
    ) -> Any:
        """The continuation of a prompt, or a list of them. Options you omit come from generation_config.json.

        stream: return an iterator of (number of the prompt, text) that yields pieces of text as they are final.
        temperature: 0 always chooses the most likely token.
        stop: texts that end the answer and are not part of it.
        read_specials: names of special tokens in a prompt become these tokens. Keep it off for untrusted texts.
        """
        given = sampling_options(max_tokens, temperature, top_k, top_p, min_p, repetition_penalty, seed, stop)
        given |= {"beams": beams, "length_penalty": length_penalty, "read_specials": read_specials}
        return self._write(prompts, given, stream, truncate, batch_tokens, progress)

    @overload
    def chat(
        self, messages: Sequence[Message], *, stream: Literal[False] = ..., tools: Sequence[object] | None = ...,
        documents: Sequence[object] | None = ..., variables: Mapping[str, object] | None = ..., max_tokens: int | None = ...,
        temperature: float | None = ..., top_k: int | None = ..., top_p: float | None = ..., min_p: float | None = ...,
        repetition_penalty: float | None = ..., seed: int = ..., stop: str | Iterable[str] = ...,
    ) -> Generated: ...
    @overload
    def chat(
        self, messages: Sequence[Message], *, stream: Literal[True], tools: Sequence[object] | None = ...,
        documents: Sequence[object] | None = ..., variables: Mapping[str, object] | None = ..., max_tokens: int | None = ...,
        temperature: float | None = ..., top_k: int | None = ..., top_p: float | None = ..., min_p: float | None = ...,
        repetition_penalty: float | None = ..., seed: int = ..., stop: str | Iterable[str] = ...,
    ) -> Stream: ...
    def chat(
        self,
        messages: Sequence[Message],
        *,
        stream: bool = False,
        tools: Sequence[object] | None = None,
        documents: Sequence[object] | None = None,
        variables: Mapping[str, object] | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repetition_penalty: float | None = None,
        seed: int = 0,
        stop: str | Iterable[str] = (),
    ) -> Any:
        """The answer to a chat, through the chat template of the folder.

        messages: a list of dicts, each with a role and a content.
        tools, documents: what the template may offer to the model.
        variables: more variables of the template, for example {"enable_thinking": False}.
        Names of special tokens in a message stay text, so that a message cannot pretend to be another role.
        """
        import json

        chat: dict[str, object] = {"messages": list(messages)}
        for name, value in (("tools", tools), ("documents", documents)):
            if value is not None:
                chat[name] = list(value)
        if variables is not None:
            chat["chat_template_kwargs"] = dict(variables)
        try:
            text = json.dumps(chat, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise DataError(f"messages: {error}, expected what JSON can hold") from None
        given = sampling_options(max_tokens, temperature, top_k, top_p, min_p, repetition_penalty, seed, stop)
        return self._write(text, given, stream, False, 4096, False, chats=True)

    @overload
    def translate(  # type: ignore[overload-overlap]
        self, texts: str, *, source: str = ..., target: str = ..., beams: int | None = ..., max_tokens: int | None = ...,
        truncate: bool = ..., batch_tokens: int = ..., progress: bool = ...,
    ) -> str: ...
    @overload
    def translate(
        self, texts: Iterable[str], *, source: str = ..., target: str = ..., beams: int | None = ...,
        max_tokens: int | None = ..., truncate: bool = ..., batch_tokens: int = ..., progress: bool = ...,
    ) -> list[str]: ...
    def translate(
        self,
        texts: str | Iterable[str],
        *,
        source: str = "",
        target: str = "",
        beams: int | None = None,
        max_tokens: int | None = None,
        truncate: bool = False,
        batch_tokens: int = 4096,
        progress: bool = False,
    ) -> str | list[str]:
        """The translation of a text, or a list of them, by an encoder-decoder.

        source, target: language tokens of a multilingual model, for example "deu_Latn" and "fra_Latn" for NLLB.
        beams: number of beams. None: from generation_config.json, else 4.
        """
        if not self._core.is_encoder_decoder:
            raise DataError("translate: the model is a decoder, expected an encoder-decoder; use generate()")
        if beams is None:
            beams = self._core.translation_beams
        given = {"max_tokens": max_tokens, "beams": beams, "source": source, "target": target}
        found = self._write(texts, given, False, truncate, batch_tokens, progress)
        return found.text if isinstance(found, Generated) else [one.text for one in found]

    def _write(
        self, prompts: object, given: dict[str, Any], stream: bool, truncate: bool, batch_tokens: int, progress: bool,
        chats: bool = False,
    ) -> Any:
        single = isinstance(prompts, str)
        items = [prompts] if single else listed(prompts, "prompts")
        options = {name: value for name, value in given.items() if value is not None}
        if stream:
            return Stream(self._core.stream(items, chats, options, truncate, batch_tokens))
        with progress_bar(progress, len(items), "text") as update:
            found = [Generated(*one) for one in self._core.write(items, chats, options, truncate, batch_tokens, update)]
        return found[0] if single else found

    def __reduce__(self) -> tuple[type["Writer"], tuple[Folder, DType, Device]]:
        return type(self), (self._folder, self._dtype, self._device)
