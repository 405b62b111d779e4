"""Judges `rigor schema` by an independent validator (Python's jsonschema):
the schema is itself valid, takes every scene that Rigor takes, and refuses what it is there to refuse."""

import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

rigor, source = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*words):
    return subprocess.run([rigor, *words], capture_output=True, text=True)


schema = json.loads(run("schema").stdout)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
wrong = []

# what Rigor takes, as written by hand and as written by Rigor
scenes = sorted((source / "scenes").glob("*.json"))
assert scenes
for path in scenes:
    by_hand = "\n".join(line.split("//")[0] for line in path.read_text().splitlines())
    for text in (by_hand, run("convert", str(path), "-").stdout):
        for error in validator.iter_errors(json.loads(text)):
            wrong.append(f"{path.name}: {error.message}")

# hostile scenes: where the schema refuses, Rigor refuses; and it must refuse some
refused = total = 0
for table in sorted((source / "tests/tools/hostile").glob("*.txt")):
    for block in table.read_text().split("\n=== ")[1:]:
        lines = block.split("\n")
        text = "\n".join(line for line in lines[1:] if not line.startswith(">>> "))
        try:
            document = json.loads(text, parse_constant=lambda word: 1 / 0)
        except (ValueError, ZeroDivisionError):
            continue
        total += 1
        refused += not validator.is_valid(document)
print(f"the schema refuses {refused} of {total} hostile scenes that are JSON")
if refused < 60:
    wrong.append("the schema refuses too few hostile scenes")

# shorthand, expressions, defaults, limits with null: all good
good = {
    "rigor": 1,
    "defaults": {"shape": {"type": "sphere", "radius": 1}},
    "bodies": [
        {"name": "a", "mass": "2*3", "joint": "fixed", "pose": [0, 0, "1 + 1"]},
        {"name": "b", "mass": 1, "shapes": [{}, {"radius": 2}],
         "joint": {"type": "revolute", "limits": [None, 1], "axis": [0, "1", 0]}},
    ],
    "constraints": [
        {"name": "tyre", "type": "rolling", "a": "a", "radius": 0.3},
        {"name": "wheel", "type": "rolling", "a": "a", "radius": 0.3, "axis_a": [0, 1, 0]},
        {"name": "skate", "type": "knife-edge", "a": "a", "axis_a": [0, 1, 0]},
        {"name": "belt", "type": "speed", "a": "a", "speed": {"sine": {"amplitude": 1, "frequency": 1}}},
        {"name": "turn", "type": "spin", "a": "a", "speed": "2*t"},
    ],
    "gears": [{"name": "g", "joint_a": "b", "joint_b": "b", "stiffness": 1, "damping": 1}],
    "springs": [{"name": "s", "a": "a", "law": "x^3"},
                {"name": "r", "a": "a", "law": {"table": {"times": [0, 1], "values": [0, 1]}}}],
    "run": {"method": "runge-kutta-4"},
    "repeat": [{"for": [["i", "3"]], "bodies": [{"name": "c_{i}", "mass": "i"}]}],
    "include": ["a.json", {"file": "b.json", "prefix": "b_"}],
}
wrong += [f"good scene: {error.message}" for error in validator.iter_errors(good)]

# a key of another type of shape is refused
if validator.is_valid({"rigor": 1, "shapes": [{"type": "sphere", "radius": 1, "size": [1, 1, 1]}]}):
    wrong.append("a sphere with a size passes")

# a law is no function of time
law = {"sine": {"amplitude": 1, "frequency": 1}}
if validator.is_valid({"rigor": 1, "springs": [{"name": "s", "a": "a", "law": law}]}):
    wrong.append("a law that is a sine passes")

print("\n".join(wrong) or "ok")
sys.exit(bool(wrong))
