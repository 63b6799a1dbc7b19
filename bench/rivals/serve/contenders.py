"""The servers, as processes that are started once and take turns."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

from process import HERE, THREADS, environment
from serve.limits import MOST_REQUESTS

PATH = "/v1/embeddings"
START = 120  # most seconds until a server is ready


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def commands(folder, programs, infinity):
    """Name and command of each server; {port} stands for its port."""
    locus = [str(programs / "locus"), "serve", str(folder / "model"), "--port", "{port}", "--log", "none", "--threads",
             THREADS, "--max-requests", str(MOST_REQUESTS), "--max-per-address", "4096", "--max-connections", "4096"]
    python = [sys.executable, "-P"]
    return {
        "locus": locus,
        "locus again": locus,
        "ctranslate2": [*python, str(HERE / "serve/ctranslate2.py"), str(folder), "{port}"],
        "sentence_transformers": [*python, str(HERE / "serve/sentence_transformers.py"), str(folder), "{port}"],
        "infinity": [str(infinity / "bin/infinity_emb"), "v2", "--model-id", str(folder / "model"), "--served-model-name",
                     "any", "--device", "cpu", "--engine", "torch", "--dtype", "float32", "--no-bettertransformer",
                     "--log-level", "error", "--url-prefix", "/v1", "--host", "127.0.0.1", "--port", "{port}"],
    }


class Server:
    def __init__(self, name, command, folder, programs):
        self.name, self.port = name, free_port()
        self.load_program = programs / "rivals/rivals_load"
        self.log = folder / (name.replace(" ", "-") + ".log")
        own = {"INFINITY_QUEUE_SIZE": str(MOST_REQUESTS), "INFINITY_ANONYMOUS_USAGE_STATS": "0", "DO_NOT_TRACK": "1"}
        self.process = subprocess.Popen([word.format(port=self.port) for word in command], stdin=subprocess.DEVNULL,
                                        stdout=self.log.open("w"), stderr=subprocess.STDOUT,
                                        env=environment(programs) | own)
        try:
            self.wait_until_ready()
        except Exception:
            self.close()
            raise

    def wait_until_ready(self):
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.vectors(["ready"])
                return
            except OSError:
                time.sleep(0.2)
        lines = self.log.read_text().strip().splitlines()
        raise RuntimeError(f"{(lines or ['no start'])[-1]}; see {self.log}")

    def vectors(self, texts):
        body = json.dumps({"input": texts, "model": "any"}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{PATH}", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return [item["embedding"] for item in json.load(answer)["data"]]

    def load(self, bodies, *how):
        """Runs rivals_load (load.cc). Adds the CPU time of the server."""
        before = self.processor_seconds()
        output = subprocess.run([self.load_program, str(self.port), PATH, str(bodies), *map(str, how)], check=True,
                                capture_output=True, text=True).stdout
        return json.loads(output) | {"server_seconds": self.processor_seconds() - before}

    def answers(self, bodies, connections, seconds):
        """Load that the server must answer completely."""
        found = self.load(bodies, "closed", connections, seconds)
        if found["failed"] or found["refused"] or not found["answered"]:
            raise RuntimeError(f"{self.name}: {found}; see {self.log}")
        return found

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))

    def close(self):
        self.process.kill()
        self.process.wait()
