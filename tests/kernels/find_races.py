#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the cases of race_cases.cpp under Oclgrind: no data race in our kernels, and one in each that lacks a barrier.

    find_races.py PATH/kernels_opencl_test

Exit status 77: Oclgrind is not here.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Unoptimised: Oclgrind 21.10 does not know all intrinsics that its compiler makes.
OCLGRIND = ["oclgrind", "--data-races", "--max-errors", "5", "--build-options", "-cl-opt-disable"]
RACE = re.compile(r"^(?:Read-write|Write-write|Write-read) data race at (\w+) memory", re.M)
OTHER = re.compile(r"^(?:Invalid|Undefined|OCLGRIND|Work-item|Barrier|Kernel) .*$", re.M)


def cases_of(program):
    """(suite, case) of the races' cases, in the order of the program."""
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=*NoRace*:*PlantedRace*"], capture_output=True, text=True, check=True)
    suite = ""
    for line in listed.stdout.splitlines():
        if re.match(r"\S+\.$", line):
            suite = line
        elif line.startswith("  "):
            yield suite, line.split("#")[0].strip()


def findings(program, name, planted):
    """What is wrong with one case; "" when it is as it must be."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        done = subprocess.run([*OCLGRIND, "--log", str(log), program, f"--gtest_filter={name}"], capture_output=True, text=True, check=False)
        said = log.read_text() if log.exists() else ""
    if not re.search(r"^\[  PASSED  \] 1 test", done.stdout, re.M):
        return "did not pass: " + (done.stdout + done.stderr + said)[-400:]
    races = RACE.findall(said)
    if planted:
        return "" if "local" in races else "the planted race was not found"
    others = OTHER.findall(said)
    return f"{len(races)} race(s) found: {said[:400]}" if races else f"{others[0]}" if others else ""


def main(program):
    if shutil.which("oclgrind") is None:
        print("find_races: skipped: oclgrind is not installed")
        return SKIPPED
    wrong = 0
    cases = list(cases_of(program))
    for suite, case in cases:
        planted = "PlantedRace" in suite
        finding = findings(program, suite + case, planted)
        wrong += bool(finding)
        print(f"find_races: {suite}{case}: {finding or ('the planted race was found' if planted else 'no race')}", flush=True)
    planted = sum("PlantedRace" in suite for suite, _ in cases)
    print(f"find_races: {len(cases) - wrong} of {len(cases)} as expected, {planted} of them planted")
    return 1 if wrong or planted == 0 or planted == len(cases) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
