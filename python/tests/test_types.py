"""The package and its tests are typed."""

import pathlib
import subprocess
import sys

from stubs import FILE, stubs

ROOT = pathlib.Path(__file__).parents[2]


def test_the_stubs_are_those_of_the_module() -> None:
    assert FILE.read_text() == stubs()


def test_mypy_accepts_package_and_tests() -> None:
    files = [str(path) for place in ("python/locus", "python/tests", "python/tests/support", "python/examples")
             for path in sorted((ROOT / place).glob("*.py"))]
    done = subprocess.run([sys.executable, "-m", "mypy", *files], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
