#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns measurements of `applebottom bench --output FILE.json` into a routing table, format 2 (docs/routing.md).

    tools/table_of_bench.py --kind cpu:amx-int8 --machines "AMX machines" --output src/routing/tables/amx.txt FILE.json...
    tools/table_of_bench.py --output ~/.config/applebottom/dispatch_table.txt FILE.json...      for the measured machine alone

One section per number of threads, one row per shape; of a shape measured more than once, the run that speaks least for the device counts.
Products with a dimension below --least stay on the host whatever was measured: such rows lose a device time that would win, and
where a winning row's neighbourhood reaches below, a row without times ends it.
"""
import argparse
import json
import sys

LEAST_GAIN = 1.10  # the rule of docs/routing.md, as src/routing/dispatch_table.cpp has it
CLASSES = ("dd", "fast", "fp64")  # the others are never looked up
HEAD = """applebottom-dispatch 2
# Written by tools/table_of_bench.py from measurements of applebottom bench; do not edit.
"""
COLUMNS = "# op    ta tb class path   m     n     k     host_ms     device_ms   split_ms split_share\n"


class Refusal(Exception):
    """A measurement that no row can be made of."""


def host_seconds(measured, host):
    """Of the host BLAS, of the peer whose name begins with these words, or of the fastest of all."""
    times = {peer["name"]: peer["median_s"] for peer in measured.get("peers") or []}
    if host != "fastest":
        found = [name for name in times if host and name.startswith(host)]
        if host and len(found) != 1:
            raise Refusal(f"{measured['shape']}: {len(found)} peers are named {host}...; there are {sorted(times)}")
        times = {name: times[name] for name in found}
    if host in ("", "fastest") and measured.get("host_median_s"):
        times[measured.get("host_blas") or "host BLAS"] = measured["host_median_s"]
    if not times:
        raise Refusal(f"{measured['shape']}: no host BLAS was measured; name a peer with --host")
    return min((seconds, name) for name, seconds in times.items())


def milliseconds(seconds):
    return max(float(f"{seconds * 1e3:.4f}"), 1e-4)  # as it will be read; 0 is no time


def key_of(measured):
    letters = [measured.get(name, "N") for name in ("transa", "transb")]
    if measured["op"].startswith("d"):
        letters = [letter.replace("C", "T") for letter in letters]
    return (measured["op"], *letters, measured["class"])


def wins(times):
    host, device = times
    return host is not None and device is not None and host >= LEAST_GAIN * device


class Section:
    def __init__(self):
        self.rows = {}  # key -> {(m, n, k): (host ms, device ms)}
        self.hosts, self.dates, self.libraries, self.cpus, self.devices = set(), set(), set(), set(), set()

    def add(self, measured, host):
        if measured["fault"]:
            raise Refusal(f"{measured['op']} {measured['shape']}: faulty: {measured['fault']}")
        seconds, name = host_seconds(measured, host)
        times = milliseconds(seconds), milliseconds(measured["device_median_s"])
        rows = self.rows.setdefault(key_of(measured), {})
        shape = measured["m"], measured["n"], measured["k"]
        rows[shape] = min(rows.get(shape, times), times, key=lambda pair: pair[0] / pair[1])
        self.hosts.add(name)
        self.dates.add(measured["date"][:10])
        self.libraries.add(measured["library_version"])
        self.cpus.add(measured["cpu"])
        self.devices.add(measured["device_name"])

    def keep_small_products_on_the_host(self, least):
        for rows in self.rows.values():
            for shape, times in list(rows.items()):
                if not wins(times):
                    continue
                if min(shape) < least:
                    rows[shape] = times[0], None
                    continue
                # A neighbour has every dimension within a factor of 2. Half of `least` is one of all products below `least` that the
                # winning row speaks for, and of none above it.
                for at, size in enumerate(shape):
                    if size < 2 * least:
                        rows.setdefault((*shape[:at], least // 2, *shape[at + 1:]), (None, None))

    def text(self, threads, arguments):
        device, cpu = (arguments.kind, "any") if arguments.kind else (only(self.devices), only(self.cpus))
        words = {"device": device, "cpu": cpu, "threads": threads, "host_blas": ", ".join(sorted(self.hosts)),
                 "library": ", ".join(sorted(self.libraries)), "date": max(self.dates), "machines": arguments.machines,
                 "measured_on": ", ".join(sorted(self.cpus))}
        lines = ["section" + "".join(f' {name}="{value}"' for name, value in words.items() if value) + "\n", COLUMNS]
        for key, rows in sorted(self.rows.items()):
            lines += [row_text(key, shape, times) for shape, times in sorted(rows.items())]
        return "".join(lines)


def only(values):
    if len(values) != 1:
        raise Refusal(f"one section cannot hold measurements of {sorted(values)}")
    return next(iter(values))


def row_text(key, shape, times):
    op, ta, tb, table_class = key
    m, n, k = shape
    host, device = ("-" if time is None else f"{time:.4f}" for time in times)
    note = "  # chosen, not measured" if times == (None, None) else ""
    return f"{op:7} {ta}  {tb}  {table_class:5} copied {m:<5} {n:<5} {k:<5} {host:11} {device:11} -        -{note}\n"


def read(name):
    """The objects of an array, or one object a line (--json)."""
    with open(name, encoding="utf-8") as file:
        text = file.read()
    return json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]


def is_of_a_table(measured, device):
    return measured["operands"] == "host" and measured["class"] in CLASSES and measured["device"] == device


def table_of(measurements, arguments):
    """The text of the table. measurements: (name of the file, its objects)."""
    sections, sources = {}, []
    for name, objects in measurements:
        used = [measured for measured in objects if is_of_a_table(measured, arguments.device)]
        sources.append(f"# source: {name}, {len(used)} of {len(objects)} measurements\n")
        for measured in used:
            sections.setdefault(measured["threads"], Section()).add(measured, arguments.host)
    if not sections:
        raise Refusal("no measurement of operands in host memory, of a class that tables know, on that device")
    text = HEAD + "".join(f"# {note}\n" for note in arguments.note) + "".join(sources)
    text += f"# Products with a dimension below {arguments.least} stay on the host, which is chosen.\n"
    for threads, section in sorted(sections.items()):
        section.keep_small_products_on_the_host(arguments.least)
        text += "\n" + section.text(threads, arguments)
    return text


def parse(words):
    parser = argparse.ArgumentParser(prog="table_of_bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE.json")
    parser.add_argument("--kind", default="", help="of the device, for a built-in table: serves all CPUs (default: the names measured)")
    parser.add_argument("--machines", default="", help="whom a table of a kind serves, for reports")
    parser.add_argument("--device", default="cpu", help="id of the device whose measurements count (default: cpu)")
    parser.add_argument("--host", default="", help="a peer by the beginning of its name, or 'fastest' (default: the host BLAS)")
    parser.add_argument("--least", type=int, default=512, help="smallest dimension that may leave the host (default: 512)")
    parser.add_argument("--note", action="append", default=[], help="a comment at the top")
    parser.add_argument("--output", help="default: standard output")
    parser.add_argument("--self-test", action="store_true", help="judge small examples instead")
    return parser.parse_args(words)


def look_up(section, key, shape):
    """The reader's rule, for the self-test: does the device win?"""
    rows = section.rows[key]
    if shape in rows:
        return wins(rows[shape])
    near = [times for theirs, times in rows.items() if all(t <= 2 * o and o <= 2 * t for t, o in zip(theirs, shape))]
    return bool(near) and all(wins(times) for times in near)


def example(m, n, k, host, device, **others):
    return {"op": "dgemm", "shape": f"{m}x{n}x{k}", "m": m, "n": n, "k": k, "class": "fp64", "device": "cpu", "device_name": "Xeon",
            "operands": "host", "host_blas": "libopenblas.so.0", "host_median_s": host, "device_median_s": device, "fault": "",
            "peers": [{"name": "MKL 2024", "median_s": 0.5}], "date": "2026-12-01T00:00:00Z", "library_version": "2.0.0", "cpu": "Xeon",
            "threads": 1, **others}


def refuses(objects, *words):
    try:
        table_of([("a.json", objects)], parse(words))
    except Refusal:
        return True
    return False


def self_test():
    def rows(objects, *words):
        text = table_of([("a.json", objects)], parse(words))
        return [" ".join(line.split()) for line in text.split("\n") if line and not line.startswith("#")][1:]

    wide = Section()
    for shape in ((512, 512, 512), (512, 4096, 2048), (300, 4096, 4096), (1024, 1024, 1024), (1023, 600, 5000)):
        wide.add(example(*shape, 3.0, 1.0), "")
    wide.keep_small_products_on_the_host(512)
    key = ("dgemm", "N", "N", "fp64")
    sizes = (1, 128, 150, 255, 256, 257, 299, 300, 384, 510, 511)
    others = (*sizes, 512, 600, 700, 1024, 1500, 2048, 4096, 8192)
    small = [shape for s in sizes for x in others for y in others for shape in ((s, x, y), (x, s, y), (x, y, s))]
    plain = rows([example(1024, 1024, 1024, 0.02, 0.01)])
    checks = {
        "small products stay": not any(look_up(wide, key, shape) for shape in small),
        "large ones go": all(look_up(wide, key, shape) for shape in ((512, 512, 512), (513, 513, 513), (700, 3000, 2048), (1500, 900, 1025))),
        "a section and a row": plain == [
            'section device="Xeon" cpu="Xeon" threads="1" host_blas="libopenblas.so.0" library="2.0.0" date="2026-12-01" measured_on="Xeon"',
            "dgemm N N fp64 copied 1024 1024 1024 20.0000 10.0000 - -"],
        "a kind serves any CPU": 'device="cpu:amx-int8" cpu="any"' in rows([example(9, 9, 9, 1, 2)], "--kind", "cpu:amx-int8")[0],
        "sections by threads": sum(row.startswith("section") for row in rows([example(9, 9, 9, 1, 2, threads=t) for t in (16, 1, 16)])) == 2,
        "letters": "dgemm T N fp64" in rows([example(9, 9, 9, 1, 2, transa="C", transb="N")])[1],
        "complex letters": "zgemm C N fp64" in rows([example(9, 9, 9, 1, 2, op="zgemm", transa="C")])[1],
        "a small winner loses its time": rows([example(300, 900, 900, 3, 1)])[1].endswith("300 900 900 3000.0000 - - -"),
        "a small loser keeps it": rows([example(300, 900, 900, 1, 3)])[1].endswith("1000.0000 3000.0000 - -"),
        "of two runs the worse": rows([example(9, 9, 9, 3, 3), example(9, 9, 9, 1, 2), example(9, 9, 9, 5, 2)])[1].endswith("1000.0000 2000.0000 - -"),
        "a peer by name": "500.0000" in rows([example(9, 9, 9, 1, 2)], "--host", "MKL")[1],
        "the fastest": 'host_blas="MKL 2024"' in rows([example(9, 9, 9, 1, 2)], "--host", "fastest")[0],
        "an unknown peer": refuses([example(9, 9, 9, 1, 2)], "--host", "BLIS"),
        "no host": refuses([example(9, 9, 9, None, 2)]),
        "a fault": refuses([example(9, 9, 9, 1, 2, fault="two runs gave different bits")]),
        "two machines": refuses([example(9, 9, 9, 1, 2), example(9, 9, 8, 1, 2, cpu="EPYC")]),
        "nothing of use": refuses([example(9, 9, 9, 1, 2, operands="resident"), example(9, 9, 9, 1, 2, **{"class": "strict"})]),
    }
    for what, right in checks.items():
        if not right:
            print(f"table_of_bench --self-test: wrong: {what}")
    print(f"table_of_bench --self-test: {sum(checks.values())} of {len(checks)} examples turned rightly")
    return all(checks.values())


def main(words):
    arguments = parse(words)
    if arguments.self_test:
        return 0 if self_test() else 1
    try:
        text = table_of([(name.rsplit("/", 1)[-1], read(name)) for name in arguments.files], arguments)
    except (Refusal, OSError, ValueError) as error:
        print(f"table_of_bench: {error}", file=sys.stderr)
        return 1
    if not arguments.output:
        print(text, end="")
        return 0
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
