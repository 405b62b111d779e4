#!/usr/bin/env python3
"""Every input that once broke the program, with the answer that is right.

    tests/tools/defects_test.py build/release/tools/rigor/rigor [FOLDER]

The files are not part of the tree: they lie in the folder `defects` where RIGOR_SHARED points, else in ../shared beside
the tree; without it the test is skipped (status 77). Each is given to its commands with 5 s of CPU time and 1 GB of
memory, as it is and, where it is refused for keys that have no effect or are not supported yet, without these. No
signal, no hang, no NaN that is called solved; and what the table below says beyond that.
"""
import json
import math
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


# --- motions and scenes by hand: each takes a function that calls the program with words before and after the file ---

G = 9.81


def total(contacts, axis, of=lambda contact: True):
    return sum(contact["force"][axis] for contact in contacts if of(contact))


def body(answer, name):
    return next(item for item in answer["bodies"] if item["name"] == name)


def react(call):
    """An arm of 10 N on a hinge 0.1 m above the floor, held by a ball at 1 m: friction t makes N = 5 - 0.1 t, |t| <= 0.3 N."""
    run = call("run")
    joint, foot = run["joints"][0]["force"], run["contacts"][0]["force"]
    return (near(foot[2], 5 - 0.1 * foot[0], 1e-6) and abs(foot[0]) <= 0.3 * foot[2] + 1e-6 and
            near(joint[2] + foot[2], 10, 1e-6) and near(joint[0] + foot[0], 0, 1e-6))


def drag(call):
    """A block of 2 kg that is drawn over the floor: 0.3 · 2 g."""
    run = call("run")
    return near(run["motions"][0]["force"], 0.6 * G, 1e-9) and near(run["joints"][0]["force"][2], G, 1e-9)


def box4(call):
    """The least friction of a box of 2 kg under a side force (3, 2) N: √13 / 2 g."""
    run, answer = call("run"), call("analyse")
    return (near(total(run["contacts"], 2), 2 * G, 1e-8) and near(total(run["contacts"], 0), -3, 1e-8) and
            near(total(run["contacts"], 1), -2, 1e-8) and near(answer["mu_min"], 13 ** 0.5 / (2 * G), 1e-7) and
            answer["all_sticking"] is True and answer["forces_unique"] is False and answer["acceleration_unique"] is True)


def cart2(call):
    """Springs of 10 N press two pads, which hold 7.5 N together."""
    run = call("run")
    return (all(near(c["force"][2], 10, 1e-9) and c["mode"] == "sticking" for c in run["contacts"]) and
            near(total(run["contacts"], 0), -7.5, 1e-8) and run["joints"][0]["q"] == [0])


def arch15(call):
    """Voussoirs of density 1: the floor carries the weight of their areas, and nothing moves."""
    scene, run = call("scene"), call("run")
    area = 0.0
    for item in scene["bodies"]:
        p = item["shapes"][0]["points"]
        area += 0.5 * abs(sum(p[i - 1][0] * p[i][1] - p[i][0] * p[i - 1][1] for i in range(len(p))))
    floor = total(run["contacts"], 2, lambda contact: contact["b"] == "world")
    return near(floor, area * G, 1e-6) and all(item["velocity"] == [0, 0, 0] for item in run["bodies"])


def keystone(call):
    """A wedge between walls that open downwards: it can be jammed from tan 10° on, and it can fall, as it does."""
    run, answer = call("run"), call("analyse")
    return (near(run["bodies"][0]["position"][2], -G * 1e-6 * 100 * 101 / 2, 1e-12) and run["contacts"] == [] and
            near(answer["mu_min"], 0.17632698070846498, 1e-7) and answer["rest"]["possible"] is True and
            answer["coulomb"]["acceleration_unique"] is False)


def halfring(call):
    """Two half rings lean on each other: thrust over weight is least from the inner foot to the top of the crown."""
    run, answer = call("run"), call("analyse")
    weight = 2 * 0.3455751918948772 * G
    return (near(total(run["contacts"], 2, lambda contact: contact["b"] == "world"), weight, 1e-8) and
            near(answer["mu_min"], (1.0 - 0.7022109004296956) / 1.2, 1e-6))


def stiff(call):
    """Two carts, a stiff damper and 20 cos t: the same by steps of 0.1 ms, friction that may not turn a velocity round."""
    one, two, h = 0.0, 0.0, 1e-4
    for step in range(100000):
        load = 20 * math.cos(step * h)
        a, b = 1 + 20 * h, -20 * h  # a · one + b · two = one + h load: linearly implicit in the damper
        first, second = one + h * load, two
        one, two = (a * first - b * second) / (a * a - b * b), (a * second - b * first) / (a * a - b * b)
        one, two = (math.copysign(max(abs(v) - h * 0.4 * G, 0.0), v) for v in (one, two))
    run = call("run")
    return near(body(run, "one")["velocity"][0], one, 0.6) and near(body(run, "two")["velocity"][0], two, 0.6)


def wedge(call):
    """One step of a ball in a groove: momentum, both cones, friction against the slip, from velocities and forces alone."""
    run, h, m, r, mu = call("run"), 0.01, 0.5, 0.1, 0.3
    v0, w0, ball = [0.02, 1, -0.1], [3, -2, 1], run["bodies"][0]
    force, moment = [0, 0, -m * G], [0, 0, 0]
    for contact in run["contacts"]:
        f, n = contact["force"], contact["normal"]
        arm = [-r * x for x in n]
        moment = [x + y for x, y in zip(moment, cross(arm, f))]
        force = [x + y for x, y in zip(force, f)]
        u = [x + y for x, y in zip(ball["velocity"], cross(ball["angular_velocity"], arm))]
        fn = dot(f, n)
        slip = dot(u, u) ** 0.5
        if not (fn > 0 and near(dot(u, n), 0, 1e-12)):
            return False
        if not all(near(f[i] - fn * n[i], -mu * fn * u[i] / slip, 1e-9) for i in range(3)):
            return False
    inertia = 0.4 * m * r * r
    return (all(near(m * (ball["velocity"][i] - v0[i]), h * force[i], 1e-12) for i in range(3)) and
            all(near(inertia * (ball["angular_velocity"][i] - w0[i]), h * moment[i], 1e-12) for i in range(3)))


def dominoes(call):
    run = call("run")
    return all(item["position"][2] < 0.02 for item in run["bodies"]) and energy_change(run) < 0


def energy_change(run):
    return run["energy"]["kinetic_change"] + run["energy"]["potential_change"]


def slider_crank(call):
    """The crank is driven: two turns from 0.5 rad, the slider lies 0.1 mm low on its rail."""
    x = 0.1 * math.cos(0.5) + math.sqrt(0.3 ** 2 - (0.1 * math.sin(0.5) + 1e-4) ** 2)
    return near(body(call("run"), "slider")["position"][0], x, 1e-7)


def gripper(call):
    """The fingers of 20 mm stay 60 mm apart, and the box does not creep."""
    run = call("run")
    left, right = body(run, "left")["position"], body(run, "right")["position"]
    return near(math.dist(left, right), 0.08, 1e-9) and run["certificate"]["sticking_drift"] < 1e-9


def car(call):
    """What it has of energy its motors gave: 60 N m along the turns of four wheels."""
    run = call("run")
    given = sum(60 * joint["q"][0] for joint in run["joints"] if joint["name"].startswith("wheel"))
    return 0 < energy_change(run) < given


def conveyor(call):
    """A parcel slides until the belt's 1 m/s are reached with 0.4 g: 1/(2 · 0.4 g) m behind."""
    return near(body(call("run"), "parcel")["position"][0], 2 - 1 / (0.8 * G), 1e-3)


def jenga(call):
    """Pulled with 0.05 m/s from 0.2 s on, whatever the others do."""
    run = call("run")
    return near(body(run, "b2_1")["position"][0], 0.05 * (run["time"] - 0.2), 2e-4)


def gears(call):
    """Three periods of a torque without mean, blows within the train: it ends at rest, the wheel within its play."""
    run = call("run")
    pinion, hub, wheel = (joint["q"][0] for joint in run["joints"])
    return near(run["energy"]["kinetic"], 0, 1e-6) and abs(wheel) <= 0.05 + 1e-9 and near(hub / pinion, -0.5, 1e-9)


def drawer(call):
    """Pulled with 20 N at 0.15 m beside the middle of 0.3 m: two corners bear 10 N each, and half of the pull is left."""
    begin, end = (call("run", "--set", f"run.until={t}")["bodies"][0]["velocity"][0] for t in (0.1, 0.16))
    return near((end - begin) / 0.06, 10 / 3, 0.07)


def turntable(call):
    box = body(call("run"), "box")["position"]
    return math.dist(box, [0.3 * math.cos(20), 0.3 * math.sin(20), 0.05]) < 1e-9


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


BY_HAND = {
    "audit/react.json": react, "audit/drag.json": drag, "audit/box4.json": box4, "audit/cart2.json": cart2,
    "audit/arch15.json": arch15, "audit/keystone.json": keystone, "audit/halfring1.2.json": halfring,
    "audit/stiff.json": stiff, "audit/wedge.json": wedge,
    "newcomer/01-dominoes.json": dominoes,
    "newcomer/02-double-pendulum-wall.json": lambda call: energy_change(call("run")) <= 0,
    "newcomer/04-slider-crank.json": slider_crank, "newcomer/05-arm-gripper.json": gripper,
    "newcomer/06-car-step.json": car, "newcomer/07-conveyor.json": conveyor, "newcomer/08-jenga.json": jenga,
    "newcomer/09-gears-backlash.json": gears, "newcomer/10-drawer.json": drawer, "newcomer/10b-drawer-tilted.json": drawer,
    "newcomer/11-turntable.json": turntable,
}


def is_as_by_hand(program, relative, file, folder):
    """Whether the answers about a file are those of its closed form; there is one for it."""
    def call(command, *words):
        if command == "scene":
            return json.loads(file.read_bytes())
        return json.loads(Call(program, [command, str(file), "--json", *words], folder, 60).out)

    return BY_HAND[relative](call)


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
    if not wrong and relative in BY_HAND and not is_as_by_hand(program, relative, file, folder):
        wrong.append("not what was worked out on paper")
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
