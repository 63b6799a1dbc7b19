"""A contender's side of the talk with compare.py, in Python.

A contender loads, says `ready`, and then answers a line for every line it reads:
    run          does the job once and says how many seconds it took, by the clock and of processor time
    result FILE  writes what the last run gave, float32 or int32 numbers in a row, and says `written`
It leaves at the end of its input. bench/rivals/contender.h is the same for C++.
"""

import os
import sys
import time

THREADS = 2


def folder():
    """Where the workload's inputs are: what its prepare() wrote."""
    return sys.argv[1]


def case():
    """Which of the workload's cases is wanted."""
    return sys.argv[2]


def inputs():
    """The tensors that prepare() wrote, for PyTorch."""
    from safetensors.torch import load_file

    return load_file(folder() + "/inputs.safetensors")


def serve(job):
    """Calls job() for every `run`; it returns a NumPy array."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not look like an answer
    result = job()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        command, _, path = line.strip().partition(" ")
        if command == "run":
            clock, processor = time.perf_counter(), time.process_time()
            result = job()
            print(time.perf_counter() - clock, time.process_time() - processor, file=answers, flush=True)
        elif command == "result":
            result.tofile(path)
            print("written", file=answers, flush=True)
        else:
            sys.exit(f"contender: '{command}', expected run or result")
