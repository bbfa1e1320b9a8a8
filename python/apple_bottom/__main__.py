# SPDX-License-Identifier: MIT
"""python -m apple_bottom: what `applebottom info` prints, with its options."""
import os
import pathlib
import shutil
import subprocess
import sys

from ._errors import LibraryNotFound
from ._library import library

NOT_AVAILABLE = 3  # as the command line exits


def command_line(library_file):
    """The program that belongs to a library file: beside it, where it is bundled or installed, else on the path; None if nowhere."""
    folder = pathlib.Path(library_file).resolve().parent if os.sep in library_file else None
    beside = [folder / "applebottom", folder / ".." / "bin" / "applebottom"] if folder else []
    return next((str(file) for file in beside if os.access(file, os.X_OK) and file.is_file()), shutil.which("applebottom"))


def main(arguments):
    try:
        file = library()._name
    except LibraryNotFound as error:
        print(f"apple_bottom: {error}", file=sys.stderr)
        return NOT_AVAILABLE
    program = command_line(file)
    if program is None:
        print(f"apple_bottom: the program applebottom is neither beside {file} nor on the path", file=sys.stderr)
        return NOT_AVAILABLE
    return subprocess.run([program, "info", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
