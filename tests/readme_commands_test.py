#!/usr/bin/env python3
"""Runs the commands that README.md and docs/*.md show, and compares the output they show.

usage: readme_commands_test.py --vcgpu PROGRAM [FILE...]

In ```console and ```sh blocks a command is a line that starts with `$ ` (in sh blocks the prompt may
be left out), continued by a backslash. `vcgpu ...` runs, pipes included, and must end with status 0;
what stands below it in a console block must be its output. `scripts/NAME` must be an executable file
and is not run. Other commands are left alone. A comment above the block changes that:
    <!-- exit: 3 -->              the status of its vcgpu commands
    <!-- output: abridged -->     the output shown is not compared
"""

import argparse
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.program import environment  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(\s*)```+\s*(console|sh)\s*$")
MARK = re.compile(r"^\s*<!--\s*(exit|output):\s*(\S+)\s*-->\s*$")
TIMEOUT_S = 120


class Command:
    def __init__(self, place, text, marks):
        self.place = place
        self.text = text
        self.exit = int(marks.get("exit", 0))
        self.abridged = marks.get("output") == "abridged"
        self.output = []


def blocks(path):
    """(line number, language, marks, lines) of every console and sh block."""
    marks = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    index = 0
    while index < len(lines):
        mark, fence = MARK.match(lines[index]), FENCE.match(lines[index])
        if mark:
            marks[mark.group(1)] = mark.group(2)
        elif fence:
            indent, start = len(fence.group(1)), index + 1
            index = start
            while index < len(lines) and not lines[index].strip().startswith("```"):
                index += 1
            yield start + 1, fence.group(2), marks, [line[indent:] for line in lines[start:index]]
            marks = {}
        elif lines[index].strip():
            marks = {}
        index += 1


def commands(path):
    found = []
    for start, language, marks, lines in blocks(path):
        current, continued = None, False
        for number, line in enumerate(lines, start=start):
            prompt = line.startswith("$ ")
            if continued:
                current.text += "\n" + line
            elif prompt or (language == "sh" and line.strip() and not line.startswith("#")):
                text = line[2:] if prompt else line
                current = Command(f"{path.name}:{number}", text, marks)
                found.append(current)
            elif current is not None and language == "console":
                current.output.append(line)
                continue
            continued = current is not None and line.endswith("\\")
    return found


def check_script(command, word):
    path = ROOT / word
    if not path.is_file() or not os.access(path, os.X_OK):
        return f"{word} is not an executable file"
    return ""


def check_vcgpu(command, program):
    with tempfile.TemporaryDirectory(prefix="vcgpu-readme-") as home:
        work = pathlib.Path(home) / "work"
        work.mkdir()
        for entry in ROOT.iterdir():
            if entry.name != "build" and not entry.name.startswith("."):
                (work / entry.name).symlink_to(entry)
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command.text], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=work, timeout=TIMEOUT_S,
            env=environment(home, program), check=False)
    actual = done.stdout.decode("utf-8", "backslashreplace")
    if done.returncode != command.exit:
        return f"exit status {done.returncode}, expected {command.exit}\n{actual[-2000:]}"
    shown = "\n".join(command.output).strip("\n")
    if command.abridged or not shown or shown == actual.strip("\n"):
        return ""
    return "\n".join(difflib.unified_diff(shown.splitlines(), actual.strip("\n").splitlines(),
                                          "shown", "actual", lineterm=""))


def check(command, program):
    words = shlex.split(command.text, comments=True)
    if not words:
        return None
    if words[0] == "vcgpu":
        return check_vcgpu(command, program)
    if words[0].removeprefix("./").startswith(("scripts/", "bench/", ".ci/")):
        return check_script(command, words[0])
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--vcgpu", required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    program = os.path.abspath(options.vcgpu)
    files = options.files or [path for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
                              if path.exists()]
    checked = failed = 0
    for path in files:
        for command in commands(path):
            try:
                problem = check(command, program)
            except (ValueError, subprocess.TimeoutExpired) as error:
                problem = str(error)
            checked += problem is not None
            if problem:
                failed += 1
                print(f"FAILED {command.place}: {command.text}\n{problem}\n")
    print(f"{checked} commands of {len(files)} files, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
