"""The types of locus._core for type checkers: writes python/locus/_core.pyi."""

import pathlib
import re
import subprocess
import sys
import tempfile

FILE = pathlib.Path(__file__).parents[2] / "locus" / "_core.pyi"

# Arrays, texts and results are objects for nanobind; the package gives them their types.
REPLACED = {
    r"Annotated\[NDArray, dict\([^)]*\)\]": "Any",
    r"\bobject \| None": "Any",
    r"\bobject\b": "Any",
    r"\bNDArray\b": "Any",
    r"-> list\b(?!\[)": "-> list[Any]",
    r"-> dict\b(?!\[)": "-> dict[str, Any]",
    r"-> tuple\b(?!\[)": "-> tuple[Any, ...]",
    r": dict\b(?!\[)": ": dict[str, Any]",
}


def stubs() -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "_core.pyi"
        subprocess.run(
            [sys.executable, "-m", "nanobind.stubgen", "-q", "-D", "-m", "locus._core", "-o", str(file)], check=True
        )
        text = file.read_text()
    body = "".join(line for line in text.splitlines(keepends=True) if not re.match("(from|import) ", line))
    for pattern, replacement in REPLACED.items():
        body = re.sub(pattern, replacement, body)
    names = [name for name in ("Mapping", "Sequence") if re.search(rf"\b{name}\b", body)]
    head = "# Written by `tools/python.sh . build/release stubs`.\n"
    if names:
        head += f"from collections.abc import {', '.join(names)}\n"
    return head + "from typing import Any\n\n__version__: str\n\n" + body.strip() + "\n"


if __name__ == "__main__":
    FILE.write_text(stubs())
