"""Position schemes compared by training small models."""

import os
from typing import Any

from . import _core
from .scheme import frame, option_text
from .texts import Device, Folder


class Comparison:
    """The results of compare().

    table: columns of equal length, task, scheme, variant, seed, length, value and bits_per_byte, for example for
        pandas.DataFrame(result.table). value is an accuracy or a perplexity, and None if there is none.
    results: means, spreads and costs, as in results.json.
    sentences: the verdict.
    page: the report as HTML; a notebook shows it.
    """

    def __init__(self, table: dict[str, list[Any]], results: dict[str, Any], sentences: list[str], page: str) -> None:
        self.table = table
        self.results = results
        self.sentences = sentences
        self.page = page

    def _repr_html_(self) -> str:
        return frame(self.page, 900)

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def columns(text: str) -> dict[str, list[Any]]:
    import csv
    import io

    rows = list(csv.DictReader(io.StringIO(text)))
    kinds = {"seed": int, "length": int, "value": float, "bits_per_byte": float}
    return {
        name: [(kinds[name](row[name]) if row[name] else None) if name in kinds else row[name] for row in rows]
        for name in (rows[0] if rows else kinds)
    }


def compare(
    out: Folder, *, budget: str | None = None, progress: bool = True, device: Device = "cpu", **settings: object
) -> Comparison:
    """Trains the same small model with every scheme, tests it on longer texts, and writes a report into `out`.

    settings: schemes="rotary,alibi", tasks="language", length=32, lengths="64,128", steps=1000, seeds=2, text=FILE,
        tokenizer="learn:1000" and the other settings of a study.
    budget: a time such as "5m". The study gets fewer steps, then fewer seeds and tasks, until it fits.
    A study that was interrupted resumes with the same call, and one that is finished grows by what is new.
    progress: show a bar if tqdm is installed.
    device: "cpu", or "cuda" for an NVIDIA GPU.
    """
    import json

    texts = {name: option_text(value) for name, value in settings.items()}
    if "text" in texts:
        texts["text"] = os.path.abspath(texts["text"])
    bar, update = None, None
    if progress:
        try:
            from tqdm.auto import tqdm

            bar = tqdm(total=1.0, unit="study", bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
        except ImportError:
            pass
    if bar is not None:
        shown = bar

        def update(fraction: float) -> None:
            shown.update(max(0.0, fraction - shown.n))

    try:
        table, results, sentences, page = _core.compare(out, texts, budget or "", device, update)
    finally:
        if bar is not None:
            bar.close()
    return Comparison(columns(table), json.loads(results), sentences, page)
