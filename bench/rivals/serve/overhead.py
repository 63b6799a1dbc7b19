"""What HTTP adds to the library: 512 sentences in one request, and one sentence of 18 words."""

import statistics

from embed import workload as embed
from process import Server as Library
from process import command, environment
from serve.texts import write_bodies

RUNS = {"512 sentences": 1, "1 sentence": 40}  # of the library in a turn
SECONDS = {"512 sentences": 5, "1 sentence": 1}  # of requests in a turn


def measure_overhead(server, options, turns):
    lines = list(embed.sentences())
    groups = {"512 sentences": lines, "1 sentence": [next(line for line in lines if len(line.split()) == 18)]}
    found = []
    print(f"\noverhead of HTTP over the library\n  {'':<24} {'library ms':>11} {'request ms':>11} {'added ms':>9} {'added':>7}")
    for name, group in groups.items():
        folder = options.folder / name.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        (folder / "model").unlink(missing_ok=True)
        (folder / "model").symlink_to((options.folder / "model").resolve())
        (folder / "sentences.txt").write_text("\n".join(group) + "\n")
        write_bodies(folder / "bodies.jsonl", [group], truncate=True)
        library = Library(command("embed", "locus", options.programs) + [str(folder), "sentences"],
                          environment(options.programs), folder / "library.log")
        alone, asked = [], []
        for _ in range(turns):
            alone.append(1e3 * statistics.median(library.run()[0] for _ in range(RUNS[name])))
            asked.append(server.answers(folder / "bodies.jsonl", 1, SECONDS[name])["p50_ms"])
        library.close()
        ours, theirs = statistics.median(alone), statistics.median(asked)
        found.append({"name": name, "library_ms": ours, "request_ms": theirs})
        print(f"  {name:<24} {ours:>11.2f} {theirs:>11.2f} {theirs - ours:>9.2f} {theirs / ours - 1:>7.1%}")
    return found
