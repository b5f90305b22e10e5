#!/usr/bin/env python3
"""scripts/format-catalog keeps what is written and rejects what must not stand in the catalog."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "format-catalog"


class FormatCatalog(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "a.json"

    def run_tool(self, text, *options):
        self.file.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, str(TOOL), *options, str(self.file)],
                              capture_output=True, text=True, check=False)

    def formatted(self, text):
        done = self.run_tool(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.file.read_text(encoding="utf-8")

    def test_numbers_and_key_order_stay_as_written(self):
        self.assertEqual(self.formatted('{"b":1.10,"a":-2E+5,"c":"µ"}'),
                         '{\n  "b": 1.10,\n  "a": -2E+5,\n  "c": "µ"\n}\n')

    def test_entries_are_sorted_by_id_and_offers_by_what_tells_them_apart(self):
        text = self.formatted(
            '{"providers": [{"id": "b"}, {"id": "a", "offers": ['
            '{"gpu": "x", "gpu_count": 10}, {"gpu": "x", "gpu_count": 2}]}]}')
        self.assertLess(text.index('"a"'), text.index('"b"'))
        self.assertLess(text.index('"gpu_count": 2'), text.index('"gpu_count": 10'))

    def test_no_line_is_longer_than_120_columns_and_a_second_run_changes_nothing(self):
        offer = ", ".join(f'"key_{n}": "value {n}"' for n in range(20))
        text = self.formatted('{"providers": [{"id": "a", "offers": [{%s}]}]}' % offer)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        self.assertEqual(self.formatted(text), text)
        self.assertEqual(self.run_tool(text, "--check").returncode, 0)

    def test_check_names_the_file_and_the_first_line_that_differs(self):
        done = self.run_tool('{\n  "a": 1,\n   "b": 2\n}\n', "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.file}:3:", done.stderr)

    def test_a_duplicate_key_or_id_is_rejected(self):
        self.assertIn('duplicate key "a"', self.run_tool('{"a": 1, "a": 2}').stderr)
        self.assertIn("stands twice", self.run_tool('{"g": [{"id": "x"}, {"id": "x"}]}').stderr)

    def test_broken_json_is_named_by_line_and_left_as_it_is(self):
        done = self.run_tool('{\n"a": }')
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 2", done.stderr)
        self.assertEqual(self.file.read_text(encoding="utf-8"), '{\n"a": }')


if __name__ == "__main__":
    unittest.main()
