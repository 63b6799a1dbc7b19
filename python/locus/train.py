"""Training runs."""

import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import _core
from .errors import DataError
from .scheme import frame, option_text
from .texts import Folder


class Step(NamedTuple):
    """A finished step. validation: the validation loss, if this step had a validation."""

    step: int
    steps: int
    loss: float
    validation: float | None


class Run:
    """A run folder. Open it as a model: Classifier(run.folder), Writer(run.folder), open_model(run.folder)."""

    def __init__(self, folder: str, steps: int) -> None:
        self.folder = folder
        self.steps = steps

    @property
    def page(self) -> str:
        """The curves of the run as HTML; a notebook shows them."""
        with open(os.path.join(self.folder, "training.html"), encoding="utf-8") as file:
            return file.read()

    def _repr_html_(self) -> str:
        return frame(self.page)

    def __repr__(self) -> str:
        return f"Run({self.folder!r}, steps={self.steps})"


def train(
    config: Folder | Mapping[str, Mapping[str, Any]] | None = None,
    out: Folder | None = None,
    set: Mapping[str, object] = {},
    *,
    continued: Folder | None = None,
    on_step: Callable[[Step], object] | None = None,
    progress: bool = True,
) -> Run:
    """Trains or fine-tunes a model, or resumes an interrupted run in `out`.

    config: a TOML file, or its sections as a dict: {"model": {...}, "data": {...}, "train": {...}}. Relative paths in a
        dict are relative to the current folder.
    set: settings that override those of config, for example {"train.steps": 100}.
    continued: a run to train further with more steps or other settings. Settings you omit keep their values, and config
        may be omitted. Without out, the run continues in its own folder.
    on_step: called after every step. If it raises, the run is saved and the exception passed on. So is Ctrl-C.
    progress: show a bar if tqdm is installed.
    """
    if continued is None and (config is None or out is None):
        raise DataError("train: config and out are required, unless continued names a run", "usage")
    settings = {key: option_text(value) for key, value in set.items()}
    source: Any = config
    base = None
    if config is None:
        source, base = "", os.getcwd()
    elif isinstance(config, Mapping):
        source, base = "", os.getcwd()
        settings = {**{key: option_text(value) for key, value in flat(config).items()}, **settings}
    bar: Any = None
    if progress:
        try:
            from tqdm.auto import tqdm

            bar = tqdm(unit="step")
        except ImportError:
            pass

    def report(step: int, steps: int, loss: float, validation: float | None) -> None:
        if bar is not None:
            bar.total = steps
            bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
            bar.update(step - bar.n)
        if on_step is not None:
            on_step(Step(step, steps, loss, validation))

    try:
        folder, steps, notes = _core.train(source, base, out, continued, settings, report)
    finally:
        if bar is not None:
            bar.close()
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return Run(folder, steps)


def flat(sections: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in sections.items():
        if isinstance(value, Mapping):
            found.update(flat(value, f"{prefix}{key}."))
        else:
            found[prefix + key] = value
    return found
