#!/usr/bin/env python3
"""tools/vcgpu_record.py, with a stand-in for torch: what it measures, writes and refuses.

usage: recorder_test.py --vcgpu PROGRAM [unittest's arguments]
"""

import argparse
import concurrent.futures
import csv
import importlib.util
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.program import environment  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "tools" / "vcgpu_record.py"
PROGRAM = None


class Cuda:
    """A device that counts what a step says it allocates, as torch.cuda does."""

    def __init__(self, available=True, name="NVIDIA GeForce RTX 4090"):
        self.available, self.name = available, name
        self.held = self.peak = self.reserved = 0
        self.calls = []

    def is_available(self):
        return self.available

    def synchronize(self, device=None):
        self.calls.append("synchronize")

    def empty_cache(self):
        self.calls.append("empty_cache")

    def reset_peak_memory_stats(self, device=None):
        self.calls.append("reset")
        self.peak = self.reserved = self.held

    def memory_allocated(self, device=None):
        return self.held

    def max_memory_allocated(self, device=None):
        return self.peak

    def max_memory_reserved(self, device=None):
        return self.reserved

    def get_device_name(self, device=None):
        return self.name

    def step(self, peak, left=None):
        self.peak = max(self.peak, int(peak))
        self.reserved = max(self.reserved, int(peak * 1.1))
        self.held = self.held if left is None else int(left)


class Distributed:
    def __init__(self, rank, world):
        self.rank, self.world = rank, world

    def is_available(self):
        return True

    def is_initialized(self):
        return True

    def get_rank(self):
        return self.rank

    def get_world_size(self):
        return self.world


class RecorderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="vcgpu-recorder-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "runs.csv"
        self.cuda = self.stand_in(Cuda())
        spec = importlib.util.spec_from_file_location("vcgpu_record", SCRIPT)
        self.tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.tool)
        # Every look at the clock takes a quarter of a second.
        clock = (tick / 4 for tick in itertools.count())
        self.tool.time = types.SimpleNamespace(perf_counter=lambda: next(clock))

    def stand_in(self, cuda, **more):
        module = types.ModuleType("torch")
        module.__version__ = "2.4.1+cu121"
        module.cuda = cuda
        for name, value in more.items():
            setattr(module, name, value)
        before = sys.modules.get("torch")
        sys.modules["torch"] = module

        def restore():
            if before is None:
                sys.modules.pop("torch", None)
            else:
                sys.modules["torch"] = before
        self.addCleanup(restore)
        cuda.held = int(4e9)
        return cuda

    def rows(self):
        with open(self.path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def record(self, peak=6e9, left=None, **more):
        values = {"batch": 4, "clip_s": 8.25, "precision": "bf16", **more}
        with self.tool.Recorder(self.path, **values) as recorder:
            self.cuda.step(peak, left)
        return recorder

    def test_a_step_is_a_row(self):
        self.record(optimizer="adamw", attention="sdpa", checkpointing=True, lora_rank=0)
        row, = self.rows()
        self.assertEqual((row["batch"], row["clip_s"], row["precision"]), ("4", "8.25", "bf16"))
        self.assertEqual((row["peak_bytes"], row["kind"]), ("6000000000", "allocated"))
        self.assertEqual((row["gpu"], row["gpus"]), ("NVIDIA GeForce RTX 4090", "1"))
        self.assertEqual((row["optimizer"], row["attention"]), ("adamw", "sdpa"))
        self.assertEqual((row["checkpointing"], row["lora_rank"]), ("on", "0"))
        self.assertEqual(row["torch"], "2.4.1+cu121")
        self.assertEqual(row["seconds_per_step"], "0.25")

    def test_the_device_is_waited_for_before_and_after(self):
        self.record()
        self.assertEqual(self.cuda.calls, ["synchronize", "reset", "synchronize"])

    def test_reserved_memory_is_measured_from_an_empty_cache(self):
        self.record(kind="reserved")
        self.assertIn("empty_cache", self.cuda.calls)
        self.assertEqual(self.rows()[0]["peak_bytes"], str(int(6e9 * 1.1)))

    def test_the_header_is_written_once(self):
        for _ in range(3):
            self.record()
        lines = self.path.read_text().splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(sum(line.startswith("batch,") for line in lines), 1)

    def test_the_first_step_is_not_recorded(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.record(left=12e9)
        self.assertIn("first step", str(caught[0].message))
        self.assertFalse(self.path.exists())
        self.cuda.held = int(4e9)
        self.record(left=12e9, force=True)
        self.assertEqual(len(self.rows()), 1)

    def test_a_step_that_fails_writes_nothing_and_still_fails(self):
        with self.assertRaisesRegex(RuntimeError, "out of memory"):
            with self.tool.Recorder(self.path, batch=4, clip_s=8, precision="fp16"):
                raise RuntimeError("CUDA out of memory")
        self.assertFalse(self.path.exists())

    def test_it_is_a_decorator_too(self):
        @self.tool.record(self.path, batch=4, clip_s=8, precision="fp16")
        def train_step(peak):
            self.cuda.step(peak)
            return "loss"
        self.assertEqual(train_step(5e9), "loss")
        self.assertEqual(train_step(7e9), "loss")
        self.assertEqual([row["peak_bytes"] for row in self.rows()], ["5000000000", "7000000000"])

    def test_values_may_be_set_inside_the_block(self):
        with self.tool.Recorder(self.path, batch=1, clip_s=1, precision="fp16") as recorder:
            recorder.batch, recorder.clip_s = 3, 7.5
            self.cuda.step(5e9)
        self.assertEqual((self.rows()[0]["batch"], self.rows()[0]["clip_s"]), ("3", "7.5"))

    def test_impossible_values_are_refused_before_the_step(self):
        for wrong in ({"batch": 0}, {"batch": -1}, {"clip_s": float("nan")}, {"clip_s": "x"},
                      {"precision": "float16"}, {"kind": "peak"}, {"attention": "flash"},
                      {"grad_accum": 1.5}, {"text_tokens": 0}, {"gpus": -2}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                self.record(**wrong)
        self.assertFalse(self.path.exists())

    def test_without_cuda_it_says_so(self):
        self.cuda.available = False
        with self.assertRaisesRegex(self.tool.RecordError, "no CUDA device"):
            self.record()

    def test_without_torch_it_says_so(self):
        sys.modules["torch"] = None  # an import of it fails
        with self.assertRaisesRegex(self.tool.RecordError, "not installed"):
            self.record()

    def test_only_the_first_rank_writes(self):
        for rank in (1, 0):
            sys.modules["torch"].distributed = Distributed(rank, 2)
            self.record()
        self.assertEqual([row["gpus"] for row in self.rows()], ["2"])

    def test_a_file_with_other_columns_is_left_alone(self):
        self.path.write_text("loss,step\n1,2\n")
        with self.assertRaisesRegex(self.tool.RecordError, "other columns"):
            self.record()
        self.assertEqual(self.path.read_text(), "loss,step\n1,2\n")

    def test_a_last_line_without_its_end_gets_one(self):
        self.record()
        self.path.write_text(self.path.read_text().rstrip("\n"))
        self.record()
        self.assertEqual(len(self.rows()), 2)

    def test_text_is_quoted_and_stays_on_one_line(self):
        self.record(note='first, "quoted"\nsecond')
        self.assertEqual(self.rows()[0]["note"], 'first, "quoted" second')
        self.assertEqual(len(self.path.read_text().splitlines()), 2)

    def test_rows_of_many_writers_stay_whole(self):
        row = dict.fromkeys(self.tool.COLUMNS, "x")
        start = threading.Barrier(8)

        def write(_):
            start.wait()
            for _ in range(20):
                self.tool._append(str(self.path), row)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        rows = self.rows()
        self.assertEqual(len(rows), 160)
        self.assertTrue(all(set(r.values()) == {"x"} for r in rows))

    def test_a_full_disk_leaves_no_half_row(self):
        self.record()
        before = self.path.read_bytes()
        write = os.write
        self.tool.os.write = lambda descriptor, data: write(descriptor, data[:20])
        self.addCleanup(setattr, os, "write", write)
        with self.assertRaisesRegex(OSError, "disk full"):
            self.record()
        self.tool.os.write = write
        self.assertEqual(self.path.read_bytes(), before)

    def test_what_it_writes_calibrates(self):
        # 160 M parameters with 12 bytes each before the backward pass, 0.5 GB besides, and 60 MB for
        # each second of a clip.
        self.cuda.held = int(160e6 * 12)
        for batch, clip_s in ((4, 5), (4, 8), (8, 6), (8, 11)):
            self.record(160e6 * 12 + 0.5e9 + batch * clip_s * 60e6, batch=batch, clip_s=clip_s,
                        note="a, b", optimizer="adamw")
        done = subprocess.run(
            [PROGRAM, "calibrate", str(self.path), "--as", "my-model", "--parameters", "160M",
             "-o", "json"], capture_output=True, check=False, timeout=60,
            env=environment(str(self.folder), PROGRAM))
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        result, = document["results"]
        self.assertEqual(result["points"], 4)
        self.assertLess(result["largest_residual_percent"], 0.1)
        self.assertEqual(document["speeds"], [
            {"gpu": "rtx-4090-24gb", "precision": "bf16", "batch": 8, "clip_s": 11,
             "passes_per_s": 4}])

    def test_help_and_check_need_no_torch(self):
        for arguments, status in ((["--help"], 0), ([], 0), (["--columns"], 0), (["--check"], 1)):
            done = subprocess.run([sys.executable, "-B", "-S", "-I", str(SCRIPT), *arguments],
                                  capture_output=True, check=False, timeout=60)
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(b"torch is not installed", done.stderr)


def main():
    global PROGRAM  # what the last test runs
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--vcgpu", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(options.vcgpu)
    sys.dont_write_bytecode = True
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
