"""Bad input of any kind is an exception with words, never a crash."""

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from children import encode_in_child
from golden import folder

import locus

TEXT = "The dog chased the ball."


def run(code: str, *, interrupt: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs a program, which must end by itself."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(folder("write")), str(folder("embed"))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored if a shell started the tests with &
    ) as process:
        if interrupt:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: locus.Embedder("/nowhere/at/all"), "/nowhere/at/all"),
        (lambda: locus.Embedder(folder("embed"), dtype="f16"), "f16"),  # type: ignore[arg-type]
        (lambda: locus.Embedder(folder("embed")).encode([1]), r"texts\[0\]: got int"),  # type: ignore[list-item]
        (lambda: locus.Embedder(folder("embed")).encode(b"x"), "expected"),  # type: ignore[arg-type]
        (lambda: locus.Embedder(folder("embed")).encode(7), "got int"),  # type: ignore[call-overload]
        (lambda: locus.Embedder(folder("embed")).encode(["a", "\ud800"]), r"texts\[1\].*surrogate"),
        (lambda: locus.Embedder(folder("embed")).encode("x", prompt="none"), "unknown prompt"),
        (lambda: locus.Embedder(folder("embed")).encode("x", batch_tokens=0), "batch_tokens: got 0"),
        (lambda: locus.Embedder(folder("embed")).encode("x", dimensions=13), "dimensions: got 13"),
        (lambda: locus.Embedder(folder("embed")).encode("dog " * 5000), "tokens"),
        (lambda: locus.Embedder(folder("write")), "expected"),
        (lambda: locus.Classifier(folder("classify"))("x", top_k=0), "top_k: got 0"),
        (lambda: locus.Classifier(folder("classify"))([("a", "b", "c")]), r"texts\[0\]: got 3 texts"),  # type: ignore[list-item]
        (lambda: locus.Classifier(folder("entail")).zero_shot("x", []), "label"),
        (lambda: locus.Filler(folder("fill"))("no mask"), "mask"),
        (lambda: locus.Answerer(folder("answer"))(["a"], ["b", "c"]), "1 questions and 2 contexts"),
        (lambda: locus.Writer(folder("write")).generate("x", temperature=-1), "temperature"),
        (lambda: locus.Writer(folder("write")).generate("x", beams=0), "beams: got 0"),
        (lambda: locus.Writer(folder("write")).generate("x", stop=""), "stop"),
        (lambda: locus.Writer(folder("write")).translate("x"), "generate"),
        (lambda: locus.Tokenizer(folder("tag")).decode([-1]), "-1"),
        (lambda: locus.Tokenizer(folder("tag")).decode([2**40]), "1099511627776"),
        (lambda: locus.Tokenizer(folder("tag")).decode([0.5]), "f64"),
        (lambda: locus.Tokenizer(folder("tag")).decode(["a"]), "expected"),
        (lambda: locus.open_model(folder("classify"))([[10**6]]), "1000000"),
        (lambda: locus.open_model(folder("classify"))([[-1]]), "-1"),
        (lambda: locus.open_model(folder("classify"))([]), "ids"),
        (lambda: locus.open_model(folder("classify"))([[0.5]]), "ids"),
        (lambda: locus.open_model(folder("classify"))([[float("nan")]]), "ids"),
        (lambda: locus.open_model(folder("classify"))([[1]], lengths=[2]), r"lengths: got \[2\]"),
        (lambda: locus.open_model(folder("classify"))([[1]], lengths=[1, 1]), "lengths"),
        (lambda: locus.open_model(folder("classify"))([[1]], output=["states"]), "states"),
        (lambda: locus.open_model(folder("classify"))(numpy.zeros((1, 1, 1), int)), "shape"),
        (lambda: locus.open_model(folder("classify"))(numpy.zeros((1, 1), complex)), "DLPack type"),
        (lambda: locus.open_model(folder("classify")).save(folder("classify")), "exists"),
        (lambda: locus.similarity(numpy.zeros((2, 3)), numpy.zeros((2, 4))), r"\[2, 3\] and \[2, 4\]"),
        (lambda: locus.similarity(numpy.zeros((2, 3), int), numpy.zeros((2, 3))), "floating-point"),
        (lambda: locus.similarity("ab", "cd"), "a: got str"),
        (lambda: locus.Embedder(folder("embed"), device="gpu"), "expected cpu or cuda"),  # type: ignore[arg-type]
    ],
)
def test_bad_arguments_are_errors(call: Callable[[], object], words: str) -> None:
    with pytest.raises(locus.Error, match=words):
        call()


def test_a_gpu_that_is_not_there() -> None:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        with pytest.raises(locus.Error, match="no GPU") as caught:
            locus.Embedder(folder("embed"), device="cuda")
        assert caught.value.code == "no_gpu" and caught.value.hint
        with pytest.raises(locus.Error, match="no GPU"):
            locus.compare("nowhere", schemes="none", progress=False, device="cuda")
        assert not isinstance(caught.value, MemoryError)


def test_a_missing_folder_is_also_an_error_of_the_system() -> None:
    with pytest.raises(FileNotFoundError):
        locus.Tokenizer("/nowhere/at/all")
    with pytest.raises(TypeError):
        locus.Tokenizer(None)  # type: ignore[arg-type]


def test_empty_lists_give_empty_results() -> None:
    assert locus.Embedder(folder("embed")).encode([]).shape == (0, 12)
    assert locus.Classifier(folder("classify"))([]) == []
    assert locus.Writer(folder("write")).generate([]) == []
    assert list(locus.Writer(folder("write")).generate([], stream=True)) == []
    assert locus.Tokenizer(folder("tag")).encode([]) == []
    assert locus.Tokenizer(folder("tag")).decode([]) == ""


def test_arrays_with_any_strides_and_dtypes_are_read() -> None:
    rng = numpy.random.default_rng(1)
    base = rng.standard_normal((6, 8)).astype(numpy.float32)
    whole = locus.similarity(base, base)
    copies = locus.info()["copies"]
    numpy.testing.assert_array_equal(locus.similarity(base[::-1], base), whole[::-1])
    numpy.testing.assert_array_equal(locus.similarity(numpy.asfortranarray(base), base), whole)
    numpy.testing.assert_array_equal(locus.similarity(base.astype(numpy.float64), base), whole)
    assert locus.info()["copies"] == copies + 3
    base.flags.writeable = False
    numpy.testing.assert_array_equal(locus.similarity(base, base), whole)
    shifted = numpy.frombuffer(b"x" + base.tobytes(), numpy.uint8)[1:].view(numpy.float32).reshape(6, 8)
    numpy.testing.assert_array_equal(locus.similarity(shifted, base), whole)
    assert locus.info()["copies"] == copies + 4


def test_arrays_in_use_are_not_freed_or_resized() -> None:
    rng = numpy.random.default_rng(2)
    base = rng.standard_normal((3000, 256)).astype(numpy.float32)
    expected = locus.similarity(base, base)
    found: list[Any] = []

    def work(rows: Any) -> None:
        found.extend(locus.similarity(rows, rows) for _ in range(5))
        checked.wait()

    checked = threading.Event()
    kept = base.copy()
    thread = threading.Thread(target=work, args=(kept,))
    thread.start()
    refused = 0
    while len(found) < 5:
        with pytest.raises(ValueError, match="cannot resize"):
            kept.resize((1, 1))
        refused += 1
        time.sleep(0.01)
    checked.set()
    thread.join()
    with pytest.raises(ValueError, match="does not own"):
        found[0].resize((1, 1))
    found += [locus.similarity(base.copy(), base.copy())]
    assert refused > 1
    for one in found:
        numpy.testing.assert_array_equal(one, expected)


def test_nan_stays_nan() -> None:
    found = locus.similarity(numpy.array([[numpy.nan, 1.0]]), numpy.array([[1.0, 1.0]]))
    assert numpy.isnan(found).all()


def test_results_outlive_what_made_them() -> None:
    vectors = [locus.Embedder(folder("embed")).encode([TEXT]) for _ in range(20)]
    for one in vectors:
        numpy.testing.assert_array_equal(one, vectors[0])


def test_many_threads_share_one_model() -> None:
    embedder = locus.Embedder(folder("embed"))
    expected = embedder.encode([TEXT])
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.extend(embedder.encode([TEXT]) for _ in range(20))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    for one in found:
        numpy.testing.assert_array_equal(one, expected)


@pytest.mark.parametrize("how", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children_compute(how: str) -> None:
    expected = locus.Embedder(folder("embed")).encode(TEXT).tolist()
    here, there = multiprocessing.Pipe()
    context: Any = multiprocessing.get_context(how)
    process = context.Process(target=encode_in_child, args=(there, TEXT))
    process.start()
    there.close()
    assert here.recv() == expected
    process.join()
    assert process.exitcode == 0


def test_a_stream_can_be_closed_early_and_in_a_child() -> None:
    writer = locus.Writer(folder("write"))
    with writer.generate(["the dog"] * 3, max_tokens=200, temperature=1, stream=True) as stream:
        assert next(stream)[0] in (0, 1, 2)
        with pytest.raises(locus.Error, match="set_threads"):
            locus.set_threads(3)
        child = os.fork()
        if child == 0:
            try:
                next(stream)
            except locus.Error:
                del stream
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert list(stream) == []
    del writer
    stream.close()


def test_python_exits_while_a_stream_is_open() -> None:
    done = run("""
        import locus, sys
        stream = locus.Writer(sys.argv[1]).generate("the dog", max_tokens=100000, temperature=1, stream=True)
        next(stream)
        """)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "call",
    [
        "embedder.encode(['the dog ran'] * 50)",
        "locus.Tokenizer(pathlib.Path('/nowhere'))",  # Python code makes the path a str, and the exception
        "locus._core.similarity(Rows(), Rows())",
    ],
)
def test_python_exits_while_daemon_threads_are_in_calls(call: str) -> None:
    done = run(f"""
        import locus, numpy, pathlib, sys, threading, time
        embedder = locus.Embedder(sys.argv[2])
        class Rows:  # an array of Python code
            def __dlpack__(self, **options):
                return numpy.ones((9, 12), "f").__dlpack__(**options)
        def work():
            while True:
                try:
                    {call}
                except FileNotFoundError:
                    pass
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        """)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "call",
    [
        "locus.Embedder(sys.argv[2]).encode(['the dog ran'] * 10**6)",
        "locus.Writer(sys.argv[1]).generate(['the dog'] * 20000, temperature=1)",
        "list(locus.Writer(sys.argv[1]).generate(['the dog'] * 20000, temperature=1, stream=True))",
    ],
)
def test_ctrl_c_ends_a_long_call(call: str) -> None:
    done = run(
        f"""
        import locus, sys
        print("ready", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            sys.exit(9)
        """,
        interrupt=True,
    )
    assert (done.returncode, done.stderr) == (9, "")
