#!/usr/bin/env python3
"""Compares Locus with alternative libraries, in one run: ./run bench rivals [WORKLOAD ...]

Each folder next to this file is a workload: workload.py defines what is measured and prepares the inputs; the other
files are contenders. All contenders of a workload are loaded together and take turns, so that noise affects them
equally. Results are checked first: a contender whose result differs from Locus by more than the tolerance of the
workload is not timed. Locus runs twice, as two processes; their difference shows the measurement noise.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import multiprocessing
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time

import numpy
from process import HERE, THREADS, OneShot, Server, command, environment

# The threads of some libraries keep spinning for a while after a job and take CPU time from the next contender. So a
# job shorter than this many seconds runs twice per turn and the second run is timed. A pause would let the caches go
# cold.
SHORT = 0.2


def load(workload):
    spec = importlib.util.spec_from_file_location(workload, HERE / workload / "workload.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prepare(workload, folder, models, case):
    return load(workload).prepare(folder, models, case)


def in_subprocess(job, *arguments):
    """Runs job in a separate process, because a child process starts with the peak memory of its parent."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return pool.submit(job, *arguments).result()


def rivals(workload):
    """The contenders of a workload except Locus: variants of Locus (locus_*), then the Python programs."""
    variants = sorted(path.stem for path in (HERE / workload).glob("locus_*.cc"))
    return variants + sorted(path.stem for path in (HERE / workload).glob("*.py") if path.stem not in ("workload", "locus")
                             and any(word in path.read_text() for word in ("serve(", "print(")))


def difference(ours, theirs, dtype):
    """The largest absolute difference between two results; infinite if their sizes differ."""
    ours, theirs = (numpy.fromfile(path, dtype=dtype) for path in (ours, theirs))
    if ours.shape != theirs.shape:
        return float("inf")
    return float(numpy.abs(ours.astype(numpy.float64) - theirs).max(initial=0))


class Measurement:
    """One case of a workload: its contenders, their times, and the limit of the machine."""

    def __init__(self, workload, case, options):
        self.workload, self.case = workload, case
        self.about = load(workload)
        self.folder = options.scratch / workload / case
        self.folder.mkdir(parents=True, exist_ok=True)
        self.size = in_subprocess(prepare, workload, self.folder, options.models, case)
        self.contenders, self.refused = {}, {}
        self.limits = []
        for contender in ["locus", "locus again", *rivals(workload)]:
            self.start(contender, options.programs)
        self.times = {contender: [] for contender in self.contenders}

    def start(self, name, programs):
        file = self.folder / name.replace(" ", "-")
        kind = OneShot if getattr(self.about, "ONE_SHOT", False) else Server
        try:
            contender = kind(command(self.workload, name.split()[0], programs) + [str(self.folder), self.case],
                             environment(programs), file.with_suffix(".log"))
        except RuntimeError as error:
            if name == "locus":
                raise
            self.refused[name] = str(error)
            return
        contender.result(file.with_suffix(".result"))
        gap = difference(self.folder / "locus.result", file.with_suffix(".result"),
                         getattr(self.about, "DTYPE", numpy.float32))
        tolerance = getattr(self.about, "TOLERANCES", {}).get(name, self.about.TOLERANCE)
        if gap > tolerance:
            self.refused[name] = f"result differs from Locus by {gap:.2g}, tolerance is {tolerance:g}"
            contender.close()
        else:
            self.contenders[name] = contender

    def turn(self):
        kind = getattr(self.about, "LIMIT", None)
        if kind:
            # Not measured by the first Locus process, whose peak memory is reported.
            self.limits.append(self.contenders["locus again"].limit(kind, self.size.get("footprint", 0)))
        # A different order each time, so that leftovers in caches and in free memory affect all contenders equally.
        order = random.Random(len(self.times["locus"])).sample(list(self.contenders), len(self.contenders))
        for name in order:
            first = self.contenders[name].run()
            self.times[name].append(self.contenders[name].run() if first[0] < SHORT else first)

    def run(self, turns):
        """Short jobs get more turns, because noise affects them more."""
        begin = time.perf_counter()
        while len(self.times["locus"]) < turns or (time.perf_counter() - begin < 3 and len(self.times["locus"]) < 101):
            self.turn()

    def finish(self):
        """The medians, in the format of the JSON file."""
        rows = []
        for name, contender in self.contenders.items():
            rows.append({"name": name,
                          "seconds": statistics.median(clock for clock, _ in self.times[name]),
                          "processor_seconds": statistics.median(own for _, own in self.times[name]),
                          "turns": [clock for clock, _ in self.times[name]],
                          "peak_mebibytes": contender.peak_mebibytes()})
            contender.close()
        refused = [{"name": name, "reason": reason} for name, reason in self.refused.items()]
        return {"name": f"{self.workload} {self.case}", "title": self.about.TITLE, "unit": self.about.UNIT, **self.size,
                "contenders": rows, "refused": refused, "limit": self.limit(rows[0]["seconds"])}

    def limit(self, seconds):
        if not self.limits:
            return None
        allowed = statistics.median(self.limits)
        return {"kind": self.about.LIMIT, "value": allowed, "share": self.size["work"] / 1e9 / seconds / allowed}


def print_table(found):
    ours = found["contenders"][0]
    print(f"\n{found['name']}: {found['title']}")
    print(f"  {'':<24} {'ms':>10} {found['unit'] + '/s':>12} {'ratio':>9} {'CPU ratio':>10} {'peak MiB':>9}")
    for row in found["contenders"]:
        print(f"  {row['name']:<24} {1e3 * row['seconds']:>10.2f} {found['amount'] / row['seconds']:>12.1f} "
              f"{row['seconds'] / ours['seconds']:>8.2f}x {row['processor_seconds'] / ours['processor_seconds']:>9.2f}x "
              f"{row['peak_mebibytes']:>9.0f}")
    for refused in found["refused"]:
        print(f"  {refused['name']:<24} not timed: {refused['reason']}")
    if found["limit"]:
        limit = found["limit"]
        unit = "GFLOP/s" if limit["kind"] == "fma" else "GB/s"
        print(f"  Locus reaches {limit['share']:.0%} of the limit, {limit['value']:.1f} {unit} ({limit['kind']})")


def seconds_of(entry):
    return {row["name"]: row["seconds"] for row in entry["contenders"]}


def print_comparison(old, new):
    """Prints the times of Locus before and now, and the speedup relative to that of the rivals, which corrects for a
    busy machine."""
    before = {entry["name"]: seconds_of(entry) for entry in old["workloads"]}
    print(f"\n{'':<36} {'before ms':>10} {'now ms':>10} {'faster':>7} {'vs rivals':>10}")
    for entry in new["workloads"]:
        then, now = before.get(entry["name"]), seconds_of(entry)
        if not then:
            continue
        others = [then[rival] / now[rival] for rival in then.keys() & now.keys() if not rival.startswith("locus")]
        gain, drift = then["locus"] / now["locus"], statistics.median(others) if others else 1
        print(f"{entry['name']:<36} {1e3 * then['locus']:>10.2f} {1e3 * now['locus']:>10.2f} {gain:>6.2f}x "
              f"{gain / drift:>9.2f}x")


def parse():
    known = sorted(path.parent.name for path in HERE.glob("*/workload.py"))
    parser = argparse.ArgumentParser(prog="./run bench rivals", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(known))
    parser.add_argument("--turns", type=int, default=7, help="minimum number of runs per contender [7]")
    parser.add_argument("--json", type=pathlib.Path,
                        help="output file; an HTML page is written next to it [build/rivals/rivals.json]")
    parser.add_argument("--compare", type=pathlib.Path, help="earlier output file to compare with")
    parser.add_argument("--programs", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--models", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.workloads) - set(known)
    if unknown:
        parser.error(f"unknown workload: got {', '.join(sorted(unknown))}, expected {', '.join(known)}")
    options.workloads = options.workloads or known
    for folder in ("models", "scratch", "programs"):
        setattr(options, folder, getattr(options, folder).resolve())
    options.json = options.json or options.scratch / "rivals.json"
    return options


def main():
    options = parse()
    old = json.loads(options.compare.read_text()) if options.compare else None
    print(f"{platform.machine()}, {THREADS} threads each, medians of at least {options.turns} turns")
    print("ratio: time relative to Locus")
    found = {"machine": platform.machine(), "threads": THREADS, "workloads": []}
    for workload in options.workloads:
        for case in load(workload).CASES:
            measurement = Measurement(workload, case, options)
            measurement.run(options.turns)
            found["workloads"].append(measurement.finish())
            print_table(found["workloads"][-1])
            options.json.write_text(json.dumps(found, indent=1) + "\n")
    page = options.json.with_suffix(".html")
    subprocess.run([options.programs / "rivals" / "rivals_page", options.json, page], check=True)
    print(f"\n{options.json}\n{page}")
    if old:
        print_comparison(old, found)
    return 1 if any(entry["refused"] for entry in found["workloads"]) else 0


if __name__ == "__main__":
    sys.exit(main())
