# SPDX-License-Identifier: MIT
"""What the check_*.py scripts share: the files of a tree, and a self-test that feeds each checker wrong trees it must catch."""
import argparse
import pathlib
import subprocess
import sys
import tempfile


class Tree:
    """The files of one checkout: tracked ones and new ones that git does not ignore."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()

    def files(self):
        listed = subprocess.run(
            ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, check=False)
        if listed.returncode == 0:
            names = {name for name in listed.stdout.decode().split("\0") if name}
            return sorted(name for name in names if (self.root / name).is_file())
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file())

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    def has(self, name):
        return (self.root / name).is_file()


def _caught(check, files, expected):
    """The findings of a tree made of these files; None expected means it must be clean."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        findings = check(Tree(folder))
    if expected is None:
        return not findings, findings
    return any(expected in finding for finding in findings), findings


def self_test(name, check, right, wrong):
    """right: files of a clean tree. wrong: (what, files that spoil it, words of the finding)."""
    failures = 0
    clean, findings = _caught(check, right, None)
    if not clean:
        failures += 1
        print(f"{name} --self-test: a right tree is refused: {findings}")
    for what, files, expected in wrong:
        merged = {path: text for path, text in {**right, **files}.items() if text is not None}
        caught, findings = _caught(check, merged, expected)
        if not caught:
            failures += 1
            print(f"{name} --self-test: not caught: {what} (wanted '{expected}', found {findings})")
    print(f"{name} --self-test: {len(wrong) + 1 - failures} of {len(wrong) + 1} trees judged rightly")
    return failures == 0


def report(name, findings):
    """Prints the findings; the exit status of the script."""
    for finding in findings:
        print(f"{name}: {finding}")
    print(f"{name}: {'ok' if not findings else f'{len(findings)} finding(s)'}")
    return 1 if findings else 0


def main(name, check, right, wrong):
    """Command line of a checker that looks at a source tree."""
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="judge wrong trees instead of this one")
    arguments = parser.parse_args()
    if arguments.self_test:
        sys.exit(0 if self_test(name, check, right, wrong) else 1)
    sys.exit(report(name, check(Tree(arguments.root))))
