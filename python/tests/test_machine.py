"""Import, errors, threads and the program."""

import pickle
import subprocess
import sys
import time

import pytest

import locus


def test_import_is_fast_and_does_not_load_numpy() -> None:
    code = "import sys, time; t = time.process_time(); import locus; print(time.process_time() - t, 'numpy' in sys.modules)"
    best = 1.0
    for _ in range(30):  # processor time, but other programs slow it down
        seconds, numpy = subprocess.check_output([sys.executable, "-c", code], text=True).split()
        best = min(best, float(seconds))
        assert numpy == "False"
        if best < 0.05:
            return
    raise AssertionError(f"importing takes {best} s")


def test_errors_are_also_the_exceptions_of_python() -> None:
    with pytest.raises(ValueError, match="got 0 threads") as caught:
        locus.set_threads(0)
    assert isinstance(caught.value, locus.Error)
    assert caught.value.fault == "data"
    assert caught.value.values == ["0"]
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.values) == (type(caught.value), str(caught.value), ["0"])
    assert issubclass(locus.MissingFileError, FileNotFoundError)
    assert issubclass(locus.ResourceError, MemoryError)
    assert str(locus.MissingFileError("no folder", "data", "missing_file", ["x"], "look")) == "no folder; look"


def test_threads_can_be_set() -> None:
    before = locus.threads()
    locus.set_threads(before + 1)
    assert locus.info()["threads"] == before + 1
    locus.set_threads(before)


def test_the_program_comes_along() -> None:
    program = sys.executable.rsplit("/", 1)[0] + "/locus"
    start = time.process_time()
    assert subprocess.check_output([program, "--version"], text=True).split()[-1] == locus.__version__
    assert time.process_time() - start < 5
