#!/usr/bin/env python3
"""Compares the program's output, byte by byte, with the expected files in tests/golden.

usage: golden_test.py --vcgpu PROGRAM [--update] [NAME...]

A case is NAME.cmd: optional lines `exit: N`, `stdin: FILE`, `env: A=B`, then one line with the
arguments, quoted as in a shell. It runs in the folder of its .cmd file; @TMP@ in the arguments is a
folder of its own, empty. stdout must equal NAME.out and stderr NAME.err; an absent file means
nothing is printed. --update writes both from what the program prints now. NAME picks cases by a
part of their path.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.program import environment  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
TIMEOUT_S = 60


class Case:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(GOLDEN).with_suffix(""))
        self.exit = 0
        self.stdin = None
        self.env = {}
        self.arguments = None
        for line in path.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(": ")
            if self.arguments is not None:
                if line.strip():
                    raise ValueError(f"{path}: text after the arguments")
            elif key == "exit":
                self.exit = int(value)
            elif key == "stdin":
                self.stdin = path.parent / value
            elif key == "env":
                name, _, setting = value.partition("=")
                self.env[name] = setting
            else:
                self.arguments = shlex.split(line)
        if self.arguments is None:
            raise ValueError(f"{path}: no line with arguments")

    def expected(self, stream):
        file = self.path.with_suffix(f".{stream}")
        return file.read_bytes() if file.exists() else b""

    def write(self, stream, content):
        file = self.path.with_suffix(f".{stream}")
        if content:
            file.write_bytes(content)
        elif file.exists():
            file.unlink()

    def run(self, program):
        """(exit status, stdout, stderr), with the temporary folder's name taken out."""
        with tempfile.TemporaryDirectory(prefix="vcgpu-golden-") as home:
            own = os.path.join(home, "tmp")
            os.mkdir(own)
            stdin = self.stdin.read_bytes() if self.stdin else b""
            done = subprocess.run(
                [program, *(argument.replace("@TMP@", own) for argument in self.arguments)],
                input=stdin, capture_output=True, cwd=self.path.parent, timeout=TIMEOUT_S,
                env=environment(home, program, **self.env), check=False)
        clean = [text.replace(own.encode(), b"@TMP@").replace(home.encode(), b"@HOME@")
                 for text in (done.stdout, done.stderr)]
        return done.returncode, clean[0], clean[1]


def difference(expected, actual, name):
    lines = [text.decode("utf-8", "backslashreplace").splitlines() for text in (expected, actual)]
    diff = list(difflib.unified_diff(lines[0], lines[1], f"{name} (expected)", f"{name} (actual)",
                                     lineterm=""))
    if not diff:
        return f"{name}: differs in line ends only"
    return "\n".join(diff[:60] + ([f"... {len(diff) - 60} more lines"] if len(diff) > 60 else []))


def check(case, program, update):
    """What is wrong, or ""."""
    try:
        status, out, err = case.run(program)
    except subprocess.TimeoutExpired:
        return f"did not end within {TIMEOUT_S} s"
    problems = []
    if status != case.exit:
        problems.append(f"exit status {status}, expected {case.exit}\n"
                        + err.decode("utf-8", "backslashreplace")[-2000:])
    if update and status == case.exit:
        case.write("out", out)
        case.write("err", err)
        return ""
    for stream, actual in (("out", out), ("err", err)):
        expected = case.expected(stream)
        if actual != expected:
            problems.append(difference(expected, actual, f"{case.name}.{stream}"))
    return "\n".join(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--vcgpu", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    program = os.path.abspath(options.vcgpu)

    cases = [Case(path) for path in sorted(GOLDEN.rglob("*.cmd"))]
    known = {case.path for case in cases}
    orphans = [path for path in sorted(GOLDEN.rglob("*"))
               if path.suffix in (".out", ".err") and path.with_suffix(".cmd") not in known]
    cases = [case for case in cases
             if not options.names or any(name in case.name for name in options.names)]

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = pool.map(lambda case: check(case, program, options.update), cases)
        for case, problem in zip(cases, results):
            if problem:
                failed += 1
                print(f"FAILED {case.name}: vcgpu {shlex.join(case.arguments)}\n{problem}\n")
    for path in orphans:
        failed += 1
        print(f"FAILED {path.relative_to(GOLDEN)}: no .cmd file beside it")
    print(f"{len(cases)} golden cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
