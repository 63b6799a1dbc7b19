"""The texts of a case: a list, or a single str as a user would pass it."""

import pathlib

from contender import case, folder


def model():
    return folder() + "/model"


def texts():
    lines = (pathlib.Path(folder()) / "sentences.txt").read_text().splitlines()
    return lines if case() == "sentences" else lines[0]
