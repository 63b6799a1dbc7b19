"""Contenders as compare.py sees them: servers (see contender.py), or programs that are started for every run."""

import json
import os
import pathlib
import subprocess
import sys
import time

import numpy

HERE = pathlib.Path(__file__).resolve().parent
THREADS = "2"


def environment(programs):
    """Sets the number of threads for every library that has its own thread pool."""
    threads = ("LOCUS_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
    return os.environ | dict.fromkeys(threads, THREADS) | {"PYTHONPATH": str(HERE), "LOCUS": str(programs / "locus"),
                                                           "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}


def command(workload, name, programs):
    """The command that starts a contender. -P: Python must not import a contender file as the library of that name."""
    python = HERE / workload / f"{name}.py"
    if python.exists():
        return [sys.executable, "-P", str(python)]
    shell = HERE / workload / f"{name}.sh"
    return [str(shell if shell.exists() else programs / "rivals" / name.replace("locus", f"rivals_{workload}"))]


class Server:
    """A process that loads once and then runs the job on request."""

    def __init__(self, arguments, environment, log):
        self.log = pathlib.Path(log)
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=self.log.open("w"), env=environment)
        answer = self.process.stdout.readline().strip()
        if answer != "ready":
            self.process.kill()
            last = self.log.read_text().strip().splitlines()[-1:] or [answer]
            raise RuntimeError(f"{last[0]}; see {self.log}")

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the contender exited at command '{line}'; see {self.log}")
        return answer.split()

    def run(self):
        """Seconds of wall-clock time and of CPU time."""
        clock, processor = map(float, self.ask("run"))
        return clock, processor

    def result(self, path):
        self.ask(f"result {path}")

    def limit(self, kind, footprint):
        return float(self.ask(f"limit {kind} {footprint}")[0])

    def peak_mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class OneShot:
    """A program that prints a vector and exits. The first run may export a model and is not timed."""

    def __init__(self, arguments, environment, log):
        self.arguments, self.environment, self.log = arguments, environment, pathlib.Path(log)
        self.peak = 0
        self.run()
        self.peak = 0
        self.run()

    def run(self):
        clock = time.perf_counter()
        process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=self.log.open("w"), env=self.environment)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"{self.log.read_text().strip().splitlines()[-1]}; see {self.log}")
        self.vector = json.loads(output.splitlines()[-1])["embedding"]
        self.peak = max(self.peak, usage.ru_maxrss / 1024)
        return time.perf_counter() - clock, usage.ru_utime + usage.ru_stime

    def result(self, path):
        numpy.array(self.vector, dtype=numpy.float32).tofile(path)

    def peak_mebibytes(self):
        return self.peak

    def close(self):
        pass
