#!/usr/bin/env python3
"""Every input that once broke the program, with the answer that is right.

    tests/tools/defects_test.py build/release/tools/rigor/rigor [FOLDER]

The files are not part of the tree: they lie in the folder `defects` where RIGOR_SHARED points, else in ../shared beside
the tree; without it the test is skipped (status 77). Each is given to its commands with 5 s of CPU time and 1 GB of
memory, as it is and, where it is refused for keys that have no effect or are not supported yet, without these. No
signal, no hang, no NaN that is called solved; and what the table below says beyond that.
"""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "fuzz"))
import judge  # noqa: E402  (the rules of the campaign)

CPU_SECONDS, MEMORY, SKIPPED = 5, 1 << 30, 77
LONG = {  # s of CPU time for what is honest work
    "chain_crash.json": 60,  # 3000 steps of 30 links that fall on each other
    "breaker/text-2000.dat": 60,  # 2000 unknowns without structure, announced by a line
}
SPARE_KEY = re.compile(r"^\S+?:\d+:\d+: ([\w.\[\]-]+) = .*(?:no effect|must be 0)")

# What to do with a file, by the first pattern that fits its path: words before the file, words after it, the statuses
# that are right.
COMMANDS = [
    (r"audit/(slid|cor2|p13|p5|p8|sing)\.json", [(["analyse"], ["--json"], {0})]),
    (r"audit/(rp)\.json", [(["solve"], ["--json"], {0})]),
    (r"audit/ball\.json", [(["run"], ["--json"], {2})]),  # bounces: refused, not ignored
    (r"audit/", [(["run"], ["--json"], {0}), (["analyse"], ["--json"], {0, 1})]),
    (r"newcomer/", [(["check"], [], {0, 2}), (["run"], ["--json"], {0, 1, 2})]),
    (r"(bomb\.h5|\.hdf5)$", [(["solve"], [], {1, 2})]),
    (r"\.dat$", [(["solve"], ["--json"], {0, 1, 2})]),
    (r"forged-verdict|checkpoint-nan", [(["resume"], ["--json"], {2})]),
    (r"\.rec$", [(["replay"], ["--json"], {0, 1, 2}), (["resume"], ["--json"], {0, 1, 2})]),
    (r"breaker/(solve|scaled|boxed|cone-|lcp|mlcp|text)", [(["solve"], ["--json"], {0, 1, 2})]),
    (r"\.json$", [(["check"], [], {0, 2}), (["run"], ["--json"], {0, 1, 2})]),
]


class Call:
    """How one call of the program ended."""

    def __init__(self, program, words, folder, seconds=CPU_SECONDS):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        try:
            done = subprocess.run([program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=40 * seconds, preexec_fn=limit, check=False)
            self.status, self.out, self.err = done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = -signal.SIGXCPU, "", "waits"

    def complaint(self, right):
        if self.status < 0:
            return f"signal {-self.status}"
        if "out of memory" in self.err:
            return "out of memory"
        if any(ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160 for c in self.err):
            return "control characters on the terminal"
        if self.status not in right:
            return f"status {self.status}, not one of {sorted(right)}: {self.err.strip()[:200]}"
        if self.status != 0 and not self.err.strip() and not self.out.strip():
            return "no word"
        return ""


def remove_key(scene, path):
    """Takes run.key, or materials.NAME.key of a list by names, out of a scene."""
    *way, last = path.split(".")
    for key in way:
        if isinstance(scene, list):
            scene = next(item for item in scene if item.get("name") == key)
        else:
            scene = scene[key]
    del scene[last]


def without_spare_keys(program, file, folder):
    """The scene without the keys that `check` calls useless or unsupported, in a file of its own; None where there are
    none, or it is refused for something else as well."""
    refused = Call(program, ["check", str(file)], folder)
    spare = [match[1] for line in refused.err.splitlines() if (match := SPARE_KEY.match(line))]
    if refused.status != 2 or not spare:
        return None
    scene = json.loads(file.read_bytes())
    for path in spare:
        remove_key(scene, path)
    bare = pathlib.Path(folder) / f"bare-{file.name}"
    bare.write_text(json.dumps(scene))
    return bare if Call(program, ["check", str(bare)], folder).status == 0 else None


def judge_run(file, answer):
    try:
        scene = json.loads(file.read_bytes())
    except ValueError:  # comments: whether it is closed is not known
        scene = {"forces": ["perhaps"]}
    return judge.judge_run(scene, answer)


# --- what is known of single files ---

def near(value, wanted, within):
    return isinstance(value, (int, float)) and abs(value - wanted) <= within


def proposition(answer, name):
    return next(item["applies"] for item in answer["propositions"] if item["id"] == name)


TRUTHS = {
    "audit/slid.json": lambda a: a["acceleration_unique"] is False and a["solutions"] == 2 and a["ranges_cover_all"],
    "audit/cor2.json": lambda a: a["without_cones"] is False and not proposition(a, "Cor. 2"),
    "audit/p13.json": lambda a: proposition(a, "Prop. 13") and not proposition(a, "Cor. 5") and a["acceleration_unique"],
    "audit/p5.json": lambda a: a["coulomb"]["solutions"] is None and not a["coulomb"]["acceleration_unique"],
    "audit/p8.json": lambda a: a["acceleration_unique"] is False and a["forces_unique"],
    "audit/sing.json": lambda a: a["coulomb"]["solutions"] is None and a["coulomb"]["acceleration_unique"],
    "audit/rp.json": lambda a: near(a["r"][0], 0.005 / 1.01, 1e-10) and near(a["r"][1], 0.0005 / 1.01, 1e-10),
}


def look_at(program, relative, file, folder):
    """What is wrong with the answers to one file: a list of sentences."""
    wrong = []
    calls = next(calls for pattern, calls in COMMANDS if re.search(pattern, relative))
    for before, after, right in calls:
        given = file
        if before == ["resume"]:  # writes to its file
            given = pathlib.Path(folder) / file.name
            given.write_bytes(file.read_bytes())
        call = Call(program, [*before, str(given), *after], folder, LONG.get(relative, CPU_SECONDS))
        if complaint := call.complaint(right):
            wrong.append(f"{before[0]}: {complaint}")
        elif call.status == 0 and before == ["run"] and (complaint := judge_run(file, json.loads(call.out))):
            wrong.append(f"run: {complaint}")
        elif call.status == 0 and before == ["solve"] and file.suffix == ".json":
            if complaint := judge.judge_solution(file.name, file.read_bytes(), json.loads(call.out)):
                wrong.append(f"solve: {complaint}")
        truth = TRUTHS.get(relative)
        if truth and call.status == 0 and before[0] != "run" and not truth(json.loads(call.out)):
            wrong.append(f"{before[0]}: not what was worked out on paper")
    if calls[-1][0] == ["run"] and (bare := without_spare_keys(program, file, folder)):
        call = Call(program, ["run", str(bare), "--json"], folder)
        complaint = call.complaint({0, 1})
        if not complaint and call.status == 0:
            complaint = judge_run(bare, json.loads(call.out))
        if complaint:
            wrong.append(f"run without spare keys: {complaint}")
    return wrong


def main():
    program = os.path.abspath(sys.argv[1])
    shared = pathlib.Path(os.environ.get("RIGOR_SHARED", SOURCE.parent / "shared"))
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else shared / "defects"
    if not root.is_dir():
        print(f"no {root}; set RIGOR_SHARED")
        return SKIPPED
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.name != "README.md")
    bad = 0
    for file in files:
        relative = str(file.relative_to(root))
        with tempfile.TemporaryDirectory(prefix="rigor-defects-") as folder:
            wrong = look_at(program, relative, file, folder)
        bad += bool(wrong)
        for sentence in wrong:
            print(f"{relative}: {sentence}")
    print(f"{len(files)} files, {bad} with a wrong answer")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
