#!/usr/bin/env python3
"""Includes point down only, by the order of folders in the architecture.

A file may include what its layer may know, listed in MAY_KNOW. A public header belongs to the layer
in PUBLIC_HEADERS, else to the folder that holds a source of the same name.
"""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

GROUND = {"base", "catalog", "estimate"}
MAY_KNOW = {
    "base": {"base"},
    "catalog": {"base", "catalog"},
    "estimate": GROUND,
    "advise": GROUND | {"advise"},
    "prices": GROUND | {"prices"},
    "host": GROUND | {"host"},
    "report": GROUND | {"advise", "prices", "host", "report"},
    "launch": GROUND | {"advise", "prices", "host", "report", "launch"},
    "cli": GROUND | {"advise", "prices", "host", "report", "launch", "cli"},
}

PUBLIC_HEADERS = {
    "version": "base", "units": "base", "error": "base", "date": "base", "range": "base",
    "catalog": "catalog", "gpu": "catalog", "provider": "catalog", "voice_model": "catalog",
    "assumptions": "catalog", "names": "catalog", "rule": "catalog", "evidence": "catalog",
    "workload": "estimate", "plan": "estimate", "planner": "estimate", "memory": "estimate",
    "duration": "estimate", "cost": "estimate", "serving": "estimate", "estimate": "estimate",
    "recommend": "advise", "candidate": "advise", "rank": "advise", "fit": "advise",
    "compare": "advise", "accuracy": "advise",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(vcgpu/[^>]+)>)')


def layer_of_header(root, stem):
    if stem in PUBLIC_HEADERS:
        return PUBLIC_HEADERS[stem]
    folders = {folder for folder in MAY_KNOW
               if (root / "src" / folder / f"{stem}.cpp").exists()}
    return folders.pop() if len(folders) == 1 else None


def layer_of(root, path):
    """The layer of a file of the tree, or None."""
    parts = path.relative_to(root).parts
    if parts[:2] == ("include", "vcgpu"):
        return layer_of_header(root, path.stem)
    if parts[0] == "src" and len(parts) > 2:
        return parts[1] if parts[1] in MAY_KNOW else None
    return None


def target_layer(root, path, included):
    """The layer an include line of `path` leads to, or None."""
    parts = pathlib.PurePosixPath(included).parts
    if parts[0] == "vcgpu":
        return layer_of_header(root, pathlib.PurePosixPath(included).stem)
    if (root / "src" / included).exists():
        return parts[0] if parts[0] in MAY_KNOW else None
    beside = (path.parent / included).resolve()
    if beside.exists() and root.resolve() in beside.parents:
        return layer_of(root.resolve(), beside)
    return None


def violations(root):
    found = []
    for path in sorted(root.glob("src/**/*.[ch]pp")) + sorted(root.glob("include/**/*.hpp")):
        place = path.relative_to(root)
        layer = layer_of(root, path)
        if layer is None:
            found.append(f"{place}: belongs to no layer; add it to PUBLIC_HEADERS or MAY_KNOW")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            included = match.group(1) or match.group(2)
            target = target_layer(root, path, included)
            if target is None:
                found.append(f'{place}:{number}: "{included}" leads to no known layer')
            elif target not in MAY_KNOW[layer]:
                found.append(f'{place}:{number}: {layer} may not know {target}: "{included}"')
    return found


class Architecture(unittest.TestCase):
    def test_includes_point_down_only(self):
        found = violations(ROOT)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def plant(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return violations(root)

    def test_an_include_that_points_up_is_found(self):
        found = self.plant({"src/catalog/gpu.cpp": '#include "report/table.hpp"\n',
                            "src/report/table.hpp": ""})
        self.assertEqual(found,
                         ['src/catalog/gpu.cpp:1: catalog may not know report: "report/table.hpp"'])

    def test_a_public_header_that_points_up_is_found(self):
        found = self.plant({"include/vcgpu/units.hpp": "#pragma once\n#include <vcgpu/gpu.hpp>\n"})
        self.assertEqual(found,
                         ['include/vcgpu/units.hpp:2: base may not know catalog: "vcgpu/gpu.hpp"'])

    def test_prices_know_nothing_of_advice(self):
        found = self.plant({"src/prices/store.cpp": '  #  include "vcgpu/recommend.hpp"\n'})
        self.assertEqual(len(found), 1)

    def test_an_include_beside_the_file_keeps_its_layer(self):
        found = self.plant({"src/host/nvml.cpp": '#include "nvml.hpp"\n#include "../cli/main.hpp"\n',
                            "src/host/nvml.hpp": "", "src/cli/main.hpp": ""})
        self.assertEqual(found, ['src/host/nvml.cpp:2: host may not know cli: "../cli/main.hpp"'])

    def test_an_unknown_folder_or_header_is_found(self):
        found = self.plant({"src/misc/a.cpp": "", "include/vcgpu/mystery.hpp": "",
                            "src/base/b.cpp": '#include "nowhere.hpp"\n'})
        self.assertEqual(len(found), 3)

    def test_includes_that_point_down_pass(self):
        found = self.plant({"src/cli/main.cpp": '#include "report/table.hpp"\n#include <vector>\n',
                            "src/report/table.hpp": '#include "vcgpu/recommend.hpp"\n'})
        self.assertEqual(found, [])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
