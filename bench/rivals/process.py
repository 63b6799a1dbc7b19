"""A contender as compare.py sees it: a program that answers lines (see contender.py)."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
THREADS = "2"
# Every library that has threads of its own is told how many.
ENVIRONMENT = os.environ | {
    name: THREADS for name in ("LOCUS_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                               "RAYON_NUM_THREADS")
} | {"PYTHONPATH": str(HERE), "TOKENIZERS_PARALLELISM": "true", "HF_HUB_OFFLINE": "1"}


def command(workload, name, programs):
    """How a contender is started: Locus was compiled, the others are Python. -P: a file named as the library it
    measures must not be taken for it."""
    if name == "locus":
        return [str(programs / f"rivals_{workload}")]
    return [sys.executable, "-P", str(HERE / workload / f"{name}.py")]


class Contender:
    """Started, loaded, and run once."""

    def __init__(self, name, arguments, log):
        self.name = name
        self.log = pathlib.Path(log)
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=self.log.open("w"), env=ENVIRONMENT)
        answer = self.process.stdout.readline().strip()
        if answer != "ready":
            self.process.kill()
            last = self.log.read_text().strip().splitlines()[-1:] or [answer]
            raise RuntimeError(f"{last[0]} ({self.log})")

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"left at '{line}' ({self.log})")
        return answer.split()

    def run(self):
        """Seconds by the clock, and of processor time."""
        clock, processor = map(float, self.ask("run"))
        return clock, processor

    def result(self, path):
        self.ask(f"result {path}")
        return path

    def limit(self, kind, footprint):
        return float(self.ask(f"limit {kind} {footprint}")[0])

    def peak_mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()
