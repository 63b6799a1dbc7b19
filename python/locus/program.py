"""The program `locus`, as a console script."""

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).with_name("bin") / "locus"
    os.execv(program, ["locus", *sys.argv[1:]])
