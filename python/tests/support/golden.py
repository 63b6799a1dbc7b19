"""The golden model folders of tests/golden/apply, with what transformers computes for them."""

import json
import pathlib
from typing import Any

APPLY = pathlib.Path(__file__).parents[3] / "tests" / "golden" / "apply"


def folder(name: str) -> pathlib.Path:
    return APPLY / name


def cases(name: str) -> list[dict[str, Any]]:
    content = json.loads((folder(name) / "expected.json").read_text())
    found: list[dict[str, Any]] = content["cases"]
    return found
