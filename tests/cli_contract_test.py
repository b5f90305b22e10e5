#!/usr/bin/env python3
"""The contract of the command line: documents, exit codes, streams, filters, files, bad input.

usage: cli_contract_test.py --vcgpu PROGRAM [unittest's arguments]

Every test is a sentence about what a person or a script may rely on. Documents are validated by
data/schema/answer.schema.json, errors by error.schema.json, with a validator that is not ours.
"""

import argparse
import concurrent.futures
import csv
import io
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.program import environment  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
PROGRAM = None
TIMEOUT_S = 60
SHOWN = 12

SOVITS = ("recommend", "--task", "finetune", "--model", "sovits")
XTTS = ("estimate", "--task", "finetune", "--model", "xtts")
FIT = ("fit", "--task", "finetune", "--model", "xtts", "--gpu", "3060")
COMMANDS = (SOVITS, XTTS, FIT)
LISTS = tuple((name, "list") for name in ("gpus", "models", "providers", "offers"))
CATALOG_FILES = ("gpus.json", "providers.json", "models.json", "assumptions.json")


class Run:
    """One run of the program. Text is UTF-8; a byte that is not fails the test that reads it."""

    def __init__(self, status, out, err, arguments):
        self.status = status
        self.out_bytes = out
        self.err_bytes = err
        self.arguments = arguments

    @property
    def out(self):
        return self.out_bytes.decode("utf-8")

    @property
    def err(self):
        return self.err_bytes.decode("utf-8")

    def __str__(self):
        shown = " ".join(repr(a)[:80] if isinstance(a, bytes) else a[:80] for a in self.arguments)
        return f"vcgpu {shown}\n  exit {self.status}, stderr: {self.err_bytes[:300]!r}"


def without_nan(name):
    raise ValueError(f"{name} in JSON")


def parsed(text):
    return json.loads(text, parse_constant=without_nan)


def validator(name):
    schema = json.loads((DATA / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def innermost(error):
    while error.context:
        error = max(error.context, key=lambda other: len(other.absolute_path))
    return error


def catalog_list(file, name):
    return json.loads((DATA / file).read_text(encoding="utf-8"))[name]


def width(line):
    return len(line)


def ranges_of(value, path=""):
    if isinstance(value, dict):
        if {"low", "expected", "high"} == set(value):
            yield path, value
        for key, child in value.items():
            yield from ranges_of(child, f"{path}/{key}")
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from ranges_of(child, f"{path}/{index}")


class ContractTest(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.answer = validator("answer")
        cls.error = validator("error")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="vcgpu-contract-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.work = self.home / "work"
        self.work.mkdir()

    def run_program(self, *arguments, stdin=b"", **env):
        done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True,
                              cwd=self.work,
                              env=environment(str(self.home), PROGRAM, **env), timeout=TIMEOUT_S,
                              check=False)
        return Run(done.returncode, done.stdout, done.stderr, arguments)

    def run_all(self, calls):
        """Runs many at once: [(arguments, env)], in order."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return list(pool.map(lambda call: self.run_program(*call[0], **call[1]), calls))

    def assert_status(self, run, *expected):
        self.assertIn(run.status, expected, str(run))

    def assert_clean(self, run):
        """Nothing raw from outside on either stream, and no crash."""
        self.assertGreaterEqual(run.status, 0, f"killed by a signal: {run}")
        for name, stream in (("stdout", run.out_bytes), ("stderr", run.err_bytes)):
            text = stream.decode("utf-8")
            bad = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", text)
            self.assertIsNone(bad, f"{bad and bad.group()!r} on {name}: {run}")

    def refused(self, *arguments, status=2, **env):
        """The error of a run that must fail, read as JSON; the same as text must be clean too."""
        run = self.run_program(*arguments, "-o", "json", **env)
        self.assert_status(run, status)
        self.assertEqual(run.out_bytes, b"", str(run))
        return self.error_of(run)

    def error_of(self, run):
        lines = run.err.splitlines()
        self.assertEqual(len(lines), 1, str(run))
        document = parsed(lines[0])
        for problem in self.error.iter_errors(document):
            self.fail(f"{run}\n{problem.message[:300]}")
        return document["error"]

    def document(self, *arguments, status=0, validate=True, **env):
        run = self.run_program(*arguments, "-o", "json", **env)
        self.assert_status(run, *((status,) if isinstance(status, int) else status))
        self.assertEqual(run.err_bytes, b"", str(run))
        document = parsed(run.out)
        if validate:
            self.assert_valid(document, run)
        return document

    def assert_valid(self, document, run):
        problems = []
        for problem in itertools.islice(self.answer.iter_errors(document), SHOWN):
            cause = innermost(problem)
            problems.append(f"{cause.json_path}: {cause.message[:160]}")
        self.assertEqual(problems, [], str(run))

    def catalog_copy(self, name="catalog"):
        folder = self.home / name
        folder.mkdir()
        for file in CATALOG_FILES:
            (folder / file).write_bytes((DATA / file).read_bytes())
        return folder

    def overlay(self, name, content):
        folder = self.home / "config" / "vcgpu"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / name
        file.write_text(content if isinstance(content, str) else json.dumps(content),
                        encoding="utf-8")
        return file


class AccuracyTest(ContractTest):
    def test_the_document_is_valid_and_counts_what_it_lists(self):
        run = self.run_program("accuracy", "-o", "json")
        self.assert_status(run, 0)
        document = parsed(run.out)
        self.assertEqual([], [e.message for e in validator("accuracy").iter_errors(document)])
        testing = document["totals"]["testing"]
        judged = [j for j in document["judgements"] if j["half"] == "testing"]
        missed = [j for j in judged if j["outcome"] == "ran-out" and j["verdict"] == "fits"]
        self.assertEqual(len(judged), testing["reports"])
        self.assertEqual(len(missed), testing["missed_ooms"])
        for key in ("reports", "missed_ooms", "false_alarms", "tight", "peaks"):
            self.assertEqual(testing[key], sum(row[key] for row in document["results"]), key)

    def test_the_collected_reports_are_read_as_they_are(self):
        # JSON lines in which null stands for what is not known
        reports = json.loads((DATA / "evidence.json").read_text(encoding="utf-8"))["reports"]
        keys = {key for report in reports for key in report} - {"finding", "peak_bound"}
        lines = [json.dumps({key: report.get(key) for key in keys}) for report in reports]
        run = self.run_program("accuracy", "--evidence", "-", "-o", "json",
                               stdin="\n".join(lines).encode("utf-8"))
        self.assert_status(run, 0)
        document = parsed(run.out)
        self.assertEqual([], [e.message for e in validator("accuracy").iter_errors(document)])
        self.assertIsNone(document["totals"]["fitting"])
        self.assertGreater(document["totals"]["testing"]["reports"], 200)

    def test_hostile_evidence_is_refused_with_its_place(self):
        good = '{"id":"a","model":"rvc","task":"train","outcome":"ok","use":["verdict"],' \
               '"source":"s","thread":"t"'
        for text, part in (("[]", "is no report"), ("nonsense", "line 1"), ("{}", "line 1"),
                           (good + ',"batch":0}', "/batch"), (good + ',"batch":1e99}', "/batch"),
                           (good + ',"vram_gb":"8"}', "/vram_gb"), (good + ',"mood":1}', "mood"),
                           (good + ',"id":"b"}', "line 1"), (good + "}\n" + good + "}", "second"),
                           ('{"schema_version":9,"as_of":"2026-01-01","reports":[]}', "version"),
                           ("{" * 100, "line 1"), ("\x00", "line 1")):
            with self.subTest(text=text[-40:]):
                run = self.run_program("accuracy", "--evidence", "-", stdin=text.encode("utf-8"))
                self.assert_status(run, 4)
                self.assert_clean(run)
                self.assertIn(part, run.err)
                self.assertEqual("", run.out)


class DocumentTest(ContractTest):
    def test_every_model_and_task_gives_a_valid_document_or_says_which_tasks_it_knows(self):
        calls = []
        for model in catalog_list("models.json", "models"):
            names = [model["id"]] + [f"{model['id']}@{v['id']}" for v in model["variants"]]
            for name, task, command in itertools.product(
                    names, ("train", "finetune", "realtime", "batch"), ("recommend", "estimate")):
                arguments = [command, "--task", task, "--model", name, "-o", "json"]
                calls.append((arguments + (["--limit", "2"] if command == "recommend" else []), {}))
        answered = 0
        for run in self.run_all(calls):
            with self.subTest(" ".join(run.arguments)):
                if run.status == 2:
                    self.assertEqual(self.error_of(run)["code"], "unsupported-task", str(run))
                    continue
                self.assert_status(run, 0, 3)
                self.assertEqual(run.err_bytes, b"")
                document = parsed(run.out)
                self.assert_valid(document, run)
                self.check_sense(document)
                if run.status == 3:
                    # A model whose speed nobody published is sized, not priced.
                    codes = {rejected["reason_code"] for rejected in document["rejected"]}
                    self.assertTrue(codes & {"unknown-speed", "too-slow", "does-not-fit"}, str(run))
                    continue
                answered += 1
        self.assertGreater(answered, 300)

    def test_estimate_of_every_gpu_is_valid(self):
        for task, model in (("finetune", "xtts"), ("finetune", "rvc"), ("realtime", "xtts"),
                            ("batch", "bark"), ("finetune", "sovits@v3")):
            with self.subTest(model=model, task=task):
                document = self.document("estimate", "--task", task, "--model", model, "--gpu",
                                         "all")
                self.check_sense(document)
                gpus = {gpu["id"] for gpu in catalog_list("gpus.json", "gpus")}
                named = [r["gpu"]["id"] for r in document["results"] + document["rejected"]]
                self.assertEqual(sorted(named), sorted(gpus),
                                 "each GPU once, as result or rejected")

    def test_all_results_are_valid(self):
        document = self.document(*SOVITS, "--limit", "0", "--show-rejected")
        self.check_sense(document)
        self.assertEqual(document["total"], len(document["results"]))
        self.assertGreater(document["total"], 500)

    def test_no_offer_is_lost(self):
        for extra in ((), ("--budget", "0.5"), ("--deadline", "1h"), ("--pricing", "spot")):
            with self.subTest(extra=extra):
                document = self.document(*SOVITS, "--limit", "1", "--show-rejected", *extra,
                                         validate=False)
                rejected = sum(entry["offers"] for entry in document["rejected"])
                self.assertEqual(document["total"] + rejected, document["considered_offers"])

    def test_what_does_not_satisfy_is_still_a_document(self):
        for arguments in (("--vram", "9999GB"), ("--budget", "0.0001"), ("--deadline", "1m"),
                          ("--gpu", "h200", "--provider", "salad"), ("--batch-size", "1000000")):
            with self.subTest(arguments=arguments):
                document = self.document(*SOVITS, *arguments, status=3)
                self.assertEqual((document["results"], document["total"]), ([], 0))
        rejected = self.document(*SOVITS, "--batch-size", "1000000", status=3)["rejected"]
        self.assertTrue(any(entry["nearest_fix"] for entry in rejected))

    def test_estimate_without_a_gpu_is_the_recipe_itself(self):
        for task, model, batch in (("finetune", "xtts", 3), ("realtime", "xtts", None)):
            with self.subTest(task=task, model=model):
                document = self.document("estimate", "--task", task, "--model", model)
                result = document["results"][0]
                self.assertIsNone(result["gpu"])
                self.assertLess(result["memory"]["peak_gib"]["expected"], 24)
                if batch:
                    self.assertLessEqual(result["plan"]["batch_size"], batch)

    def test_usable_memory_is_part_of_the_memory(self):
        for result in self.document(*XTTS, "--gpu", "all", validate=False)["results"]:
            gpu = result["gpu"]
            self.assertLessEqual(gpu["usable_vram_gib"], gpu["vram_gib"], gpu["id"])

    def test_every_rejection_of_hardware_has_a_fix(self):
        for model, task in (("sovits", "finetune"), ("xtts", "realtime"), ("f5-tts", "train")):
            document = self.document("recommend", "--task", task, "--model", model, validate=False)
            for entry in document["rejected"]:
                self.assertTrue(entry["nearest_fix"], (model, entry["reason_code"],
                                                       entry["message"]))

    def test_what_does_not_fit_says_what_would(self):
        document = self.document(*XTTS, "--gpu", "8GB", "--batch-size", "3", status=(0, 3))
        entry = (document["results"] + document["rejected"])[0]
        self.assertTrue(entry["nearest_fix"])
        for result in document["results"]:
            self.assertEqual(result["verdict"], "does-not-fit")

    def test_the_request_tells_every_value_that_a_flag_set(self):
        flags = {"--dataset": ("1h", "dataset_s", 3600), "--speakers": ("2", "speakers", 2),
                 "--epochs": ("3", "epochs", 3), "--max-clip": ("8s", "max_clip_s", 8),
                 "--mean-clip": ("4s", "mean_clip_s", 4), "--batch-size": ("2", "batch_size", 2),
                 "--precision": ("fp32", "precision", "fp32"),
                 "--headroom": ("10%", "headroom", 0.1)}
        given = [part for flag, (text, _, _) in flags.items() for part in (flag, text)]
        for extra, status in (((), 0), (("--vram", "9999GB"), 3)):
            request = self.document(*SOVITS, *given, *extra, status=status)["request"]
            for flag, (_, key, value) in flags.items():
                with self.subTest(flag=flag, exit=status):
                    self.assertEqual(request.get(key), {"value": value, "origin": "flag"})

    def test_a_workload_file_is_the_same_as_its_flags_and_flags_override_it(self):
        (self.work / "w.json").write_text('{"task": "finetune", "model": "xtts", "max_clip": "8s", '
                                          '"batch-size": 2}', encoding="utf-8")
        by_file = self.document("estimate", "--workload", "w.json", "--gpu", "3090")
        by_flag = self.document(*XTTS, "--max-clip", "8s", "--batch-size", "2", "--gpu", "3090")
        self.assertEqual(by_file["results"], by_flag["results"])
        self.assertEqual(by_file["request"]["max_clip_s"], {"value": 8, "origin": "workload"})
        both = self.document("estimate", "--workload", "w.json", "--gpu", "3090", "--max-clip",
                             "6s")
        self.assertEqual(both["request"]["max_clip_s"], {"value": 6, "origin": "flag"})
        self.assertEqual(both["request"]["batch_size"]["origin"], "workload")

    def check_sense(self, document):
        ranks = [result["rank"] for result in document["results"]]
        self.assertEqual(ranks, list(range(1, len(ranks) + 1)))
        for result in document["results"]:
            self.check_result(result)

    def check_result(self, result):
        for path, value in ranges_of(result):
            self.assertTrue(value["low"] <= value["expected"] <= value["high"], f"{path}: {value}")
        memory = result["memory"]
        parts = sum(part["gib"] for part in memory["components"])
        self.assertAlmostEqual(parts, memory["peak_gib"]["expected"], delta=0.005)
        self.assertLessEqual(memory["allocated_gib"]["expected"], memory["peak_gib"]["expected"])
        if result["gpu"]:
            left = result["gpu"]["usable_vram_gib"] - memory["peak_gib"]["expected"]
            self.assertAlmostEqual(memory["headroom_gib"], left, delta=0.002)
        if result["verdict"] == "fits":
            self.assertGreaterEqual(memory["headroom_gib"], 0)
        if result["duration"]:
            stages = sum(s["hours"]["expected"] for s in result["duration"]["stages"])
            self.assertLessEqual(stages, result["duration"]["hours"]["expected"] + 0.001)
        if result["plan"].get("stages"):
            for stage in result["plan"]["stages"]:
                self.assertAlmostEqual(
                    stage["effective_batch"],
                    stage["batch_size"] * stage["grad_accum"] * stage["gpus"], delta=1e-6)
        if result["score"] is not None:
            score = sum(share["weight"] * share["value"] for share in result["score_shares"])
            self.assertAlmostEqual(score, result["score"], delta=0.0005)
        if result["cost"]:
            self.check_bill(result["cost"])

    def check_bill(self, cost):
        for line in cost["lines"]:
            exact = line["quantity"] * line["unit_price_usd"]
            rounding = 0.005 + 5e-5 * line["unit_price_usd"] + 5e-6 * line["quantity"]
            self.assertAlmostEqual(line["usd"], exact, delta=rounding + 1e-9, msg=str(line))
        self.assertAlmostEqual(sum(line["usd"] for line in cost["lines"]),
                               cost["total_usd"]["expected"], delta=0.0005)


class RankingTest(ContractTest):
    def key(self, result):
        offer = result["offer"]
        return (offer["provider"], offer["instance"], result["gpu"]["id"], result["gpu"]["count"],
                offer["pricing"], offer["tier"], offer["usd_per_hour"], tuple(offer["regions"]),
                offer["as_of"])

    def results(self, *arguments, status=(0, 3)):
        return self.document(*SOVITS, "--limit", "0", *arguments, status=status,
                             validate=False)["results"]

    def test_a_filter_leaves_exactly_what_satisfies_it(self):
        gpus = {gpu["id"]: gpu for gpu in catalog_list("gpus.json", "gpus")}

        def capability(result):
            text = gpus[result["gpu"]["id"]].get("compute_capability")
            return tuple(map(int, text.split("."))) if text else None

        cases = [
            (("--gpu", "4090,a100-80"), lambda r: r["gpu"]["id"] in self.named("4090", "a100-80")),
            (("--gpu", "12GB"), lambda r: r["gpu"]["vram_gb"] == 12),
            (("--vram", "16GB..24GB"), lambda r: 16 <= r["gpu"]["vram_gb"] <= 24),
            (("--vram", "80GB.."), lambda r: r["gpu"]["vram_gb"] >= 80),
            (("--vram", "..8GB"), lambda r: r["gpu"]["vram_gb"] <= 8),
            (("--gpu-count", "2..4"), lambda r: 2 <= r["gpu"]["count"] <= 4),
            (("--gpu-count", "8"), lambda r: r["gpu"]["count"] == 8),
            (("--vendor", "nvidia"), lambda r: gpus[r["gpu"]["id"]]["vendor"] == "nvidia"),
            (("--arch", "Hopper"), lambda r: gpus[r["gpu"]["id"]]["architecture"] == "Hopper"),
            (("--compute-capability", "8.0..8.6"),
             lambda r: capability(r) and (8, 0) <= capability(r) <= (8, 6)),
            (("--compute-capability", "10.0.."), lambda r: capability(r) and capability(r) >= (10,
                                                                                               0)),
            (("--provider", "runpod,lambda"), lambda r: r["offer"]["provider"] in ("runpod",
                                                                                   "lambda")),
            (("--exclude-provider", "salad,vast"),
             lambda r: r["offer"]["provider"] not in ("salad", "vast")),
            (("--region", "europe"),
             lambda r: any("europe" in name.lower() or name.lower() == "any"
                           for name in r["offer"]["regions"])),
            (("--pricing", "spot"), lambda r: r["offer"]["pricing"] == "spot"),
            (("--pricing", "on-demand"), lambda r: r["offer"]["pricing"] == "on-demand"),
            (("--tier", "secure"), lambda r: r["offer"]["tier"] == "secure"),
            (("--tier", "community,standard"), lambda r: r["offer"]["tier"] != "secure"),
            (("--max-hourly", "0.5"), lambda r: r["offer"]["usd_per_hour"] <= 0.5),
            (("--budget", "1"), lambda r: r["cost"]["total_usd"]["expected"] <= 1),
            (("--min-reliability", "4"), lambda r: (r["offer"]["reliability"] or 0) >= 4),
            (("--max-age", "120d"), lambda r: r["offer"]["age_days"] <= 120),
            (("--provider", "aws", "--pricing", "spot", "--vram", "24GB.."),
             lambda r: r["offer"]["provider"] == "aws" and r["offer"]["pricing"] == "spot"
             and r["gpu"]["vram_gb"] >= 24),
        ]
        everything = self.results()
        for arguments, accepts in cases:
            with self.subTest(arguments=arguments):
                wanted = sorted(self.key(r) for r in everything if accepts(r))
                self.assertTrue(wanted, "the case tests nothing")
                self.assertEqual(sorted(self.key(r) for r in self.results(*arguments)), wanted)

    def named(self, *names):
        ids = set()
        for name in names:
            document = self.document(*XTTS, "--gpu", name, validate=False)
            ids.add(document["results"][0]["gpu"]["id"])
        return ids

    def test_a_region_is_matched_by_its_words(self):
        for result in self.results("--region", "us"):
            regions = result["offer"]["regions"]
            self.assertFalse(all("australia" in name.lower() for name in regions))

    def test_serving_has_a_pareto_set_too(self):
        document = self.document("recommend", "--task", "realtime", "--model", "xtts", "--pareto")
        self.assertGreater(document["total"], 0)

    def test_estimate_keeps_its_filters(self):
        document = self.document(*XTTS, "--gpu", "4090,a100-80", "--vram", "80GB..", validate=False)
        self.assertEqual({r["gpu"]["id"] for r in document["results"]}, self.named("a100-80"))

    def test_a_deadline_is_kept(self):
        within = self.results("--deadline", "30m")
        self.assertTrue(within)
        self.assertTrue(all(r["duration"]["hours"]["expected"] <= 0.5 + 1e-4 for r in within))

    def test_a_limit_to_the_first_audio_is_kept_or_refused(self):
        document = self.document("recommend", "--task", "realtime", "--model", "xtts", "--latency",
                                 "300ms", "--limit", "0", status=(0, 3), validate=False)
        for result in document["results"]:
            first = result["inference"]["first_audio_ms"]
            self.assertIsNotNone(first, "an unknown time does not satisfy a limit")
            self.assertLessEqual(first["expected"], 300)

    def test_a_licence_that_forbids_it_is_rejected(self):
        document = self.document("recommend", "--task", "batch", "--model", "f5-tts",
                                 "--commercial",
                                 status=(0, 3))
        self.assertEqual(document["results"], [])
        self.assertIn("licence", {entry["reason_code"] for entry in document["rejected"]})

    def test_pricing_that_was_not_asked_for_is_not_ranked(self):
        self.assertEqual({r["offer"]["pricing"] for r in self.results()}, {"on-demand", "spot"})
        for pricing in ("reserved", "serverless"):
            for result in self.results("--pricing", pricing):
                self.assertTrue(result["offer"]["pricing"].startswith(pricing))

    def test_rows_are_in_the_order_asked_for(self):
        keys = {
            "cost": lambda r: r["cost"]["total_usd"]["expected"],
            "time": lambda r: r["duration"]["hours"]["expected"],
            "hourly": lambda r: r["offer"]["usd_per_hour"] * r["offer"]["instances"],
            "value": lambda r: -r["score"],
            "fit": lambda r: r["oom_probability"],
        }
        for sort, key in keys.items():
            with self.subTest(sort=sort):
                rows = [(("fits", "tight").index(r["verdict"]), round(key(r), 4))
                        for r in self.results("--sort", sort)]
                for before, after in itertools.pairwise(rows):
                    self.assertLessEqual(before, (after[0], after[1] + 2e-4))

    def test_the_default_order_is_cost(self):
        self.assertEqual(self.results(), self.results("--sort", "cost"))

    def test_limit_takes_the_first_rows(self):
        everything = self.results()
        for limit in (1, 7, 100):
            document = self.document(*SOVITS, "--limit", str(limit), validate=False)
            self.assertEqual([self.key(r) for r in document["results"]],
                             [self.key(r) for r in everything[:limit]])
            self.assertEqual(document["total"], len(everything))
        self.assertEqual(len(self.document(*SOVITS, validate=False)["results"]), 10)

    def test_one_row_for_each_gpu_or_provider(self):
        gpus = [(r["gpu"]["id"], r["gpu"]["count"]) for r in self.results("--per", "gpu")]
        self.assertEqual(len(gpus), len(set(gpus)))
        self.assertEqual(set(gpus), {(r["gpu"]["id"], r["gpu"]["count"]) for r in self.results()})
        providers = [r["offer"]["provider"] for r in self.results("--per", "provider")]
        self.assertEqual(len(providers), len(set(providers)))
        self.assertEqual(set(providers), {r["offer"]["provider"] for r in self.results()})

    def test_the_pareto_set_is_what_nothing_beats(self):
        everything = [r for r in self.results() if r["verdict"] == "fits"]

        def cost_and_time(result):
            return (result["cost"]["total_usd"]["expected"],
                    result["duration"]["hours"]["expected"])

        front = self.results("--pareto")
        self.assertTrue(front)
        self.assertTrue(all(r["pareto"] for r in front))
        self.assertEqual(len(front), sum(r["pareto"] for r in self.results()))
        for result in front:
            cost, hours = cost_and_time(result)
            beaten = [self.key(r) for r in everything
                      if cost_and_time(r)[0] < cost - 1e-6 and cost_and_time(r)[1] < hours - 1e-4]
            self.assertEqual(beaten, [])


class FitTest(ContractTest):
    """The ladder: what makes it fit on a card."""

    def ladders(self):
        for model in catalog_list("models.json", "models"):
            for variant in model["variants"]:
                for task in ("train", "finetune", "realtime", "batch"):
                    yield ("fit", "--task", task, "--model", f"{model['id']}@{variant['id']}",
                           "--gpu", "4GB,8GB,3060,4090,a100-80gb/3g.40gb", "-o", "json")

    def test_every_model_and_task_gives_a_valid_document_or_says_which_tasks_it_knows(self):
        answered = 0
        for run in self.run_all([(arguments, {}) for arguments in self.ladders()]):
            with self.subTest(" ".join(run.arguments)):
                if run.status == 2:
                    self.assertEqual(self.error_of(run)["code"], "unsupported-task", str(run))
                    continue
                self.assert_status(run, 0, 3)
                document = parsed(run.out)
                self.assert_valid(document, run)
                DocumentTest.check_sense(self, document)
                solved = [result["solved"] for result in document["results"]]
                self.assertEqual(run.status, 0 if any(solved) else 3, str(run))
                for result in document["results"]:
                    self.check_ladder(result)
                answered += 1
        self.assertGreater(answered, 10)

    check_result = DocumentTest.check_result

    def check_ladder(self, result):
        by_stage = {}
        for rung in result["ladder"]:
            by_stage.setdefault(rung["stage"], []).append(rung)
        for rungs in by_stage.values():
            self.assertEqual(rungs[0]["lever"], "recipe")
            needed = [rung["needed_gib"] for rung in rungs]
            self.assertEqual(needed, sorted(needed, reverse=True))
            recommended = [rung for rung in rungs if rung["recommended"]]
            self.assertLessEqual(len(recommended), 1)
            for rung in recommended:
                self.assertNotEqual(rung["verdict"], "does-not-fit")
            levers = [rung["lever"] for rung in rungs if not rung["more_room"]]
            self.assertEqual(len(levers), len(set(levers)))
        if result["solved"]:
            peak = max(rung["peak_gib"]["expected"] for rung in result["ladder"]
                       if rung["recommended"])
            self.assertAlmostEqual(peak, result["memory"]["peak_gib"]["expected"], delta=0.002)

    def test_what_the_user_set_is_never_changed(self):
        for flag, value, key, kept in (("--batch-size", "2", "batch_size", 2),
                                       ("--precision", "fp16", "precision", "fp16"),
                                       ("--grad-accum", "7", "grad_accum", 7),
                                       ("--attention", "eager", "attention", "eager")):
            document = self.document(*FIT, flag, value, status=(0, 3))
            with self.subTest(flag=flag):
                for rung in document["results"][0]["ladder"]:
                    self.assertEqual(rung["plan"][key], kept, rung["lever"])

    def test_a_rung_is_what_estimate_says_of_its_settings(self):
        for rung in self.document(*FIT)["results"][0]["ladder"]:
            plan = rung["plan"]
            document = self.document(
                *XTTS, "--gpu", "3060", "--batch-size", str(plan["batch_size"]), "--grad-accum",
                str(plan["grad_accum"]), "--precision", plan["precision"], "--attention",
                plan["attention"], "--max-clip", f"{plan['max_clip_s']}s")
            self.assertEqual(document["results"][0]["memory"]["peak_gib"], rung["peak_gib"])

    def test_the_largest_batch_is_the_largest(self):
        result = self.document("fit", "--task", "finetune", "--model", "rvc", "--gpu",
                               "3060")["results"][0]
        for more, verdict in ((0, ("fits",)), (1, ("tight", "does-not-fit"))):
            batch = str(result["largest_batch"] + more)
            answer = self.document("estimate", "--task", "finetune", "--model", "rvc", "--gpu",
                                   "3060", "--batch-size", batch)
            self.assertIn(answer["results"][0]["verdict"], verdict)

    def test_nothing_fits_is_3_and_still_a_document(self):
        document = self.document(*FIT[:-1], "8GB", status=3)
        self.assertFalse(document["results"][0]["solved"])
        self.assertTrue(document["results"][0]["another_card"])
        self.assertEqual(document["results"][0]["settings"], [])
        run = self.run_program(*FIT[:-1], "8GB")
        self.assert_status(run, 3)
        self.assertIn("nothing makes it fit", run.out)

    def test_windows_says_that_a_full_card_spills(self):
        for os_name, spills in (("windows", True), ("linux", False)):
            note = self.document(*FIT, "--os", os_name, status=(0, 3))["results"][0]["note"]
            self.assertEqual("spills" in (note or ""), spills)

    def test_all_shows_more_rungs_and_explain_more_still(self):
        ask = ("fit", "--task", "finetune", "--model", "f5-tts", "--gpu", "3060")
        lines = [len(self.run_program(*ask, *more).out.splitlines())
                 for more in ((), ("--all",), ("--explain",))]
        self.assertEqual(lines, sorted(set(lines)))

    def test_every_format_has_a_row_for_each_card(self):
        ask = ("fit", "--task", "finetune", "--model", "rvc", "--gpu", "3060,4090,8GB")
        for form, head in (("csv", 1), ("jsonl", 0), ("names", 0), ("markdown", 2)):
            with self.subTest(form=form):
                run = self.run_program(*ask, "-o", form)
                self.assertEqual(len(run.out.splitlines()), 3 + head)


class FormatTest(ContractTest):
    def test_every_format_has_all_rows(self):
        total = self.document(*SOVITS, "--limit", "0", validate=False)["total"]
        rows = self.run_program(*SOVITS, "--limit", "0", "-o", "jsonl").out.splitlines()
        self.assertEqual(len([parsed(row) for row in rows]), total)
        table = list(csv.reader(io.StringIO(
            self.run_program(*SOVITS, "--limit", "0", "-o", "csv").out_bytes.decode(), newline="")))
        self.assertEqual(len(table), total + 1)
        self.assertEqual({len(row) for row in table}, {len(table[0])})
        lines = self.run_program(*SOVITS, "--limit", "0", "-o", "markdown").out.splitlines()
        self.assertEqual(len(lines), total + 2)
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        self.assertEqual(cells, {len(table[0]) + 1})
        names = self.run_program(*SOVITS, "--limit", "0", "-o", "names").out.splitlines()
        self.assertEqual(len(names), total)

    def test_numbers_are_the_same_in_every_format(self):
        results = self.document(*SOVITS, "--limit", "20", validate=False)["results"]
        lines = self.run_program(*SOVITS, "--limit", "20", "-o", "jsonl").out.splitlines()
        self.assertEqual([parsed(line) for line in lines], results)
        rows = list(csv.DictReader(io.StringIO(
            self.run_program(*SOVITS, "--limit", "20", "-o", "csv").out_bytes.decode(),
            newline="")))
        for row, result in zip(rows, results, strict=True):
            self.assertEqual(row["gpu.id"], result["gpu"]["id"])
            self.assertEqual(float(row["cost.total_usd.expected"]),
                             result["cost"]["total_usd"]["expected"])

    def test_counts_are_whole_numbers(self):
        document = self.run_program(*SOVITS, "--limit", "3", "-o", "json").out
        for key in ("count", "batch_size", "effective_batch", "instances"):
            with self.subTest(key=key):
                self.assertIsNone(re.search(rf'"{key}": [0-9]+\.0\b', document))
        names = self.run_program(*SOVITS, "--limit", "3", "-o", "names").out
        self.assertNotIn(" 1.0 ", names)

    def test_fields_pick_and_order(self):
        fields = "gpu.id,rank,cost.total_usd.expected"
        rows = list(csv.reader(io.StringIO(
            self.run_program(*SOVITS, "--limit", "2", "-o", "csv", "--fields", fields).out)))
        self.assertEqual(rows[0], fields.split(","))
        for form in ("json", "jsonl"):
            out = self.run_program(*SOVITS, "--limit", "1", "-o", form, "--fields", fields).out
            result = parsed(out)["results"][0] if form == "json" else parsed(out)
            self.assertEqual(set(result), set(fields.split(",")))
        self.assertEqual(self.refused(*SOVITS, "--fields", "gpu.idd")["code"], "unknown-field")
        self.assert_status(self.run_program(*SOVITS, "--fields", "rank"), 2)

    def test_an_unknown_field_is_refused_even_where_there_is_no_row(self):
        self.refused(*SOVITS, "--vram", "9999GB", "--fields", "no.such.field")

    def test_json_is_short_for_o_json(self):
        self.assertEqual(self.run_program(*SOVITS, "--json").out_bytes,
                         self.run_program(*SOVITS, "-o", "json").out_bytes)

    def test_outside_text_is_neutral_in_every_format(self):
        evil = {"id": "evil", "name": "\u001b[31mEvil|`<b>\u202ename", "aliases": ["evil corp"],
                "kind": "cloud", "tiers": ["standard"], "source": "test", "as_of": "2026-11-01",
                "offers": [{
                    "sku": "=HYPERLINK(\"http://x\",\"a\")|\n\u001b]0;title\u0007",
                    "gpu": "h100-pcie-80gb",
                    "gpu_count": 1, "regions": ["+cmd|' /C calc'!A0"], "pricing": "on-demand",
                    "tier": "standard", "usd_per_hour": 0.01, "currency": "USD", "source": "@test",
                    "as_of": "2026-11-01"}]}
        template = catalog_list("providers.json", "providers")[0]
        self.overlay("evil.json", {"schema_version": 1, "providers": [
            {**{k: v for k, v in template.items() if k not in evil}, **evil}]})
        ask = (*SOVITS, "--provider", "evil", "--limit", "1")
        for form in ("table", "wide", "csv", "markdown", "names", "json", "jsonl"):
            with self.subTest(form=form):
                run = self.run_program(*ask, "-o", form, "--show-rejected")
                self.assert_status(run, 0)
                if form.startswith("json"):  # loses nothing; its escapes make controls harmless
                    self.assertIsNone(re.search(rb"[\x00-\x09\x0b-\x1f]", run.out_bytes))
                else:
                    self.assert_clean(run)
        rows = list(csv.reader(io.StringIO(
            self.run_program(*ask, "-o", "csv", "--fields",
                             "offer.instance,offer.region,offer.regions,offer.source,rank").out,
            newline="")))
        self.assertEqual(len(rows), 2)
        for cell in rows[1]:
            self.assertNotIn(cell[:1], tuple("=+-@\t\r"), cell)
        lines = self.run_program(*ask, "-o", "markdown").out.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertEqual(len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}), 1)

    def test_the_same_command_gives_the_same_bytes(self):
        for arguments in (SOVITS, (*SOVITS, "-o", "json", "--limit", "0"),
                          (*SOVITS, "--sort", "value"),
                          (*XTTS, "--gpu", "all", "-o", "csv")):
            first, second = self.run_all([(arguments, {})] * 2)
            self.assertEqual(first.out_bytes, second.out_bytes)
            narrow = self.run_program(*arguments, COLUMNS="60")
            if "-o" in arguments:
                self.assertEqual(first.out_bytes, narrow.out_bytes)


class TerminalTest(ContractTest):
    def calls(self):
        sovits = (*SOVITS, "--limit", "5")
        return [
            sovits, (*sovits, "--explain"), (*SOVITS, "--limit", "1", "--show-rejected"),
            (*sovits, "--per", "provider"), (*sovits, "--pricing", "reserved,serverless"),
            (*sovits, "--gpu-count", "8"), (*sovits, "--vram", "9999GB"),
            (*sovits, "--batch-size", "1000000"), (*SOVITS, "--provider", "gcp,azure,aws,cudo"),
            ("recommend", "--task", "finetune", "--model", "f5-tts", "--dataset", "500h"),
            ("recommend", "--task", "train", "--model", "f5-tts", "--limit", "0", "--per", "gpu"),
            ("recommend", "--task", "realtime", "--model", "xtts", "--streams", "200"),
            ("recommend", "--task", "batch", "--model", "bark", "--volume", "100000h"),
            XTTS, (*XTTS, "--gpu", "3060"), (*XTTS, "--gpu", "8GB"), (*XTTS, "--gpu", "all"),
            (*XTTS, "--gpu-count", "4", "--gpu", "a100,h100,4090"),
            ("estimate", "--task", "realtime", "--model", "xtts", "--gpu", "t4"),
            ("estimate", "--task", "finetune", "--model", "sovits@v4", "--gpu", "4090"),
            FIT, (*FIT, "--explain"), (*FIT, "-o", "wide"), (*FIT, "--os", "windows"),
            (*FIT, "--gpu-count", "8"), (*FIT, "--batch-size", "1000000"), (*FIT, "--all"),
            ("fit", "--task", "finetune", "--model", "sovits", "--gpu", "all", "--explain"),
            ("fit", "--task", "train", "--model", "f5-tts", "--gpu", "all", "--explain"),
            ("fit", "--task", "batch", "--model", "bark", "--gpu", "8GB,24GB", "--explain"),
            ("fit", "--task", "realtime", "--model", "xtts", "--gpu", "all", "--streams", "9"),
        ]

    def test_tables_fit_80_columns(self):
        for locale in ("C.UTF-8", "C"):
            calls = [(arguments, {"COLUMNS": "80", "LC_ALL": locale}) for arguments in self.calls()]
            for run in self.run_all(calls):
                with self.subTest(" ".join(run.arguments), locale=locale):
                    self.assert_status(run, 0, 3)
                    wide = [line for line in run.out.splitlines() if width(line) > 80]
                    self.assertEqual(wide[:3], [])

    def test_no_line_ends_in_blanks(self):
        for run in self.run_all([(arguments, {}) for arguments in self.calls()]):
            with self.subTest(" ".join(run.arguments)):
                self.assertEqual([x for x in run.out.split("\n") if x != x.rstrip()][:3], [])

    def test_ascii_where_the_locale_is_not_utf8(self):
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "",
                                                           "LANG": "de_DE.ISO-8859-1"}):
            calls = [(arguments, env) for arguments in self.calls()]
            calls.append(((*SOVITS, "-o", "wide"), env))
            for run in self.run_all(calls):
                with self.subTest(" ".join(run.arguments), **env):
                    self.assertTrue(run.out_bytes.isascii(),
                                    re.findall(r".{0,20}[^\x00-\x7f].{0,20}", run.out)[:3])

    def test_a_pipe_gets_no_escapes(self):
        for env in ({"NO_COLOR": ""}, {"NO_COLOR": "1", "TERM": "xterm-256color"}):
            run = self.run_program(*SOVITS, **env)
            self.assertNotIn(b"\x1b", run.out_bytes)

    def test_colour_always_colours_tables_alone_and_changes_no_text(self):
        for form in ("table", "wide", "json", "jsonl", "csv", "markdown", "names"):
            with self.subTest(form=form):
                plain = self.run_program(*SOVITS, "-o", form, "--color", "never").out
                coloured = self.run_program(*SOVITS, "-o", form, "--color", "always").out
                self.assertEqual("\x1b[" in coloured, form in ("table", "wide"))
                self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), plain)
        forced = self.run_program(*SOVITS, NO_COLOR="", CLICOLOR_FORCE="1").out
        self.assertIn("\x1b[", forced)
        never = self.run_program(*SOVITS, "--color", "never", NO_COLOR="", CLICOLOR_FORCE="1").out
        self.assertNotIn("\x1b", never)

    def test_explain_shows_more(self):
        plain = self.run_program(*SOVITS, "--limit", "1").out
        explained = self.run_program(*SOVITS, "--limit", "1", "--explain").out
        self.assertGreater(len(explained.splitlines()), len(plain.splitlines()) + 5)

    def test_verbose_speaks_on_stderr_alone(self):
        quiet = self.run_program(*SOVITS)
        verbose = self.run_program(*SOVITS, "--verbose")
        self.assertEqual(quiet.out_bytes, verbose.out_bytes)
        self.assertEqual(quiet.err_bytes, b"")
        self.assertNotEqual(verbose.err_bytes, b"")


class StreamTest(ContractTest):
    def popen(self, *arguments, **more):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.work, stderr=subprocess.PIPE,
                                env=environment(str(self.home), PROGRAM), **more)

    def test_a_reader_that_goes_away_is_no_error(self):
        for form in ("table", "json", "jsonl", "csv"):
            with self.subTest(form=form):
                read_end, write_end = os.pipe()
                os.close(read_end)
                with self.popen(*SOVITS, "--limit", "0", "-o", form, stdout=write_end) as process:
                    os.close(write_end)
                    err = process.communicate(timeout=TIMEOUT_S)[1]
                self.assertEqual((process.returncode, err), (0, b""))

    def test_a_reader_that_takes_one_line_is_no_error(self):
        with self.popen(*SOVITS, "--limit", "0", "-o", "json", stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"{\n")
            process.stdout.close()
            err = process.stderr.read()
        self.assertEqual((process.returncode, err), (0, b""))

    def test_no_standard_output_at_all_is_a_failure_not_a_crash(self):
        for redirect in (">&-", ">&- <&-", ">&- <&- 2>&-"):
            done = subprocess.run(
                ["/bin/sh", "-c", f'"$0" "$@" {redirect}', PROGRAM, *SOVITS, "--catalog",
                 str(DATA)],
                cwd=self.work, env=environment(str(self.home), PROGRAM), capture_output=True,
                timeout=TIMEOUT_S, check=False)
            self.assertEqual(done.returncode, 1, redirect)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_is_a_failure(self):
        for form in ("table", "json"):
            with open("/dev/full", "wb") as full, \
                    self.popen(*SOVITS, "-o", form, stdout=full) as process:
                err = process.communicate(timeout=TIMEOUT_S)[1]
            self.assertEqual(process.returncode, 1)
            self.assertIn(b"No space left", err)

    def test_an_interrupt_ends_it_as_130(self):
        with self.popen("recommend", "--workload", "-", stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE) as process:
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=TIMEOUT_S)
        self.assertIn(process.returncode, (130, -signal.SIGINT))  # a shell shows both as 130

    def test_nothing_is_read_from_stdin_unless_asked(self):
        run = self.run_program(*SOVITS, stdin=b"x" * 100000)
        self.assert_status(run, 0)

    def test_the_answer_is_all_on_stdout_and_an_error_all_on_stderr(self):
        for arguments in (SOVITS, XTTS, ("--help",), ("--version",), ("recommend", "--help")):
            run = self.run_program(*arguments)
            self.assert_status(run, 0)
            self.assertEqual(run.err_bytes, b"", str(run))
        for arguments in (("recommend",), ("nope",), ("--nope",), (*SOVITS, "--gpu", "nope")):
            run = self.run_program(*arguments)
            self.assert_status(run, 2)
            self.assertEqual(run.out_bytes, b"", str(run))
            self.assertTrue(run.err.startswith("vcgpu: "), run.err)


class OutFileTest(ContractTest):
    def listing(self):
        return sorted(path.name for path in self.work.rglob("*"))

    def test_the_file_holds_the_bytes_of_stdout(self):
        for form in ("table", "json", "csv", "names"):
            with self.subTest(form=form):
                shown = self.run_program(*SOVITS, "-o", form)
                run = self.run_program(*SOVITS, "-o", form, "--out-file", "answer")
                self.assert_status(run, 0)
                self.assertEqual((run.out_bytes, run.err_bytes), (b"", b""))
                self.assertEqual((self.work / "answer").read_bytes(), shown.out_bytes)
                self.assertEqual(self.listing(), ["answer"])

    def test_an_old_file_is_replaced(self):
        (self.work / "answer").write_bytes(b"x" * 1000000)
        self.run_program(*SOVITS, "-o", "names", "--limit", "1", "--out-file", "answer")
        self.assertLess((self.work / "answer").stat().st_size, 1000)

    def test_nothing_fits_is_written_too(self):
        run = self.run_program(*SOVITS, "--vram", "9999GB", "-o", "json", "--out-file", "answer")
        self.assert_status(run, 3)
        self.assertEqual(parsed((self.work / "answer").read_text())["results"], [])

    def test_what_cannot_be_written_is_a_failure_and_leaves_nothing(self):
        (self.work / "folder").mkdir()
        (self.work / "file").write_text("kept")
        cases = ["no/such/folder/answer", "folder", "folder/", "file/answer", ".", "/"]
        for target in cases:
            with self.subTest(target=target):
                error = self.refused(*SOVITS, "--out-file", target, status=1)
                self.assertEqual(error["code"], "io")
                self.assertEqual(self.listing(), ["file", "folder"])
        self.assertEqual((self.work / "file").read_text(), "kept")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_read_only_folder_is_a_failure(self):
        folder = self.work / "folder"
        folder.mkdir()
        (folder / "answer").write_text("kept")
        folder.chmod(0o555)
        self.addCleanup(folder.chmod, 0o755)
        self.refused(*SOVITS, "--out-file", "folder/answer", status=1)
        self.assertEqual((folder / "answer").read_text(), "kept")

    def test_a_failed_command_writes_no_file(self):
        self.refused(*SOVITS, "--gpu", "nope", "--out-file", "answer")
        self.assertEqual(self.listing(), [])

    def test_a_device_or_pipe_is_not_replaced_by_a_file(self):
        os.mkfifo(self.work / "pipe")
        with tempfile.TemporaryFile() as sink:
            process = subprocess.Popen(["/bin/cat", "pipe"], cwd=self.work, stdout=sink)
            try:
                run = self.run_program(*SOVITS, "-o", "names", "--out-file", "pipe")
            finally:
                process.terminate()
                process.wait()
        self.assert_status(run, 0, 1)
        self.assertTrue((self.work / "pipe").is_fifo(),
                        "as root, --out-file /dev/null would be gone")

    def test_a_link_is_followed(self):
        (self.work / "real").write_text("old")
        (self.work / "link").symlink_to("real")
        self.run_program(*SOVITS, "-o", "names", "--limit", "1", "--out-file", "link")
        self.assertTrue((self.work / "link").is_symlink())
        self.assertNotEqual((self.work / "real").read_text(), "old")


class NameTest(ContractTest):
    def test_a_wrong_name_names_the_nearest(self):
        ask = ("recommend", "--task", "finetune", "--model", "sovits")
        cases = [
            (("recommend", "--task", "finetune", "--model", "gpt-sovit"), "gpt-sovits"),
            (("recommend", "--task", "finetune", "--model", "xtt"), "xtts"),
            (("recommend", "--task", "finetune", "--model", "gpt-sovits@v2proo"), "v2pro"),
            (("recommend", "--task", "finetun", "--model", "xtts"), "finetune"),
            ((*ask, "--gpu", "rtx 40900"), "4090"),
            ((*ask, "--gpu", "4090,h10"), "h100"),
            ((*ask, "--provider", "runpd"), "runpod"),
            ((*ask, "--exclude-provider", "lamda"), "lambda"),
            ((*ask, "--stage", "s3"), "s1"),
            ((*ask, "--sort", "cots"), "cost"),
            ((*ask, "--per", "gpus"), "gpu"),
            ((*ask, "--pricing", "sport"), "spot"),
            ((*ask, "--tier", "secur"), "secure"),
            ((*ask, "--arch", "Hoper"), "Hopper"),
            ((*ask, "--vendor", "nvidea"), "nvidia"),
            ((*ask, "--precision", "bf61"), "bf16"),
            ((*ask, "--attention", "spda"), "sdpa"),
            ((*ask, "--optimizer", "adam"), "adamw"),
            ((*ask, "--grad-checkpoint", "onn"), "on"),
            ((*ask, "--color", "alway"), "always"),
            ((*ask, "--limti", "3"), "--limit"),
            ((*ask, "--max-clips=3s"), "--max-clip"),
            (("recomend", "--task", "finetune"), "recommend"),
        ]
        for arguments, nearest in cases:
            with self.subTest(" ".join(arguments)):
                hint = self.refused(*arguments)["hint"]
                self.assertIn(nearest.lower(), (hint or "").lower())
        run = self.run_program(*ask, "-o", "jsn")
        self.assert_status(run, 2)
        self.assertIn("json", run.err)

    def test_commands_of_the_contract_that_are_not_there_say_so(self):
        for command in ("compare", "launch", "doctor", "guide", "explore", "completion"):
            run = self.run_program(command)
            self.assert_status(run, 0, 2)
            if run.status == 2 and b"unknown command" in run.err_bytes:
                self.fail(str(run))

    def test_a_flag_or_task_that_is_missing_is_named(self):
        for arguments, flag in ((("recommend",), "--task"), (("recommend", "--task", "finetune"),
                                                             "--model"),
                                (("estimate", "--model", "xtts"), "--task"),
                                (("fit", "--task", "finetune", "--model", "xtts"), "--gpu")):
            self.assertIn(flag, self.refused(*arguments)["message"])

    def test_a_flag_without_its_value_is_named(self):
        for flag in ("--gpu", "--batch-size", "--model", "-o", "--max-clip"):
            with self.subTest(flag=flag):
                run = self.run_program(*SOVITS, flag)
                self.assert_status(run, 2)
                self.assertIn("needs a value", run.err)

    def test_a_flag_takes_one_value_and_no_more(self):
        self.refused(*SOVITS, "xtts")
        for flag, value in (("--gpu", "4090"), ("--limit", "3"), ("--batch-size", "4"),
                            ("--provider", "runpod"), ("-o", "json"), ("--max-clip", "8s")):
            with self.subTest(flag=flag):
                self.refused(*SOVITS, flag, value, value)
        self.refused("recommend", "xtts", "--task", "finetune", "--model", "sovits")

    def test_a_flag_that_is_repeated_adds_to_a_list_and_else_replaces(self):
        twice = self.document(*XTTS, "--gpu", "4090", "--gpu", "3060", validate=False)
        self.assertEqual(twice["results"],
                         self.document(*XTTS, "--gpu", "4090,3060", validate=False)["results"])
        last = self.document(*SOVITS, "--limit", "5", "--limit", "1", validate=False)
        self.assertEqual(len(last["results"]), 1)

    def test_a_gpu_that_is_named_twice_is_one_row(self):
        document = self.document(*XTTS, "--gpu", "4090,RTX4090,rtx 4090", validate=False)
        self.assertEqual(document["total"], 1)

    def test_sovits_says_what_was_taken(self):
        warnings = self.document(*SOVITS, validate=False)["warnings"]
        self.assertTrue(any("so-vits-svc" in warning["message"] for warning in warnings))

    def test_aliases_lead_to_the_same_answer(self):
        for a, b in (("xtts", "XTTS v2"), ("f5-tts", "F5"), ("sovits", "gpt-sovits@v2pro")):
            first, second = (self.document("recommend", "--task", "finetune", "--model", name,
                                           validate=False) for name in (a, b))
            self.assertEqual(first["results"], second["results"], (a, b))
        for names in (("4090", "RTX4090", "rtx-4090", "NVIDIA GeForce RTX 4090"),
                      ("a100-80", "A100 80GB"), ("t4", "T4", "tesla t4")):
            ids = {self.document(*XTTS, "--gpu", name, validate=False)["results"][0]["gpu"]["id"]
                   for name in names}
            self.assertEqual(len(ids), 1, names)


class NumberTest(ContractTest):
    IMPOSSIBLE = {
        "--batch-size": "0 -3 1e9 NaN inf -inf 1.5 1e999 0x10 3x 1,5 ٣",
        "--grad-accum": "0 -1 1.5 nan 1e9",
        "--dataset": "-5m 0s 5 1e30h nan inf 1h-30m 40x 40 m5",
        "--max-clip": "0s -1s 5 1e9h nans",
        "--mean-clip": "0s -1s 5",
        "--epochs": "0 -1 nan inf 1e9",
        "--steps": "0 -1 1.5 nan 1e12",
        "--speakers": "0 -1 1.5 1e9",
        "--lora": "-1 1.5 nan 1e9 on",
        "--headroom": "200% -5% nan 1.5 100%",
        "--reserve": "-1GB 1PB 5 nan 1e99GB GB",
        "--vram": "48GB..16GB 0GB -1GB nan .. 5..x 16GB..48GB..80GB 24TB",
        "--gpu-count": "0 -1 8..1 nan .. 1.5x",
        "--compute-capability": "9.0..8.0 x 8 .. -8.0 8.0.0",
        "--max-hourly": "0 -1 nan inf 1e99",
        "--budget": "0 -1 nan inf 1e99",
        "--deadline": "0h -1h 24 nan 1e30h",
        "--min-reliability": "0 6 1.5 -1 nan",
        "--max-age": "0d -1d 30 nan 1e30d",
        "--limit": "-1 1.5 nan 1e9",
    }
    SPEAKING = {
        "--streams": "0 -1 1.5 nan 1e9",
        "--duty": "0 -1 1.5 nan 200%",
        "--latency": "0ms -1ms 300 nan 1e9h",
        "--max-rtf": "0 -1 nan inf 1e9",
        "--hours-per-day": "0 -1 25 nan",
        "--output-length": "0s -1s 5 1e9h",
        "--volume": "0h -1h 900 nan 1e30h",
    }

    def test_an_impossible_number_is_refused_with_what_is_possible(self):
        ask = {**{flag: (SOVITS, values) for flag, values in self.IMPOSSIBLE.items()},
               **{flag: (("recommend", "--task", "realtime", "--model", "xtts"), values)
                  for flag, values in self.SPEAKING.items()}}
        calls = []
        for flag, (command, values) in ask.items():
            for value in values.split():
                calls.append(((*command, "-o", "json", flag, value), {}))
                calls.append(((*command, "-o", "json", f"{flag}={value}"), {}))
        for run in self.run_all(calls):
            with self.subTest(" ".join(run.arguments[-2:])):
                self.assert_status(run, 2)
                self.assertEqual(run.out_bytes, b"")
                error = self.error_of(run)
                self.assertTrue(error["hint"], error)
                flag = re.search(r"--[a-z-]+", " ".join(run.arguments[7:])).group()
                self.assertIn(flag, error["message"])

    def test_the_ends_of_the_ranges_are_accepted(self):
        for arguments in (("--dataset", "1s"), ("--dataset", "100000h"), ("--max-clip", "0.1s"),
                          ("--max-clip", "1h"), ("--epochs", "0.01"), ("--epochs", "1e6"),
                          ("--batch-size", "1"), ("--batch-size", "1000000"), ("--steps", "1e9"),
                          ("--headroom", "0"), ("--headroom", "90%"), ("--reserve", "0"),
                          ("--limit", "1000000"), ("--budget", "1e9"), ("--speakers", "1000000")):
            with self.subTest(arguments=arguments):
                document = self.document(*SOVITS, *arguments, status=(0, 3))
                for result in document["results"]:
                    DocumentTest.check_result(self, result)

    check_bill = DocumentTest.check_bill

    def test_contradictions_are_refused(self):
        for arguments in (("--epochs", "1", "--steps", "1"), ("--mean-clip", "9s", "--max-clip",
                                                              "8s")):
            self.refused(*SOVITS, *arguments)

    def test_a_setting_that_the_task_does_not_have_is_refused(self):
        for flag, value in (("--streams", "5"), ("--latency", "300ms"), ("--volume", "900h")):
            with self.subTest(task="finetune", flag=flag):
                self.refused(*SOVITS, flag, value)
        for flag, value in (("--epochs", "5"), ("--batch-size", "4"), ("--lora", "8"),
                            ("--stage", "s1"),
                            ("--optimizer", "sgd"), ("--max-clip", "8s"), ("--dataset", "1h")):
            with self.subTest(task="realtime", flag=flag):
                self.refused("recommend", "--task", "realtime", "--model", "xtts", flag, value)


class HostileTest(ContractTest):
    HOSTILE = [
        "", " ", "\t\n", ",", ",,", "a,,b", ",a", "-", "--", "..", "...", "5..", "0", "-0", "-1",
        "1e-400",
        "9" * 400, "0." + "0" * 400 + "1", "0x1p4", "1_000", "١٢", "½", "%s%n%x", "$(id)", "`id`",
        "'; --",
        "../no/such/file", "/", "~", "*", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x7f\x08\x08",
        "\u202egpj.exe", "\u009b31m", b"\xff\xfe\xfd", b"ok\xc3", b"\xed\xa0\x80", "null", "true",
        "{}",
        "[]", '{"a":1}', "auto", "all", "none", "local", "json", "@", "a@b@c", "@v2", "xtts@", "=",
        "a=b",
        "A" * 5000, "é" * 3000,
    ]
    # What may happen but exit 2: a path that is not there, a file that is written.
    FILE_FLAGS = {"--catalog": {1, 4}, "--workload": {1}, "--out-file": {0, 1, 3}}

    @staticmethod
    def value_flags(help_text):
        return sorted(set(re.findall(r"(--[a-z][a-z-]*) VALUE", help_text)))

    def flags(self):
        found = {}
        for command in COMMANDS + LISTS:
            words = itertools.takewhile(lambda word: not word.startswith("-"), command)
            found[command] = self.value_flags(self.run_program(*words, "--help").out)
            self.assertGreater(len(found[command]), 30 if command in COMMANDS else 4)
        return found

    def check(self, run, flag):
        allowed = {0, 2, 3} | self.FILE_FLAGS.get(flag, set())
        self.assert_status(run, *sorted(allowed))
        self.assert_clean(run)
        self.assertLess(len(run.err_bytes), 6000, "an error is short")
        if run.status in (0, 3):
            self.assertEqual(run.err_bytes, b"", str(run))
            return
        self.assertEqual(run.out_bytes, b"", str(run))
        self.assertNotEqual(run.err_bytes, b"", str(run))

    def joined(self, flag, value):
        return flag.encode() + b"=" + value if isinstance(value, bytes) else f"{flag}={value}"

    def test_no_value_of_any_flag_does_harm(self):
        for command, flags in self.flags().items():
            for flag in flags:
                calls = [((*command, self.joined(flag, value)), {}) for value in self.HOSTILE]
                calls += [((*command, flag, value), {}) for value in ("-1", "--", "-", "")]
                for run in self.run_all(calls):
                    with self.subTest(command=command[0], call=str(run.arguments[-2:])[:100]):
                        self.check(run, flag)

    def test_no_name_to_show_does_harm(self):
        for command in ("gpus", "models", "providers", "offers"):
            for run in self.run_all([((command, "show", value), {}) for value in self.HOSTILE]):
                with self.subTest(command=command, value=str(run.arguments[2])[:60]):
                    self.check(run, "")

    def test_an_error_in_json_stays_one_object_whatever_the_value(self):
        for flag in self.flags()[SOVITS]:
            if flag == "--output":
                continue
            calls = [((*SOVITS, "-o", "json", self.joined(flag, value)), {}) for value in
                     ("", "\x1b[31mred", b"\xff\xfe", '"}\\', "\n\n", "\u202ex", "\u009b31m",
                      "A" * 5000)]
            for run in self.run_all(calls):
                with self.subTest(str(run.arguments[5:])[:100]):
                    if run.status in (0, 3):
                        parsed(run.out or "{}")
                    else:
                        self.error_of(run)

    def test_an_empty_value_is_refused(self):
        for command, flags in self.flags().items():
            for flag in flags:
                for call in ((*command, flag, ""), (*command, f"{flag}=")):
                    with self.subTest(command=command[0], call=call[-2:]):
                        run = self.run_program(*call)
                        self.assert_status(run, 2)
                        self.assertIn(flag, run.err)

    def test_a_value_of_100_kb_is_refused_in_a_short_message(self):
        for command, flags in self.flags().items():
            for flag in flags:
                for value in ("A" * 100_000, "9" * 100_000, "," * 100_000, "a," * 50_000,
                              "1w" * 50_000):
                    with self.subTest(command=command[0], flag=flag, value=value[:3]):
                        run = self.run_program(*command, f"{flag}={value}")
                        self.check(run, flag)
                        self.assert_status(run, 2, *({1} & self.FILE_FLAGS.get(flag, set())))

    def test_hostile_commands_and_flags(self):
        for value in self.HOSTILE + ["A" * 100_000]:
            calls = [((value,), {}), ((*SOVITS, value), {})]
            text = value if isinstance(value, bytes) else value.encode()
            calls.append(((*SOVITS, b"--" + text), {}))
            for run in self.run_all(calls):
                with self.subTest(str(run.arguments)[-100:]):
                    self.assert_clean(run)
                    self.assert_status(run, 0, 2)
                    self.assertLess(len(run.err_bytes), 6000)

    def test_thousands_of_arguments(self):
        run = self.run_program(*SOVITS, *["--gpu=4090"] * 5000, "--limit=1")
        self.assert_status(run, 0)
        run = self.run_program(*SOVITS, *["x"] * 5000)
        self.assert_status(run, 2)
        self.assertLess(len(run.err_bytes), 2000)

    def test_hostile_workload_files(self):
        cases = {
            "empty": b"", "null": b"null", "list": b"[]", "truncated": b'{"task": "finetune"',
            "twice": b'{"task": "finetune", "task": "train", "model": "xtts"}',
            "deep": b"[" * 10000 + b"]" * 10000, "nan": b'{"epochs": NaN}',
            "huge": b'{"task":"finetune","model":"xtts","epochs": 1e999}',
            "bytes": b'{"task": "\xff"}',
            "unknown": b'{"task":"finetune","model":"xtts","bach_size":4}',
            "type": b'{"task":"finetune","model":"xtts","batch_size":[4]}',
            "bool": b'{"task":"finetune","model":"xtts","batch_size":true}',
            "escape": b'{"task":"\\u001b[31m","model":"xtts"}', "text": b"task=finetune",
        }
        for name, content in cases.items():
            (self.work / "w.json").write_bytes(content)
            for source, stdin in (("w.json", b""), ("-", content)):
                with self.subTest(name=name, source=source):
                    run = self.run_program("recommend", "--workload", source, stdin=stdin)
                    self.assert_clean(run)
                    self.assert_status(run, 2)
                    self.assertEqual(run.out_bytes, b"")
        run = self.run_program("recommend", "--workload", "-", stdin=b" " * 5_000_000)
        self.assert_status(run, 1, 2)
        os.mkfifo(self.work / "pipe")
        for path in ("missing.json", ".", "pipe", "/dev/zero"):
            with self.subTest(path=path):
                self.assertEqual(self.refused("recommend", "--workload", path, status=1)["code"],
                                 "io")

    def test_hostile_environments(self):
        cases = [{"VCGPU_TODAY": value} for value in
                 ("yesterday", "2026-02-30", "9999-01-01", "\x1b[31m", "2026-11-30x", "-1", " ")]
        for env in cases:
            with self.subTest(**env):
                run = self.run_program(*SOVITS, **env)
                self.assert_status(run, 2)
                self.assert_clean(run)
                self.assertIn("VCGPU_TODAY", run.err)
        for env in ({"COLUMNS": "0"}, {"COLUMNS": "-5"}, {"COLUMNS": "99999999999999"},
                    {"COLUMNS": "x"},
                    {"COLUMNS": "1"}, {"LC_ALL": "nonsense"}, {"LC_ALL": "\x1b"}, {"TERM": ""},
                    {"HOME": ""},
                    {"XDG_CONFIG_HOME": "relative"}, {"XDG_CONFIG_HOME": "/dev/null"},
                    {"HOME": "", "XDG_CONFIG_HOME": ""}, {"VCGPU_CATALOG": ""}):
            with self.subTest(**env):
                run = self.run_program(*SOVITS, **env)
                self.assert_status(run, 0)
                self.assertEqual(run.err_bytes, b"")

    def test_any_day_of_two_centuries(self):
        self.assertIn("VCGPU_TODAY", self.refused(*SOVITS, VCGPU_TODAY="1970-01-01")["message"])
        for day in ("2000-01-01", "2020-02-29", "2199-12-31"):
            with self.subTest(day=day):
                document = self.document(*SOVITS, "--limit", "1", VCGPU_TODAY=day)
                self.assertGreaterEqual(document["results"][0]["offer"]["age_days"], 0)
                run = self.run_program(*SOVITS, VCGPU_TODAY=day)
                self.assert_status(run, 0)


class CatalogTest(ContractTest):
    def test_the_shipped_files_are_the_embedded_catalog(self):
        for arguments in (SOVITS, (*XTTS, "--gpu", "all")):
            embedded = self.document(*arguments, validate=False)
            given = self.document(*arguments, "--catalog", str(DATA), validate=False)
            self.assertEqual(embedded["results"], given["results"])
            self.assertEqual(embedded["catalog"]["sha256"], given["catalog"]["sha256"])
            by_env = self.document(*arguments, VCGPU_CATALOG=str(DATA), validate=False)
            self.assertEqual(by_env["catalog"], given["catalog"])

    MUTATIONS = {
        "truncated": lambda text: text[:len(text) // 2],
        "cut by one": lambda text: text.rstrip()[:-1],
        "empty": lambda text: b"",
        "blank": lambda text: b"\n\n",
        "not an object": lambda text: b"[1, 2]",
        "null": lambda text: b"null",
        "too deep": lambda text: b'{"schema_version": 1, "x": ' + b"[" * 10000 + b"]" * 10000,
        "deep objects": lambda text: b'{"a":' * 10000 + b"1" + b"}" * 10000,
        "never closed": lambda text: b"[" * 10000,
        "duplicate key": lambda text: text.replace(b'"schema_version": 1,',
                                                   b'"schema_version": 1, "schema_version": 1,', 1),
        "wrong version": lambda text: text.replace(b'"schema_version": 1', b'"schema_version": 2',
                                                   1),
        "version as text": lambda text: text.replace(b'"schema_version": 1',
                                                     b'"schema_version": "1"', 1),
        "no version": lambda text: text.replace(b'"schema_version": 1,', b"", 1),
        "huge number": lambda text: text.replace(b'"schema_version": 1', b'"schema_version": 1e999',
                                                 1),
        "long number": lambda text: text.replace(b'"schema_version": 1',
                                                 b'"schema_version": 1' + b"0" * 5000, 1),
        "unknown key": lambda text: text.replace(b'"schema_version": 1,',
                                                 b'"schema_version": 1, "shema": 1,', 1),
        "not UTF-8": lambda text: text.replace(b'"as_of": "2', b'"as_of": "\xff\xfe2', 1),
        "not a date": lambda text: text.replace(b'"as_of": "2', b'"as_of": "x', 1),
        "half a surrogate": lambda text: text.replace(b'"as_of": "2', b'"as_of": "\\ud8002', 1),
        "a zero byte": lambda text: text.replace(b'"as_of"', b'\0"as_of"', 1),
        "NaN": lambda text: text.replace(b'"schema_version": 1', b'"schema_version": NaN', 1),
        "comment": lambda text: b"// hello\n" + text,
        "trailing text": lambda text: text + b"\nx",
        "byte order mark and rubbish": lambda text: b"\xef\xbb\xbf\xef\xbb\xbf" + text,
        "binary": lambda text: bytes(range(256)) * 50,
        "another file": lambda text: b'{"schema_version": 1, "as_of": "2026-11-30"}',
    }

    def test_a_broken_file_is_named_with_its_place(self):
        for file, (name, mutate) in itertools.product(CATALOG_FILES, self.MUTATIONS.items()):
            with self.subTest(file=file, mutation=name):
                text = mutate((DATA / file).read_bytes())
                self.assertNotEqual(text, (DATA / file).read_bytes(), "the mutation does nothing")
                folder = self.home / "broken"
                folder.mkdir(exist_ok=True)
                for other in CATALOG_FILES:
                    (folder / other).write_bytes((DATA / other).read_bytes())
                (folder / file).write_bytes(text)
                run = self.run_program(*SOVITS, "--catalog", str(folder))
                self.assert_clean(run)
                self.assert_status(run, 4)
                self.assertEqual(run.out_bytes, b"")
                if name != "another file":
                    self.assertRegex(run.err, re.escape(file) + r":\d+")

    def entry_errors(self, file, name, changes):
        base = json.loads((DATA / file).read_text(encoding="utf-8"))
        for change, value in changes:
            document = json.loads(json.dumps(base))
            target = document[name]
            *path, last = change
            for part in path:
                target = target[part]
            if value is ...:
                del target[last]
            else:
                target[last] = value
            folder = self.home / "changed"
            folder.mkdir(exist_ok=True)
            for other in CATALOG_FILES:
                (folder / other).write_bytes((DATA / other).read_bytes())
            (folder / file).write_text(json.dumps(document, indent=1), encoding="utf-8")
            with self.subTest(file=file, change=change, value=value):
                run = self.run_program(*SOVITS, "--catalog", str(folder))
                self.assert_clean(run)
                self.assert_status(run, 4)
                self.assertRegex(run.err, re.escape(file) + r":\d+: /" + name)

    def test_a_wrong_value_is_named_with_its_pointer(self):
        self.entry_errors("gpus.json", "gpus", [
            ((0, "memory_gb"), "24"), ((0, "memory_gb"), -1), ((0, "memory_gb"), 0),
            ((0, "memory_gb"), 1e300),
            ((0, "id"), ""), ((0, "id"), ...), ((0, "vendor"), "intel"), ((0, "aliases"), "x"),
            ((0, "bandwith"), 5), ((0, "usable_gib"), 1e6), ((1, "id"), "a10-24gb"),
            ((0, "name"), None),
            ((0, "name"), ["x"])])
        self.entry_errors("providers.json", "providers", [
            ((0, "offers", 0, "usd_per_hour"), 0), ((0, "offers", 0, "usd_per_hour"), -1),
            ((0, "offers", 0, "usd_per_hour"), None), ((0, "offers", 0, "gpu"), "no-such-gpu"),
            ((0, "offers", 0, "as_of"), "2026-13-01"), ((0, "offers", 0, "source"), ...),
            ((0, "offers", 0, "gpu_count"), 0), ((0, "offers", 0, "price"), 1), ((0, "offers"), {}),
            ((0, "billing_granularity_s"), -1), ((0, "reliability"), 9)])
        self.entry_errors("models.json", "models", [
            ((0, "default_variant"), "nope"), ((0, "variants"), []), ((0, "licence"), ...),
            ((0, "family"), "gan"), ((0, "variants", 0, "id"), 5)])

    def test_a_file_that_cannot_be_read_is_a_failure(self):
        missing = self.catalog_copy("missing")
        (missing / "models.json").unlink()
        folder = self.catalog_copy("folder")
        (folder / "gpus.json").unlink()
        (folder / "gpus.json").mkdir()
        pipe = self.catalog_copy("pipe")
        (pipe / "providers.json").unlink()
        os.mkfifo(pipe / "providers.json")
        loop = self.catalog_copy("loop")
        (loop / "models.json").unlink()
        (loop / "models.json").symlink_to("models.json")
        for catalog, file in ((missing, "models.json"), (folder, "gpus.json"),
                              (pipe, "providers.json"),
                              (loop, "models.json")):
            with self.subTest(catalog=catalog.name):
                error = self.refused(*SOVITS, "--catalog", str(catalog), status=1)
                self.assertIn(file, error["message"])
        for path in ("/no/such/folder", str(DATA / "gpus.json"), "/dev/null"):
            with self.subTest(path=path):
                self.refused(*SOVITS, "--catalog", path, status=1)
        self.assert_status(self.run_program(*SOVITS, VCGPU_CATALOG="/no/such/folder"), 1)

    def test_a_file_of_a_gigabyte_is_refused(self):
        big = self.catalog_copy("big")
        with open(big / "gpus.json", "wb") as file:
            file.truncate(1 << 30)  # sparse
        run = self.run_program(*SOVITS, "--catalog", str(big))
        self.assert_status(run, 1, 4)

    def test_an_overlay_changes_a_price(self):
        before = self.document(*SOVITS, "--gpu", "4090", "--limit", "1", validate=False)
        offer = {"sku": "mine", "gpu": before["results"][0]["gpu"]["id"], "gpu_count": 1,
                 "regions": ["any"],
                 "pricing": "on-demand", "tier": "secure", "usd_per_hour": 0.001, "currency": "USD",
                 "source": "my contract", "as_of": "2026-11-29"}
        self.overlay("mine.json", {"schema_version": 1, "providers": [{
            "id": "my-rack", "name": "My rack", "aliases": ["rack"], "kind": "cloud",
            "tiers": ["secure"],
            "source": "me", "as_of": "2026-11-29", "offers": [offer]}]})
        after = self.document(*SOVITS, "--gpu", "4090", "--limit", "1")
        self.assertEqual(after["results"][0]["offer"]["provider"], "my-rack")
        self.assertEqual(after["results"][0]["offer"]["source"], "my contract")
        self.assertIn("mine.json", after["catalog"]["origin"])
        self.assertNotEqual(after["catalog"]["sha256"], before["catalog"]["sha256"])
        self.assertEqual(after["total"], before["total"] + 1)

    def test_an_overlay_replaces_by_id(self):
        gpu = self.document(*XTTS, "--gpu", "3060", validate=False)["results"][0]["gpu"]
        self.overlay("gpu.json", {"schema_version": 1, "gpus": [{"id": gpu["id"],
                                                                 "usable_gib": 9.5}]})
        after = self.document(*XTTS, "--gpu", "3060")["results"][0]["gpu"]
        self.assertLess(after["usable_vram_gib"], gpu["usable_vram_gib"] - 1)
        self.assertEqual(after["name"], gpu["name"])

    def test_an_error_in_an_overlay_names_the_overlay(self):
        cases = ['{"schema_version": 1', "[]", '{"schema_version": 1, "gpu": []}',
                 '{"schema_version": 1, "gpus": [{"id": "a10-24gb", "memory_gb": "x"}]}',
                 '{"schema_version": 1, "gpus": [{"name": "x"}]}',
                 '{"schema_version": 1, "gpus": [5]}',
                 '{"schema_version": 1, "gpus": [{"id": "new-gpu"}]}',
                 '{"schema_version": 1, "memory": {"cuda_context_mib": 5}}',
                 '{"schema_version": 1, "providers": [{"id": "runpod", "offers": [{"sku": "x"}]}]}',
                 '{"schema_version": 1, "models": [{"id": "xtts", "default_variant": "nope"}]}',
                 '{"schema_version": 1, "gpus": [{"id": "a10-24gb"}, {"id": "a10-24gb"}]}', "",
                 "\x00"]
        for content in cases:
            with self.subTest(content=content):
                self.overlay("bad.json", content)
                run = self.run_program(*SOVITS)
                self.assert_clean(run)
                self.assert_status(run, 4)
                self.assertRegex(run.err, r"vcgpu/bad\.json:\d+")

    def test_other_files_beside_the_overlays_are_left_alone(self):
        folder = self.overlay("a.json", {"schema_version": 1}).parent
        (folder / "notes.txt").write_text("not JSON")
        (folder / "backup.json~").write_text("not JSON")
        self.assert_status(self.run_program(*SOVITS), 0)


class HelpTest(ContractTest):
    def commands(self):
        """Every command, however deep, from the help's own lists."""
        found, todo = [], [()]
        while todo:
            path = todo.pop()
            found.append(path)
            text = self.run_program(*path, "--help").out
            section = re.search(r"\nCommands:\n((?:  .*\n)+)", text)
            for line in section.group(1).splitlines() if section else []:
                if re.match(r"  \S", line):
                    todo.append((*path, line.split()[0]))
        return found

    def test_help_of_every_command(self):
        commands = self.commands()
        self.assertIn(("recommend",), commands)
        self.assertIn(("estimate",), commands)
        for path in commands:
            for flag in ("--help", "-h"):
                with self.subTest(path=path, flag=flag):
                    run = self.run_program(*path, flag)
                    self.assert_status(run, 0)
                    self.assertEqual(run.err_bytes, b"")
                    self.assertIn("Exit codes: 0 ", run.out)
                    self.assertIn("Examples:", run.out)
                    self.assertIn("Usage: vcgpu", run.out)
                    self.assertLess(run.out.index("Examples:"), run.out.index("Usage:"))
                    if path:
                        self.assertIn("JSON:", run.out)

    def test_help_fits_80_columns(self):
        for path in self.commands():
            with self.subTest(path=path):
                text = self.run_program(*path, "--help").out
                long = [line for line in text.splitlines()
                        if len(line) > 80 and not line.startswith("  vcgpu")]
                self.assertEqual(long, [])

    def test_help_wins_over_what_else_is_wrong(self):
        for arguments in (("recommend", "--nope", "--help"), ("recommend", "--gpu", "--help"),
                          (*SOVITS, "--batch-size", "0", "-h")):
            self.assert_status(self.run_program(*arguments), 0)

    def test_every_command_of_issue_2_is_there(self):
        text = self.run_program("--help").out
        for command in ("recommend", "estimate", "fit", "calibrate", "accuracy", "gpus", "models",
                        "providers", "offers"):
            self.assertRegex(text, rf"\n  {command} ")

    def test_the_version_is_one_line(self):
        self.assertRegex(self.run_program("--version").out, r"\Avcgpu \d+\.\d+\.\d+\n\Z")

    def test_no_arguments_show_the_help(self):
        self.assertEqual(self.run_program().out_bytes, self.run_program("--help").out_bytes)


def main():
    global PROGRAM  # what every test runs
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--vcgpu", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(options.vcgpu)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
