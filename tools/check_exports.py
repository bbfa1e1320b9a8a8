#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the shared library shows to the world: exactly the names of src/blas/exports.txt and the public headers, and how it loads."""
import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

import checking

NAME = "check_exports"
ROOT = pathlib.Path(__file__).resolve().parent.parent
PERMITTED = re.compile(r"^(ab_[a-z0-9_]+|cblas_[dz][a-z0-9_]+|[dz](ge|sy|he|tr)[a-z0-9]+(_batch|_batch_strided)?_(64_)?)$")
LEGACY = {"ab_dgemm_", "ab_zgemm_"}  # Fortran names of the predecessor; no header declares a Fortran name
FORBIDDEN_NEEDED = re.compile(r"blas|lapack|mkl|cuda|nvrtc|vulkan|opencl|gomp|libomp|iomp", re.I)
HANDLERS = {"xerbla_", "cblas_xerbla", "xerbla_64_"}
MAX_TLS_BYTES = 4096
# Function-local statics whose guard no fork can leave locked for the child, each with its reason.
GUARDED = {
    "ab::ops::(anonymous namespace)::library()::instance": "made under the process lock, which forks take",
    "ab::device::(anonymous namespace)::workers(int)::instance": "forked children have no workers",
    "ab::report::(anonymous namespace)::take_ledger()::at_thread_exit": "of one thread",
    "ab::settings()::defaults": "when there is no memory for anything else",
}
SONAME = "libapplebottom.so.2"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def named_in_version_script(text):
    """The names and patterns of the global part of a linker version script."""
    body = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    shown = re.search(r"global:(.*?)local:", body, re.S)
    return re.findall(r"[\w*?]+", shown[1]) if shown else []


def declared_in(headers):
    """The ab_ functions that the public headers declare."""
    names = set()
    for header in headers:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", header, flags=re.S)
        text = re.sub(r"^[ \t]*#.*?$", "", text, flags=re.M)
        names |= set(re.findall(r"\b(ab_[a-z0-9_]+)\s*\(", text))
    return names


def judge_names(library, script, headers):
    patterns = named_in_version_script(script)
    if not patterns:
        yield "src/blas/exports.txt names nothing"
    rows = [line.split() for line in output("nm", "-D", "--defined-only", library).splitlines()]
    shown = {row[-1].split("@")[0] for row in rows if row[-2] != "A"}
    for name in sorted(shown):
        if not PERMITTED.match(name):
            yield f"exports {name}, which is no ab_, cblas_ or Fortran level-3 name"
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            yield f"exports {name}, which exports.txt does not name"
    for pattern in patterns:
        if not re.search(r"[*?]", pattern) and pattern not in shown:
            yield f"does not export {pattern}, which exports.txt names"
    declared = declared_in(headers)
    for name in sorted(declared - shown):
        yield f"does not export {name}, which a public header declares"
    for name in sorted({name for name in shown if name.startswith("ab_")} - declared - LEGACY):
        yield f"exports {name}, which no public header declares"
    for line in output("nm", "-D", "--undefined-only", library).splitlines():
        kind, name = line.split()[-2:]
        if name.split("@")[0] in HANDLERS and kind != "w":
            yield f"needs {name}: the reference must be weak"


def judge_loading(library):
    dynamic = output("readelf", "-dW", library)
    if "NODELETE" not in dynamic:
        yield "may be unloaded: no NODELETE flag"
    if "STATIC_TLS" in dynamic:
        yield "needs static thread-local storage"
    if "TEXTREL" in dynamic:
        yield "has text relocations"
    soname = re.search(r"\(SONAME\)[^\[]*\[([^\]]*)\]", dynamic)
    if not soname or soname[1] != SONAME:
        yield f"soname is {soname[1] if soname else 'missing'}, expected {SONAME}"
    for needed in re.findall(r"\(NEEDED\)[^\[]*\[([^\]]*)\]", dynamic):
        if FORBIDDEN_NEEDED.search(needed):
            yield f"depends on {needed}"
    for line in output("readelf", "-lW", library).splitlines():
        fields = line.split()
        if fields[:1] == ["TLS"] and int(fields[5], 16) >= MAX_TLS_BYTES:
            yield f"takes {int(fields[5], 16)} bytes of thread-local storage, must stay below {MAX_TLS_BYTES}"
    for name in sorted(set(re.findall(r"\b_GLOBAL__sub_I_\S+", output("nm", library)))):
        yield f"runs code when it is loaded: {name}"
    for name in sorted(set(re.findall(r"guard variable for (.+)", output("nm", "-C", library)))):
        if name not in GUARDED:
            yield f"has a static with a guard, which a fork in another thread may leave locked in the child: {name}"


def judge(library, script, headers):
    return [f"{pathlib.Path(library).name}: {finding}" for finding in (*judge_names(library, script, headers), *judge_loading(library))]


SCRIPT = "{\n  global: ab_*; dgemm_;\n  local: *;\n};\n"
HEADER = "/* ab_not_this( */\nint ab_version(void);\n#define ab_macro(x) x\n"
CODE = "int ab_version(void) { return 2; }\nvoid dgemm_(void) {}\nvoid ab_dgemm_(void) {}\n"
FLAGS = ["-Wl,-z,nodelete", f"-Wl,-soname,{SONAME}"]
# (what, code, flags, version script, header, words of the finding); every row differs from the right library in one thing.
WRONG = [
    ("a stray C name", CODE + "void stray(void) {}\n", FLAGS, SCRIPT.replace("dgemm_;", "dgemm_; stray;"), HEADER, "exports stray"),
    ("a name beyond the script", CODE + "void dsyrk_(void) {}\n", FLAGS, None, HEADER, "exports.txt does not name"),
    ("a name that is missing", CODE, FLAGS, SCRIPT.replace("dgemm_;", "dgemm_; zgemm_;"), HEADER, "does not export zgemm_"),
    ("a header's promise", CODE, FLAGS, SCRIPT, HEADER + "int ab_init(void);\n", "does not export ab_init"),
    ("an undeclared function", CODE + "void ab_secret(void) {}\n", FLAGS, SCRIPT, HEADER, "no public header declares"),
    ("a strong handler", CODE + "void xerbla_(void); void ab_dgemm(void) { xerbla_(); }\n", FLAGS, SCRIPT, HEADER + "void ab_dgemm(void);\n", "must be weak"),
    ("no NODELETE", CODE, FLAGS[1:], SCRIPT, HEADER, "NODELETE"),
    ("another soname", CODE, FLAGS[:1] + ["-Wl,-soname,libother.so"], SCRIPT, HEADER, "soname is libother.so"),
    ("much thread-local storage", CODE + "_Thread_local char big[5000]; char* ab_big(void) { return big; }\n", FLAGS, SCRIPT,
     HEADER + "char* ab_big(void);\n", "thread-local storage"),
    ("static TLS", CODE + "static _Thread_local __attribute__((tls_model(\"initial-exec\"))) int t; int* ab_t(void) { return &t; }\n", FLAGS, SCRIPT,
     HEADER + "int* ab_t(void);\n", "static thread-local"),
    ("code at load time", CODE + "void ab_start(void) __asm__(\"_GLOBAL__sub_I_start\"); void ab_start(void) {}\n", FLAGS,
     SCRIPT, HEADER, "runs code when it is loaded"),
    ("a guarded static", CODE + "char _ZGVZ8ab_startvE4made;\n", FLAGS, SCRIPT, HEADER, "static with a guard"),
    ("a BLAS behind", CODE, FLAGS + ["-Wl,--no-as-needed", "libotherblas.so"], SCRIPT, HEADER, "depends on libotherblas.so"),
]


def self_test():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "libotherblas.so", "-x", "c", "-"], input="int nothing;", text=True, cwd=folder, check=True)
        for what, code, flags, script, header, expected in [("the right library", CODE, FLAGS, SCRIPT, HEADER, None), *WRONG]:
            pathlib.Path(folder, "script").write_text(script or "{ global: *; };\n", encoding="utf-8")
            command = ["cc", "-shared", "-fPIC", "-o", "lib.so", "-x", "c", "-", "-x", "none", "-Wl,--version-script=script", *flags]
            subprocess.run(command, input=code, text=True, cwd=folder, check=True)
            findings = judge(f"{folder}/lib.so", script or SCRIPT, [header])
            if (expected is None and findings) or (expected and not any(expected in finding for finding in findings)):
                failures += 1
                print(f"{NAME} --self-test: judged wrongly: {what}: {findings}")
    print(f"{NAME} --self-test: {len(WRONG) + 1 - failures} of {len(WRONG) + 1} libraries judged rightly")
    return failures == 0


def main():
    parser = argparse.ArgumentParser(prog=NAME)
    parser.add_argument("library", nargs="?", help="libapplebottom.so; else the newest below build/ that has no sanitizer")
    parser.add_argument("--self-test", action="store_true", help="judge wrong libraries instead")
    arguments = parser.parse_args()
    if not sys.platform.startswith("linux"):
        print(f"{NAME}: skipped: it reads ELF files")
        return 0
    if arguments.self_test:
        return 0 if self_test() else 1
    built = [path for path in ROOT.glob("build/*/libapplebottom.so") if not re.search("san", path.parent.name)]
    library = arguments.library or max(built, key=lambda path: path.stat().st_mtime, default=None)
    if library is None:
        print(f"{NAME}: no build/*/libapplebottom.so: build first")
        return 1
    print(f"{NAME}: {library}")
    headers = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "include").glob("*.h"))]
    return checking.report(NAME, judge(str(library), (ROOT / "src/blas/exports.txt").read_text(encoding="utf-8"), headers))


if __name__ == "__main__":
    sys.exit(main())
