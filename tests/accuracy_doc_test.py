#!/usr/bin/env python3
"""docs/accuracy.md is what `vcgpu accuracy -o markdown` says now.

usage: accuracy_doc_test.py --vcgpu PROGRAM [--update]
"""

import argparse
import difflib
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.program import environment  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "accuracy.md"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vcgpu", required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        says = subprocess.run([arguments.vcgpu, "accuracy", "-o", "markdown"], check=True,
                              stdout=subprocess.PIPE,
                              env=environment(home, arguments.vcgpu)).stdout.decode("utf-8")
    if arguments.update:
        PAGE.write_text(says, encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    if page == says:
        return 0
    print("docs/accuracy.md is stale: run tests/accuracy_doc_test.py --vcgpu PROGRAM --update")
    print("\n".join(list(difflib.unified_diff(page.splitlines(), says.splitlines(), "docs/accuracy.md",
                                              "vcgpu accuracy", lineterm=""))[:40]))
    return 1


if __name__ == "__main__":
    sys.exit(main())
