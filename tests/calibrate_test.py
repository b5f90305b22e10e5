#!/usr/bin/env python3
"""`vcgpu calibrate` as a user meets it: documents, entries, files, bad input.

usage: calibrate_test.py --vcgpu PROGRAM [unittest's arguments]

Documents are validated by data/schema/calibration.schema.json, entries by models.schema.json.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.program import environment  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "data" / "schema"
PROGRAM = None

HEADER = "batch,clip_s,precision,peak_gib,gpu,seconds_per_step\n"
CARD = "NVIDIA GeForce RTX 3090"
ROWS = (f"4,6,fp32,10.62,{CARD},0.61\n4,8,fp32,12.49,{CARD},0.77\n2,11,fp32,10.71,{CARD},0.58\n"
        f"6,11,fp32,21.30,{CARD},1.52\n")
OWN = ("--as", "my-model", "--parameters", "441M")


def schema(name):
    return json.loads((SCHEMA / f"{name}.schema.json").read_text(encoding="utf-8"))


class CalibrateTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="vcgpu-calibrate-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.work = self.home / "work"
        self.work.mkdir()
        self.runs = self.file("runs.csv", HEADER + ROWS)

    def file(self, name, content):
        path = self.work / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def run_program(self, *arguments, stdin=b"", **env):
        return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, check=False,
                              cwd=self.work, env=environment(str(self.home), PROGRAM, **env),
                              timeout=60)

    def succeeds(self, *arguments, **more):
        run = self.run_program(*arguments, **more)
        self.assertEqual((run.returncode, run.stderr), (0, b""), arguments)
        return run.stdout.decode()

    def document(self, *arguments, **more):
        document = json.loads(self.succeeds("calibrate", *arguments, "-o", "json", **more))
        problems = [f"{e.json_path}: {e.message[:200]}" for e in
                    jsonschema.Draft202012Validator(schema("calibration")).iter_errors(document)]
        self.assertEqual(problems[:5], [])
        return document

    def refused(self, *arguments, status=2, **more):
        run = self.run_program("calibrate", *arguments, "-o", "json", **more)
        self.assertEqual((run.returncode, run.stdout), (status, b""), run.stderr)
        return json.loads(run.stderr)["error"]

    # What it says

    def test_documents_are_valid(self):
        for arguments in (("--model", "xtts"), ("--model", "xtts", "--as", "my-xtts"), OWN,
                          (*OWN, "--frozen", "7M", "--family", "flow", "--stage", "flow")):
            with self.subTest(arguments):
                document = self.document(self.runs, *arguments)
                self.assertEqual(document["total"], 1)

    def test_entries_are_valid_models(self):
        models = schema("models")
        stage = {"$ref": "#/$defs/stage", "$defs": models["$defs"]}
        for arguments in (OWN, ("--model", "xtts", "--as", "my-xtts")):
            entry = self.document(self.runs, *arguments)["entry"]
            problems = list(jsonschema.Draft202012Validator(models).iter_errors(entry))
            self.assertEqual([p.message[:200] for p in problems], [])
        entry = self.document(self.runs, "--model", "xtts")["entry"]
        model, = entry["models"]
        self.assertEqual(set(model), {"id", "stages"})
        for part in model["stages"]:
            problems = list(jsonschema.Draft202012Validator(stage).iter_errors(part))
            self.assertEqual([p.message[:200] for p in problems], [])

    def test_an_override_changes_the_measured_profile_alone(self):
        entry = self.document(self.runs, "--model", "xtts")["entry"]["models"][0]
        shown = json.loads(self.succeeds("models", "show", "xtts", "-o", "json"))["results"][0]
        before, = [s for s in shown["stages"] if s["key"] == "gpt"]
        after, = [s for s in entry["stages"] if s["key"] == "gpt"]
        self.assertNotEqual(before["training"]["profiles"][0], after["training"]["profiles"][0])
        self.assertEqual(before["training"]["profiles"][1:], after["training"]["profiles"][1:])
        for part in (before, after):
            part["training"].pop("profiles")
            part["training"].pop("speed")
        self.assertEqual(before, after)

    def test_the_stages_of_a_pipeline_stay(self):
        rows = "".join(f"{b},{c},fp16,{g}\n" for b, c, g in ((4, 4, 4.1), (8, 6, 5.2), (16, 9, 8)))
        runs = self.file("s2.csv", "batch,clip_s,precision,peak_gib\n" + rows)
        entry = self.document(runs, "--model", "sovits@v2", "--stage", "s2")["entry"]["models"][0]
        shown = json.loads(self.succeeds("models", "show", "sovits", "-o", "json"))["results"][0]
        self.assertEqual([s["key"] for s in entry["stages"]], [s["key"] for s in shown["stages"]])
        changed = [new["key"] for new, old in zip(entry["stages"], shown["stages"]) if new != old]
        self.assertEqual(changed, ["s2-v2"])

    def test_json_and_standard_input_say_the_same(self):
        def numbers(document):
            return [{k: v for k, v in row.items() if k != "line"}
                    for row in document["results"][0]["rows"]]
        keys = HEADER.strip().split(",")
        values = [row.split(",") for row in ROWS.splitlines()]
        lines = "\n".join(json.dumps(dict(zip(keys, row))) for row in values)
        expected = numbers(self.document(self.runs, "--model", "xtts"))
        for text in (lines, "[" + lines.replace("\n", ",") + "]", HEADER + ROWS):
            found = self.document("-", "--model", "xtts", stdin=text.encode())
            self.assertEqual(numbers(found), expected)
            self.assertEqual(found["measurements"], "standard input")

    def test_every_format_prints(self):
        for form in ("table", "wide", "json", "jsonl", "csv", "markdown", "names"):
            self.assertTrue(self.succeeds("calibrate", self.runs, "--model", "xtts", "-o", form))

    def test_tables_are_neat(self):
        rows = "".join(f"{b},{c},bf16,{g},device\n" for b, c, g in ((4, 4, 12), (8, 6, 15), (8, 6, 16)))
        other = self.file("d.csv", "batch,clip_s,precision,peak_gib,kind\n" + rows)
        for runs in (self.runs, other):
            for arguments in (("--model", "xtts"), OWN):
                text = self.succeeds("calibrate", runs, *arguments, COLUMNS="80", LC_ALL="C")
                self.assertTrue(text.isascii())
                self.assertEqual([x for x in text.splitlines() if len(x) > 80], [])
                self.assertEqual([x for x in text.splitlines() if x != x.rstrip()], [])

    # What it writes

    def written(self, *arguments, path="entry.json"):
        document = self.document(self.runs, *arguments, "--write", path)
        self.assertEqual(document["written"], path)
        self.assertEqual(json.loads((self.work / path).read_text()), document["entry"])
        return document

    def in_place(self, *arguments):
        """Calibrates and runs what the program says comes next."""
        document = self.written(*arguments)
        env = environment(str(self.home), PROGRAM)
        for command in document["next"]:
            done = subprocess.run(["bash", "-c", command], cwd=self.work, env=env, check=False,
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, command)
        return document, done.stdout.decode()

    def test_what_comes_next_uses_the_entry(self):
        _, text = self.in_place("--model", "xtts")
        self.assertIn("XTTS v2", text)
        peak = json.loads(self.succeeds(
            "estimate", "--task", "finetune", "--model", "xtts", "--batch-size", "6", "--max-clip",
            "11s", "--grad-accum", "1", "-o", "json"))["results"][0]["memory"]["allocated_gib"]["expected"]
        self.assertAlmostEqual(peak / 21.3, 1, delta=0.03)

    def test_an_own_model_is_ready_for_every_command(self):
        self.in_place(*OWN)
        for arguments in (("models", "show", "my-model"),
                          ("estimate", "--task", "train", "--model", "my-model", "--gpu", "3090"),
                          ("recommend", "--task", "finetune", "--model", "my-model")):
            self.succeeds(*arguments)

    def test_the_same_again_replaces_the_file(self):
        for arguments in (OWN, ("--model", "xtts")):
            for _ in range(2):
                self.written(*arguments, path=f"{arguments[1]}.json")

    def test_a_second_calibration_keeps_what_the_first_found(self):
        self.written("--model", "xtts")
        half = self.file("half.csv", (HEADER + ROWS).replace("fp32", "bf16"))
        document = self.document(half, "--model", "xtts", "--write", "entry.json")
        profiles = document["entry"]["models"][0]["stages"][0]["training"]["profiles"]
        own = [p["precision"] for p in profiles if p["source"].startswith("own measurements")]
        self.assertEqual(own, [["fp32", "tf32"], ["fp16", "bf16"]])

    def test_another_file_is_not_replaced_unless_forced(self):
        for content in (b"notes", b"{}", b'{"models": [{"id": "vits"}]}', b"\xff\xfe",
                        b'{"models": [{"id": "xtts"}], "gpus": []}', b'{"models": [{"id": 4}]}'):
            self.file("entry.json", content)
            error = self.refused(self.runs, "--model", "xtts", "--write", "entry.json")
            self.assertEqual(error["code"], "file-exists")
            self.assertEqual((self.work / "entry.json").read_bytes(), content)
        self.succeeds("calibrate", self.runs, "--model", "xtts", "--write", "entry.json", "--force")

    def test_a_failure_writes_nothing(self):
        bad = self.file("bad.csv", HEADER + ROWS + f"0,6,fp32,10,{CARD},1\n")
        self.refused(bad, "--model", "xtts", "--write", "entry.json")
        self.assertFalse((self.work / "entry.json").exists())
        self.assertEqual(self.refused(self.runs, "--model", "xtts", "--write", "no/entry.json",
                                      status=1)["code"], "io")
        self.assertEqual(sorted(p.name for p in self.work.iterdir()), ["bad.csv", "runs.csv"])

    def test_a_known_id_is_refused(self):
        for name in ("xtts", "xtts-v2", "coqui"):
            self.assertEqual(self.refused(self.runs, "--as", name, "--parameters", "4M")["code"],
                             "known-model")

    # Bad input

    def test_a_name_that_is_no_id_is_refused(self):
        for name in ("My Model", "a/b", "\x1b[31mred", "\u202egpj", "-a", "A" * 100_000, "9" * 61):
            for arguments in (("--as", name, "--model", "xtts"),
                              ("--as", name, "--parameters", "4M"), (*OWN, "--stage", name)):
                with self.subTest(str(arguments)[:80]):
                    error = self.refused(self.runs, *arguments)
                    self.assertIn(error["code"], ("bad-value", "missing-value"))
                    self.assertLess(len(error["message"]), 300)

    def test_flags_that_do_not_go_together_are_refused(self):
        for arguments, code in (
                ((), "missing-argument"), ((self.runs,), "missing-flag"),
                ((self.runs, self.runs, "--model", "xtts"), "unknown-argument"),
                ((self.runs, "--as", "mine"), "missing-flag"),
                ((self.runs, "--model", "xtts", "--parameters", "4M"), "bad-value"),
                ((self.runs, "--model", "xtts", "--force"), "bad-value"),
                ((self.runs, "--model", "xtts", "--write", "-"), "bad-value"),
                ((self.runs, "--model", "nope"), "unknown-model"),
                ((self.runs, "--model", "xtts", "--stage", "s2"), "unknown-stage"),
                ((self.runs, "--model", "sovits"), "missing-flag"),
                ((self.runs, "--model", "bark"), "unknown-stage"),
                ((self.runs, *OWN, "--family", "gan"), "bad-value")):
            with self.subTest(arguments):
                error = self.refused(*arguments)
                self.assertEqual(error["code"], code, error)
                self.assertTrue(error["hint"])

    def test_impossible_numbers_are_refused(self):
        for flag, values in (("--parameters", "0 -1 nan inf 1e13 4X M 1.5.2"),
                             ("--frozen", "-1 nan 1e13"), ("--weight-bytes", "0 9 x"),
                             ("--frozen-bytes", "0 9 nan")):
            for value in values.split():
                with self.subTest(f"{flag} {value}"):
                    error = self.refused(self.runs, "--as", "mine", "--parameters", "4M",
                                         f"{flag}={value}")
                    self.assertEqual(error["code"], "bad-value")
                    self.assertIn(flag, error["message"])

    def test_an_empty_value_is_refused(self):
        for flag in ("--model", "--stage", "--as", "--parameters", "--frozen", "--family",
                     "--weight-bytes", "--frozen-bytes", "--write"):
            self.assertIn(flag, self.refused(self.runs, flag, "")["message"])

    def test_a_file_that_cannot_be_read_is_a_failure(self):
        self.assertEqual(self.refused("nope.csv", "--model", "xtts", status=1)["code"], "io")
        self.assertEqual(self.refused(".", "--model", "xtts", status=1)["code"], "io")
        big = self.file("big.csv", HEADER + "#" * 5_000_000)
        self.assertIn("larger", self.refused(big, "--model", "xtts", status=1)["message"])

    def test_hostile_files_end_in_an_answer_or_a_short_error(self):
        source = random.Random(5)
        texts = [b"\x1b[31m,\x9b\n1,2\n", b"\xff\xfeb\x00a\x00", b"[" * 100_000, b'{"a":' * 1000,
                 b"," * 3000, b'"' * 3000, b"batch\n" * 20_000, HEADER.encode() + b"\x1b]0;x\x07\n",
                 (HEADER + "9" * 5000 + ",1,fp32,1,,\n").encode(),
                 (HEADER + "1,1,fp32,1,\x1b[31m,\n").encode()]
        plain = (HEADER + ROWS).encode()
        for _ in range(60):
            data = bytearray(plain)
            for _ in range(source.randint(1, 8)):
                data[source.randrange(len(data))] = source.randrange(256)
            texts.append(bytes(data))
        for text in texts:
            for arguments in (("--model", "xtts"), OWN):
                run = self.run_program("calibrate", "-", *arguments, stdin=text)
                self.assertIn(run.returncode, (0, 2), run.stderr[:300])
                self.assertLess(len(run.stderr), 3000)
                for stream in (run.stdout, run.stderr):
                    bad = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", stream.decode())
                    self.assertIsNone(bad, text[:200])


def main():
    global PROGRAM  # what every test runs
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--vcgpu", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(options.vcgpu)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
