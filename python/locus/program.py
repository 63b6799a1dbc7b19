"""The program `locus`, as a console script."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(__file__), "bin", "locus")
    os.execv(program, ["locus", *sys.argv[1:]])
