"""The text that tokenizers encode, and its ids: English, the paragraphs of Python's own documentation, each once."""

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
    """Writes corpus.txt and returns its size as a workload's amount, in MB."""
    paragraphs = dict.fromkeys(" ".join(part.split()) for text in documentation() for part in text.split("\n\n"))
    # To some libraries the name of a special token is the token; and of a ruler many cuts have the same sum of scores, of
    # which a library that adds floats takes another than one that adds doubles.
    left_out = re.compile(r"<s>|</s>|<unk>|\[UNK\]|(\W)\1{7}")
    kept = [p for p in paragraphs if p and not left_out.search(p)]
    text = ("\n".join(kept) + "\n").encode()
    (folder / "corpus.txt").write_bytes(text)
    return {"amount": len(text) / 1e6}


def lines(folder):
    return (pathlib.Path(folder) / "corpus.txt").read_text(encoding="utf-8").split("\n")[:-1]


class Ids:
    """Lists of ids as a library gives them; they become one array only where they are compared."""

    def __init__(self, lists):
        self.lists = lists

    def tofile(self, path):
        numpy.fromiter(itertools.chain.from_iterable(self.lists), dtype=numpy.int32).tofile(path)
