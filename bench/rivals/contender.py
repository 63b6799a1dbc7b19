"""The contender's side of the protocol with compare.py, in Python.

A contender loads, prints `ready`, and then prints one line for every line it reads:
    run          runs the job once and prints its seconds of wall-clock time and of CPU time
    result FILE  writes the result of the last run as raw float32 or int32 numbers, and prints `written`
It exits at the end of its input. bench/rivals/contender.h is the same for C++.
"""

import os
import sys
import time

THREADS = 2


def folder():
    """The folder that prepare() of the workload wrote."""
    return sys.argv[1]


def case():
    """The case of the workload to run."""
    return sys.argv[2]


def inputs():
    """The tensors that prepare() wrote, as PyTorch tensors."""
    from safetensors.torch import load_file

    return load_file(folder() + "/inputs.safetensors")


def serve(job):
    """Calls job() for every `run`; it returns a NumPy array."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not be mistaken for an answer
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
            sys.exit(f"contender: unknown command: got '{command}', expected run or result")
