#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds up what test runs report: JUnit files of ctest, and logs with lines `name: passed N, failed M`.

usage: tally.py [FILE...]    *.xml is JUnit, everything else a log. A file that is missing, or that reports no test at all, counts as one failure.
The closing line is `N passed, M failed`; the exit status is 1 when something failed or nothing passed."""
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as xml

SUITE_LINE = re.compile(r"^(?P<name>[^:\n]+): passed (?P<passed>\d+), failed (?P<failed>\d+)\s*$", re.M)


def count_junit(text):
    """(passed, failed, skipped, names of the failed) of a JUnit file as ctest writes it."""
    passed, skipped, wrong = 0, 0, []
    for case in xml.fromstring(text).iter("testcase"):
        name = case.get("name", "?")
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            wrong.append(name)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            reason = case.find("skipped")
            message = reason.get("message", "") if reason is not None else ""
            # ctest also says "skipped" of a test whose program is missing: that is a failure
            if re.search(r"unable to find|not.*found|required files", message, re.I):
                wrong.append(name)
            else:
                skipped += 1
        else:
            passed += 1
    return passed, len(wrong), skipped, wrong


def count_log(text):
    passed, failed, wrong = 0, 0, []
    for match in SUITE_LINE.finditer(text):
        passed += int(match["passed"])
        failed += int(match["failed"])
        if int(match["failed"]):
            wrong.append(f"{match['name']}: {match['failed']}")
    return passed, failed, 0, wrong


def count(name):
    path = pathlib.Path(name)
    if not path.is_file():
        return 0, 1, 0, [f"{name}: no such file"]
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        result = count_junit(text) if path.suffix == ".xml" else count_log(text)
    except xml.ParseError as error:
        return 0, 1, 0, [f"{name}: {error}"]
    return result if sum(result[:3]) else (0, 1, 0, [f"{name}: reports no test"])


def tally(names):
    passed = failed = skipped = 0
    for name in names:
        here = count(name)
        passed, failed, skipped = passed + here[0], failed + here[1], skipped + here[2]
        print(f"{pathlib.Path(name).stem}: passed {here[0]}, failed {here[1]}" + (f", skipped {here[2]}" if here[2] else ""))
        for wrong in here[3]:
            print(f"  failed: {wrong}")
    if skipped:
        print(f"skipped: {skipped}")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


def self_test():
    junit = '<testsuite>{}</testsuite>'
    good = '<testcase name="a" status="run"/><testcase name="b" status="run"/>'
    cases = [
        ("a.xml", junit.format(good), (2, 0, 0)),
        ("a.xml", junit.format(good + '<testcase name="c" status="fail"><failure message=""/></testcase>'), (2, 1, 0)),
        ("a.xml", junit.format(good + '<testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'), (2, 0, 1)),
        ("a.xml", junit.format(good + '<testcase name="c" status="notrun"><skipped message="Unable to find executable"/></testcase>'), (2, 1, 0)),
        ("a.xml", junit.format(""), (0, 1, 0)),
        ("a.xml", "<testsuite>", (0, 1, 0)),
        ("a.log", "blat3 cpu netlib: passed 60, failed 0\nnoise\nfork gpu openblas: passed 1, failed 1\n", (61, 1, 0)),
        ("a.log", "could not run\n", (0, 1, 0)),
        ("a.log", None, (0, 1, 0)),
    ]
    right = 0
    for name, text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            if text is not None:
                path.write_text(text, encoding="utf-8")
            found = count(str(path))[:3]
        right += found == expected
        if found != expected:
            print(f"tally --self-test: {name} {text!r}: counted {found}, expected {expected}")
    print(f"tally --self-test: {right} of {len(cases)} reports counted rightly")
    return 0 if right == len(cases) else 1


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else tally(sys.argv[1:]))
