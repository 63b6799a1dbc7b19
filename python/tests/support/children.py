"""What child processes run; a module that they can import."""

from typing import Any

from golden import folder

import locus


def encode_in_child(pipe: Any, text: str) -> None:
    locus.set_threads(1)
    pipe.send(locus.Embedder(folder("embed")).encode(text).tolist())
    pipe.close()
