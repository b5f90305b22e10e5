#!/usr/bin/env python3
"""Every data/NAME.json is valid by data/schema/NAME.schema.json, says a validator that is not ours.

usage: catalog_schema_test.py [DATA_DIR]
"""

import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOWN = 10
# Of what the program prints; tests/cli_contract_test.py validates by them.
SCHEMAS_OF_OUTPUTS = {"accuracy", "answer", "calibration", "error", "listing"}


def pointer(error):
    return "/" + "/".join(str(part) for part in error.absolute_path)


def problems_of(path, schema_dir):
    schema_path = schema_dir / f"{path.stem}.schema.json"
    if not schema_path.exists():
        return [f"no schema {schema_path.name}"]
    schema = json.loads(schema_path.read_text(encoding="utf-8"))
    validator_class = jsonschema.Draft202012Validator
    validator_class.check_schema(schema)
    validator = validator_class(schema, format_checker=jsonschema.FormatChecker())
    document = json.loads(path.read_text(encoding="utf-8"))
    problems = []
    for error in validator.iter_errors(document):
        if len(problems) == SHOWN:
            problems.append("... and more")
            break
        problems.append(f"{pointer(error)}: {error.message[:300]}")
    return problems


def main():
    data = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "data"
    files = sorted(data.glob("*.json"))
    failed = 0 if files else 1
    for path in files:
        try:
            problems = problems_of(path, data / "schema")
        except (ValueError, jsonschema.SchemaError) as error:
            problems = [str(error)[:1000]]
        failed += bool(problems)
        for problem in problems:
            print(f"{path.name}: {problem}")
    for schema in sorted((data / "schema").glob("*.schema.json")):
        name = schema.name.removesuffix(".schema.json")
        if name in SCHEMAS_OF_OUTPUTS:
            continue
        if not (data / f"{name}.json").exists():
            failed += 1
            print(f"{schema.name}: there is no data/{name}.json")
    print(f"{len(files)} catalog files, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
