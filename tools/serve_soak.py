#!/usr/bin/env python3
"""Full load on `locus serve`, and what it leaves behind: memory that grows, descriptors that stay open.

    serve_soak.py LOCUS FOLDER [--seconds 600] [--clients 64] [--tolerance 5]

The clients send embedding requests of random sizes. Some leave before their answer, and some send invalid bodies. Prints
a line per interval. Fails if the memory of the server after the warm-up, the first quarter of the time, grows by more
than the tolerance (in percent), if a descriptor stays open after the last client, or if an answer has another status
than expected.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

WORDS = "the dog chased a ball it ran who sat cat . !".split()
INTERVALS = 20
MOST_WORDS = 30
SETTLE = 10  # most seconds until the server has closed its last connection


class Server:
    def __init__(self, program, folder):
        self.log = tempfile.NamedTemporaryFile("r")
        options = ["--port", "0", "--log", "none", "--max-per-address", "100000", "--max-connections", "100000"]
        self.process = subprocess.Popen([program, "serve", folder, *options], stdin=subprocess.DEVNULL,
                                        stderr=open(self.log.name, "w"))
        self.port = None
        while self.port is None and self.process.poll() is None:
            found = re.search(r"ready on http://127.0.0.1:(\d+)", pathlib.Path(self.log.name).read_text())
            if found:
                self.port = int(found.group(1))
            time.sleep(0.05)
        if self.port is None:
            sys.exit(pathlib.Path(self.log.name).read_text())

    def mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class Client(threading.Thread):
    """Sends requests until `end`; counts them by what became of them."""

    def __init__(self, server, number, end):
        super().__init__(daemon=True)
        self.server, self.end, self.random = server, end, random.Random(number)
        self.counts, self.failure = {"answered": 0, "busy": 0, "invalid": 0, "left": 0}, None

    def run(self):
        try:
            connection = None
            while time.monotonic() < self.end:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
                if self.ask(connection):
                    connection.close()
                    connection = None
            if connection:
                connection.close()
        except Exception as error:  # reported by the main thread
            self.failure = error

    def ask(self, connection):
        """Whether the client has left."""
        chance = self.random.random()
        texts = [" ".join(self.random.choices(WORDS, k=self.random.randint(1, MOST_WORDS)))
                 for _ in range(self.random.choice([1, 1, 2, 7, 40]))]
        body = "{\"input\": [1, \"a\"]}" if chance < 0.05 else json.dumps({"input": texts})
        connection.request("POST", "/v1/embeddings", body, {"Content-Type": "application/json"})
        if chance > 0.95:
            time.sleep(self.random.random() * 0.05)
            self.counts["left"] += 1
            return True
        answer = connection.getresponse()
        answer.read()
        name = {200: "answered", 400: "invalid", 429: "busy", 503: "busy"}.get(answer.status)
        if name is None or (name == "invalid") != (chance < 0.05 and name != "busy"):
            raise AssertionError(f"status {answer.status}")
        self.counts[name] += 1
        return answer.will_close


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locus")
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=600, help="[600]")
    parser.add_argument("--clients", type=int, default=64, help="[64]")
    parser.add_argument("--tolerance", type=float, default=5, help="percent [5]")
    return parser.parse_args()


def main():
    options = parse()
    server = Server(options.locus, options.folder)
    try:
        return soak(server, options)
    finally:
        server.process.kill()


def soak(server, options):
    before, begin = server.descriptors(), time.monotonic()
    clients = [Client(server, i, begin + options.seconds) for i in range(options.clients)]
    for client in clients:
        client.start()
    print(f"{'seconds':>8} {'answered':>9} {'busy':>6} {'invalid':>8} {'left':>6} {'MiB':>7} {'descriptors':>12}")
    memory = []
    for i in range(1, INTERVALS + 1):
        time.sleep(max(0, begin + i * options.seconds / INTERVALS - time.monotonic()))
        counts = {name: sum(client.counts[name] for client in clients) for name in clients[0].counts}
        memory.append(server.mebibytes())
        print(f"{time.monotonic() - begin:>8.0f} {counts['answered']:>9} {counts['busy']:>6} {counts['invalid']:>8} "
              f"{counts['left']:>6} {memory[-1]:>7.1f} {server.descriptors():>12}", flush=True)
    for client in clients:
        client.join()
    failures = [f"a client failed: {client.failure!r}" for client in clients if client.failure][:1]
    if server.process.poll() is not None:
        return f"the server exited with code {server.process.returncode}"
    end = time.monotonic() + SETTLE
    while server.descriptors() > before and time.monotonic() < end:
        time.sleep(0.1)
    after = server.descriptors()
    warm, last = (statistics.median(part) for part in (memory[INTERVALS // 4:INTERVALS // 2], memory[-INTERVALS // 4:]))
    growth = 100 * (last / warm - 1)
    print(f"memory after the warm-up: {warm:.1f} MiB, at the end: {last:.1f} MiB, {growth:+.1f} %, at most "
          f"{options.tolerance:g} %\ndescriptors before: {before}, after: {after}")
    if growth > options.tolerance:
        failures.append("the memory of the server grows")
    if after > before:
        failures.append("descriptors stay open")
    return "\n".join(failures) or 0


if __name__ == "__main__":
    sys.exit(main())
