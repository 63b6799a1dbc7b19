"""Runs the Python blocks of docs/python_torch.md, and compares what they print with the text blocks that follow."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "python_torch.md"


def test_blocks_run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    blocks = re.findall(r"^```(\S*)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    for kind, text in blocks:
        if kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(text, str(PAGE), "exec"), names)
            printed = output.getvalue()
        else:
            assert printed == text
    assert (tmp_path / "waves.svg").read_text().startswith("<svg")
