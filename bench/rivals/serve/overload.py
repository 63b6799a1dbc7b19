"""Open load past capacity: requests arrive at random times whether or not earlier ones are answered, and clients leave
after a deadline. Goodput is what is answered in time."""

FACTOR = 1.5  # of the requests per second that 64 connections reach
SECONDS = 8
DEADLINE = 2


def measure_overload(servers, bodies, capacity):
    rows = []
    print(f"\noverload: {FACTOR} times the capacity of each server for {SECONDS} s, deadline {DEADLINE} s")
    print(f"  {'':<24} {'capacity/s':>10} {'in time/s':>10} {'lost':>7} {'refused/s':>10} {'too late/s':>11} {'p99 ms':>8}")
    for server in servers:
        rate = capacity[server.name]
        found = server.load(bodies, "open", FACTOR * rate, SECONDS, DEADLINE)
        seconds = max(found["seconds"], SECONDS)
        good = found["answered"] / seconds
        rows.append({"name": server.name, "capacity": rate, "goodput": good, "lost": 1 - good / rate, **found})
        print(f"  {server.name:<24} {rate:>10.1f} {good:>10.1f} {1 - good / rate:>7.1%} {found['refused'] / seconds:>10.1f} "
              f"{(found['late'] + found['failed']) / seconds:>11.1f} {found['p99_ms']:>8.1f}", flush=True)
        server.answers(bodies, 1, 0.1)  # waits until the server has time again
    return rows
