#!/usr/bin/env python3
"""Compares HTTP servers of embeddings, in one run: ./run bench rivals serve

All servers are started together and take turns. Their vectors are compared first: a server whose vectors differ from
those of Locus is not timed. Locus runs twice, as two processes; their difference shows the measurement noise. The client
is a program of one thread (load.cc), which shares the cores with the servers; the table has its CPU time.
"""

import argparse
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy
from process import THREADS, environment
from serve.contenders import Server, commands
from serve.overhead import measure_overhead
from serve.overload import measure_overload
from serve.tables import print_case
from serve.texts import texts, write_bodies

# Connections, tokens of a text, and seconds of a turn.
CASES = [(1, 16, 1.5), (8, 16, 1.5), (64, 16, 3), (1, 256, 1.5), (8, 256, 2), (64, 256, 5)]
TOLERANCE = 1e-5  # components of unit vectors, after six layers in float32


def start(options):
    """The servers with the vectors of Locus, and why the others are not timed."""
    model, expected = options.folder / "model", None
    # In a process of its own: the conversion needs other libraries, which would count as memory of the server.
    convert = f"from exports import ctranslate2_folder; ctranslate2_folder({str(options.folder)!r})"
    subprocess.run([sys.executable, "-c", convert], check=True, env=environment(options.programs))
    given = [text for tokens in (16, 256) for text in texts(model, tokens)[:8]]
    servers, refused = [], []
    for name, command in commands(options.folder, options.programs, options.infinity).items():
        try:
            server = Server(name, command, options.folder, options.programs)
        except (RuntimeError, OSError) as error:
            if name == "locus":
                raise
            refused.append({"name": name, "reason": str(error)})
            continue
        vectors = numpy.array(server.vectors(given))
        expected = vectors if expected is None else expected
        gap = float(abs(vectors - expected).max()) if vectors.shape == expected.shape else float("inf")
        if gap <= TOLERANCE:
            servers.append(server)
        else:
            refused.append({"name": name, "reason": f"result differs from Locus by {gap:.2g}, tolerance is {TOLERANCE:g}"})
            server.close()
    return servers, refused


def measure_case(servers, bodies, connections, seconds, turns):
    """The medians over turns, a row per server."""
    found = {server.name: [] for server in servers}
    for turn in range(turns):
        # A different order each time, so that what the last server left behind affects all of them equally.
        for server in random.Random(turn).sample(servers, len(servers)):
            found[server.name].append(server.answers(bodies, connections, seconds))
    rows = []
    for server in servers:
        runs = found[server.name]
        each = [run["seconds"] / run["answered"] for run in runs]
        rows.append({"name": server.name, "seconds": statistics.median(each), "turns": each,
                     "processor_seconds": statistics.median(run["server_seconds"] / run["answered"] for run in runs),
                     "client_share": statistics.median(run["processor_seconds"] / run["seconds"] for run in runs),
                     "p50_ms": statistics.median(run["p50_ms"] for run in runs),
                     "p99_ms": statistics.median(run["p99_ms"] for run in runs),
                     "peak_mebibytes": server.peak_mebibytes()})
    return rows


def parse():
    parser = argparse.ArgumentParser(prog="./run bench rivals serve", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=3, help="number of runs per server and case [3]")
    parser.add_argument("--json", type=pathlib.Path,
                        help="output file; an HTML page is written next to it [build/rivals/serve.json]")
    for name in ("programs", "models", "scratch"):
        parser.add_argument("--" + name, type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder = options.scratch.resolve() / "serve"
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "model").unlink(missing_ok=True)
    (options.folder / "model").symlink_to((options.models / "all-MiniLM-L6-v2").resolve())
    options.programs, options.infinity = options.programs.resolve(), options.scratch.resolve() / "infinity"
    options.json = options.json or options.scratch.resolve() / "serve.json"
    return options


def main():
    options = parse()
    print(f"{platform.machine()}, {os.cpu_count()} cores, {THREADS} threads each, medians of {options.turns} turns")
    servers, refused = start(options)
    found = {"machine": platform.machine(), "threads": THREADS, "workloads": []}
    try:
        for connections, tokens, seconds in CASES:
            bodies = options.folder / f"bodies-{tokens}.jsonl"
            write_bodies(bodies, [[text] for text in texts(options.folder / "model", tokens)])
            rows = measure_case(servers, bodies, connections, seconds, options.turns)
            found["workloads"].append(
                {"name": f"serve {connections}x{tokens}", "title": f"MiniLM-L6, connections: {connections}, tokens: {tokens}",
                 "unit": "requests", "amount": 1, "contenders": rows, "refused": refused, "limit": None})
            print_case(found["workloads"][-1])
            options.json.write_text(json.dumps(found, indent=1) + "\n")
        capacity = {row["name"]: 1 / row["seconds"] for row in found["workloads"][CASES.index((64, 16, 3))]["contenders"]}
        found["overload"] = measure_overload(servers, options.folder / "bodies-16.jsonl", capacity)
        found["overhead"] = measure_overhead(servers[0], options, options.turns)
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    finally:
        for server in servers:
            server.close()
    page = options.json.with_suffix(".html")
    subprocess.run([options.programs / "rivals" / "rivals_page", options.json, page], check=True)
    print(f"\n{options.json}\n{page}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
