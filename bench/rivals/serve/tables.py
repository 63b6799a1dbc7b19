"""The results as text."""


def print_case(found):
    """Requests per second, latency and memory of each server."""
    ours = found["contenders"][0]
    print(f"\n{found['name']}: {found['title']}")
    print(f"  {'':<24} {'requests/s':>10} {'ratio':>7} {'p50 ms':>8} {'p99 ms':>8} {'ratio':>7} {'CPU ratio':>10} "
          f"{'peak MiB':>9} {'client CPU':>11}")
    for row in found["contenders"]:
        print(f"  {row['name']:<24} {1 / row['seconds']:>10.1f} {row['seconds'] / ours['seconds']:>6.2f}x "
              f"{row['p50_ms']:>8.2f} {row['p99_ms']:>8.2f} {row['p99_ms'] / ours['p99_ms']:>6.2f}x "
              f"{row['processor_seconds'] / ours['processor_seconds']:>9.2f}x {row['peak_mebibytes']:>9.0f} "
              f"{row['client_share']:>11.1%}")
    for refused in found["refused"]:
        print(f"  {refused['name']:<24} not timed: {refused['reason']}")
