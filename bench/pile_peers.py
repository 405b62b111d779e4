#!/usr/bin/env python3
"""Runs several engines on the same piles of spheres or boxes, interleaved, and judges all by one residual.

  bench/pile_peers.py BUILD [--modules NODE_MODULES] [--spheres 1000,4000 | --motion heap,pour] [--rounds 3]
                      [--limit 600] [--only NAME,...] [--folder DIR] [--json FILE]

BUILD is a build folder with the target pile_peers. PhysX needs physx-js-webidl in NODE_MODULES. The scene is made
here, once, and handed to all as a file. Spheres of radius 0.05 m, density 1000 kg/m3 and mu 0.5 fall from a lattice
of 0.12 m, jittered, into a box; h = 5 ms, 2 s. Times are CPU time, the least over the rounds of the median over the
steps; residuals those of the steps that end at 0.5, 1, 1.5 and 2 s, judged by pile_judge. A row that has used up its
limit of CPU time stops where it is and is not run again.

With --motion scenes in which nothing rests: a heap of 200 boxes that falls, 1000 spheres poured into a bin, as in
tests/support/moving_scenes.hpp, h = 1/240 s, 2 s, judged ten times.
"""
import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

# A row each: name, and the command line after the scene and the record. Further settings of Rigor: add a row.
ENGINES = [
    ("rigor 15 sweeps", "rigor_pile_peer", ["tolerance=1e-2", "max_iterations=15", "overlap=5e-5"]),
    ("rigor 50 sweeps", "rigor_pile_peer", ["tolerance=1e-3", "max_iterations=50", "overlap=1e-5"]),
    ("rigor 0.1", "rigor_pile_peer", ["tolerance=0.1"]),
    ("rigor 1e-2", "rigor_pile_peer", ["tolerance=1e-2"]),
    ("ode quick-20", "ode_pile_peer", ["20"]),
    ("physx tgs-4", "physx_pile_peer.mjs", ["tgs", "4"]),
]
MOTION = [
    ("rigor 15 iterations", "rigor_pile_peer", ["tolerance=1e-2", "max_iterations=15", "overlap=1e-4"]),
    ("rigor 1e-2", "rigor_pile_peer", ["tolerance=1e-2", "overlap=1e-4"]),
    ("rigor 1e-4", "rigor_pile_peer", ["tolerance=1e-4", "overlap=1e-4"]),
    ("bullet 10", "bullet_pile_peer", ["10"]),
    ("bullet 200", "bullet_pile_peer", ["200"]),
    ("physx tgs-4", "physx_pile_peer.mjs", ["tgs", "4"]),
    ("physx tgs-50", "physx_pile_peer.mjs", ["tgs", "50"]),
]
RADIUS, PITCH, JITTER, DENSITY, MU, STEP, STEPS = 0.05, 0.12, 0.008, 1000.0, 0.5, 0.005, 400
HERE = pathlib.Path(__file__).resolve().parent


def write_scene(count, limit, file):
    """A lattice about as high as wide; the same numbers for the same count."""
    side = max(1, round(count ** (1 / 3)))
    half = side * PITCH / 2
    dice = random.Random(1)
    lines = ["rigor_pile 1", f"h {STEP}", f"steps {STEPS}", f"mu {MU}", "gravity 0 0 -9.81", "frames 10", f"limit {limit}",
             "judged " + " ".join(str(STEPS * k // 4) for k in (1, 2, 3, 4)), "plane 0 0 1 0"]
    lines += [f"plane {n} {-half}" for n in ("1 0 0", "-1 0 0", "0 1 0", "0 -1 0")]
    mass = DENSITY * 4 / 3 * math.pi * RADIUS ** 3
    for i in range(count):
        at = (-half + PITCH / 2 + PITCH * (i % side), -half + PITCH / 2 + PITCH * (i // side % side),
              0.1 + PITCH * (i // side ** 2))
        place = " ".join(repr(x + dice.uniform(-JITTER, JITTER)) for x in at)
        lines.append(f"sphere {mass!r} {RADIUS} {place} 0 0 0 0 0 0")
    file.write_text("\n".join(lines) + "\n")
    return STEPS


def turn_at_random(dice):
    q = [dice.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q]


def write_motion(name, limit, file):
    """The heap of boxes, or the spheres poured."""
    steps, dice = 480, random.Random({"heap": 200, "pour": 3}[name])
    lines = ["rigor_pile 1", f"h {1 / 240!r}", f"steps {steps}", f"mu {MU}", "gravity 0 0 -9.81", "frames 10", f"limit {limit}",
             "judged " + " ".join(str(k) for k in range(70, steps, 45)), "plane 0 0 1 0"]
    if name == "heap":
        side = 5
        for i in range(200):
            size = [dice.uniform(0.12, 0.24) for _ in range(3)]
            place = [0.34 * k + dice.uniform(-0.02, 0.02) for k in (i % side, i // side % side, i // side ** 2)]
            place[2] += 0.25
            words = [DENSITY * math.prod(size), *size, *place, *[0.0] * 6, *turn_at_random(dice)]
            lines.append("box " + " ".join(map(repr, words)))
    else:
        lines += [f"plane {n} -0.75" for n in ("1 0 0", "-1 0 0", "0 1 0", "0 -1 0")]
        mass = DENSITY * 4 / 3 * math.pi * RADIUS ** 3
        for i in range(1000):
            place = [0.11 * k + dice.uniform(-0.004, 0.004) for k in (i % 4 - 1.5, i // 4 % 4 - 1.5, i // 16)]
            place[2] += 0.3
            lines.append("sphere " + " ".join(map(repr, [mass, RADIUS, *place, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0])))
    file.write_text("\n".join(lines) + "\n")
    return steps


def find_command(program, build, modules):
    """The command before scene and record; None and why where the engine is not here."""
    if program.endswith(".mjs"):
        if not modules or not (modules / "physx-js-webidl").is_dir():
            return None, "physx-js-webidl is not in --modules"
        return ["node", str(HERE / program), str(modules)], ""
    path = build / "bench" / program
    return ([str(path)], "") if path.is_file() else (None, f"{path} is not built")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: ended with {done.returncode}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(pile, engines, args, folder):
    """One dictionary a row: what the engine and the judge said. The first round is judged: the others are the same."""
    scene = folder / f"pile_{pile}.txt"
    steps = write_motion(pile, args.limit, scene) if args.motion else write_scene(int(pile), args.limit, scene)
    rows = {}
    for turn in range(args.rounds):
        for name, command, settings in engines:
            if name in rows and rows[name]["steps"] < steps:
                continue
            record = folder / f"record_{name.replace(' ', '_')}_{pile}.txt"
            print(f"{pile}, round {turn + 1} of {args.rounds}: {name}", file=sys.stderr, flush=True)
            said = run([*command, str(scene), str(record), *settings])
            row = rows.setdefault(name, {"name": name, "pile": pile, "all_steps": steps, **said})
            for key in ("us_median", "us_last_quarter"):
                row[key] = min(row[key], said[key])
            if turn == 0:
                row.update(run([str(args.build / "bench" / "pile_judge"), str(record), "--json"]))
            if not args.folder:
                record.unlink()
    return list(rows.values())


def print_table(rows):
    print("| pile | engine | ms/step | last quarter | penetration, m | at the end | residual, m/s: worst | median "
          "| relative: worst | median | approach, m/s |")
    print("| --- | --- |" + " ---: |" * 9)
    for row in rows:
        is_whole = row["steps"] == row["all_steps"]
        has_frames = row["worst_penetration"] > 0
        deepest = row["worst_penetration"] if has_frames else max((j["penetration"] for j in row["judged"]), default=0)

        def of(key, how):
            return f"{how(step[key] for step in row['judged']):.1e}" if row["judged"] else ""
        cells = [f"{row['us_median'] / 1e3:.1f}", f"{row['us_last_quarter'] / 1e3:.1f}" if is_whole else "",
                 f"{deepest:.1e}", f"{row['last_penetration']:.1e}" if is_whole and has_frames else "",
                 of("residual", max), of("residual", statistics.median),
                 of("relative", max), of("relative", statistics.median), of("approach", max)]
        name = row["name"] if is_whole else f"{row['name']}, stopped after {row['steps']} steps"
        print(f"| {row['pile']} | {name} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder, for instance build/release")
    parser.add_argument("--modules", type=pathlib.Path, help="folder node_modules with physx-js-webidl")
    parser.add_argument("--spheres", default="1000,4000", help="how many, a pile each")
    parser.add_argument("--motion", default="", help="heap, pour, or both, in place of piles")
    parser.add_argument("--rounds", type=int, default=3, help="times are the least over them")
    parser.add_argument("--limit", type=float, default=600.0, help="CPU time of a run, s")
    parser.add_argument("--only", default="", help="names of the rows to run, separated by commas")
    parser.add_argument("--folder", type=pathlib.Path, help="keeps scenes and records there")
    parser.add_argument("--json", type=pathlib.Path, help="writes all that was measured there")
    args = parser.parse_args()
    wanted = [name.strip() for name in args.only.split(",") if name.strip()]
    rows_known = MOTION if args.motion else ENGINES
    names = [name for name, _, _ in rows_known]
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"--only {', '.join(unknown)}: not known; the rows are {', '.join(names)}")

    engines = []
    for name, program, settings in rows_known:
        if wanted and name not in wanted:
            continue
        command, why = find_command(program, args.build, args.modules)
        if command:
            engines.append((name, command, settings))
        else:
            print(f"{name}: left out, {why}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        for pile in (args.motion or args.spheres).split(","):
            rows += measure(pile.strip(), engines, args, folder)
    print_table(rows)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
