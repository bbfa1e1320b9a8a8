#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/gpu_check.sh has found, as one JSON file and a short table. Closing line `N passed, M failed`."""
import argparse
import contextlib
import datetime
import io
import json
import pathlib
import subprocess
import sys
import tempfile


def checks_of(logs):
    rows = [line.split("\t") for line in (logs / "checks.tsv").read_text().splitlines()]
    return [{"name": name, "result": result, "elapsed_s": int(elapsed)} for name, result, elapsed in rows]


def measurements_of(logs):
    found = []
    for file in sorted(logs.glob("bench_*.json")):
        found += [{"bench": file.stem.removeprefix("bench_"), **each} for each in json.loads(file.read_text())]
    return found


def peers_of(logs):
    found = []
    for file in sorted(logs.glob("peer_*.log")):
        found += [json.loads(line) for line in file.read_text().splitlines() if line.startswith("{")]
    return found


def table_of(measurements, peers):
    """A line per operation, shape and class; a pair of columns per peer: GFLOP/s and how many times faster we are."""
    names = list(dict.fromkeys(peer["peer"] for peer in peers))
    by_place = {(peer["op"], peer["shape"], peer["peer"]): peer for peer in peers}
    rows = [["bench", "op", "shape", "class", "GFLOP/s", "error u", *(word for name in names for word in (name, "error u", "ratio"))]]
    for ours in measurements:
        row = [ours["bench"], ours["op"], ours["shape"], ours["class"], f"{ours['device_gflops']:.1f}", f"{ours['device_error_u']:.3g}"]
        for name in names:
            peer = by_place.get((ours["op"], ours["shape"], name))
            row += [f"{peer['gflops']:.1f}", f"{peer['error_u']:.3g}", f"{peer['median_s'] / ours['device_median_s']:.2f}"] if peer else ["-"] * 3
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def report(options):
    logs = pathlib.Path(options.logs)
    checks, measurements, peers = checks_of(logs), measurements_of(logs), peers_of(logs)
    failed = sum(check["result"] != "passed" for check in checks)
    whole = {"date": datetime.date.today().isoformat(), "commit": output_of("git", "rev-parse", "HEAD"), "machine": options.machine,
             "driver": output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
             "compiler": (output_of("nvcc", "--version") or "").split("\n")[-1], "device": options.device,
             "checks": checks, "measurements": measurements, "peers": peers}
    pathlib.Path(options.output).write_text(json.dumps(whole, indent=1) + "\n")
    print(f"{options.machine}, {options.device}; ratio: peer's time / ours")
    if measurements:
        print(table_of(measurements, peers))
    print(f"written: {options.output}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        logs = pathlib.Path(folder)
        (logs / "checks.tsv").write_text("build\tpassed\t3\nself_test\tfailed: exit status 1\t1\n")
        ours = {"op": "dgemm", "shape": "8x8x8", "class": "fp64", "device_gflops": 4, "device_error_u": 1, "device_median_s": 2}
        (logs / "bench_dgemm.json").write_text(json.dumps([ours]))
        peer = {"op": "dgemm", "shape": "8x8x8", "peer": "cublas", "gflops": 8, "error_u": 0.5, "median_s": 1}
        (logs / "peer_cublas_dgemm.log").write_text("a line of the driver\n" + json.dumps(peer) + "\n")
        last = table_of(measurements_of(logs), peers_of(logs)).splitlines()[-1].split()
        options = argparse.Namespace(logs=folder, output=str(logs / "all.json"), machine="none", device="cuda:0")
        with contextlib.redirect_stdout(io.StringIO()):
            status = report(options)
        right = [last == ["dgemm", "dgemm", "8x8x8", "fp64", "4.0", "1", "8.0", "0.5", "0.50"], status == 1,
                 json.loads((logs / "all.json").read_text())["checks"][1]["name"] == "self_test"]
    print(f"gpu_report --self-test: {sum(right)} of {len(right)} right")
    return 0 if all(right) else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--logs", "--output", "--machine", "--device"):
        parser.add_argument(name, required=True)
    sys.exit(report(parser.parse_args()))
