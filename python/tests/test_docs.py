"""Runs the Python blocks of the documentation, and compares what they print with the text blocks that follow."""

import contextlib
import io
import pathlib
import re

import pytest

import locus

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def matches(found: str, shown: str) -> bool:
    """Whether the output has the shown lines; ... is for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), found) is not None


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_blocks_run(page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    output = None
    count = 0
    threads = locus.threads()
    for kind, text in BLOCK.findall((ROOT / page).read_text()):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, page, "exec"), names)
            output = printed.getvalue()
            count += 1
        else:
            if kind == "text" and output is not None:
                assert matches(output, text), f"{output!r} is not {text!r}"
            output = None
    locus.set_threads(threads)
    assert count > 0


@pytest.mark.parametrize("example", sorted((ROOT / "python" / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(example: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    exec(compile(example.read_text(), str(example), "exec"), {"__name__": "__main__"})
