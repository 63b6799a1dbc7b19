"""The English text that tokenizers encode: the paragraphs of Python's own documentation, without duplicates."""

import ast
import itertools
import os
import pathlib
import re

import numpy


def documentation():
    from pydoc_data import topics

    yield from topics.topics.values()
    for file in sorted(pathlib.Path(os.__file__).parent.rglob("*.py")):
        if {"site-packages", "dist-packages", "pydoc_data"} & set(file.parts):
            continue
        try:
            tree = ast.parse(file.read_text())
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                yield ast.get_docstring(node) or ""


def write(folder):
    """Writes corpus.txt and returns its size in MB as the amount of the workload."""
    paragraphs = dict.fromkeys(" ".join(part.split()) for text in documentation() for part in text.split("\n\n"))
    # Excludes names of special tokens, which some libraries encode as the token itself. Also excludes long runs of one
    # symbol: many segmentations have the same score, and libraries that sum in float and in double choose different
    # ones.
    excluded = re.compile(r"<s>|</s>|<unk>|\[UNK\]|(\W)\1{7}")
    kept = [p for p in paragraphs if p and not excluded.search(p)]
    text = ("\n".join(kept) + "\n").encode()
    (folder / "corpus.txt").write_bytes(text)
    return {"amount": len(text) / 1e6}


def lines(folder):
    return (pathlib.Path(folder) / "corpus.txt").read_text(encoding="utf-8").split("\n")[:-1]


class Ids:
    """Lists of ids as a library returns them; concatenated only for the comparison, outside of the timing."""

    def __init__(self, lists):
        self.lists = lists

    def tofile(self, path):
        numpy.fromiter(itertools.chain.from_iterable(self.lists), dtype=numpy.int32).tofile(path)
