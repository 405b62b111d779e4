#!/usr/bin/env python3
"""Mutates scenes, problem files and recordings, runs the program on each and judges what it says.

    tests/fuzz/campaign.py --program build/release/tools/rigor/rigor --scenes 1000 --problems 1000 --recordings 300

Deterministic by --seed: case number k of a kind is the same file whatever else runs. --nightly takes the day as the
seed and ten thousand cases of each kind. Every run has 5 s of CPU time and 1 GB of memory. Offenders are kept in
--keep, one file each, named after what is wrong and their number; the table at the end counts them. Status 1: there
were some. What is judged: judge.py; how files are changed: mutate.py.
"""
import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import judge
import mutate

CPU_SECONDS = 5
MEMORY = 1 << 30  # bytes of addresses
FILE = 1 << 28  # bytes of a file that is written
LONG_RUN, LITTLE_WORK = 100, 1e7  # steps, and run.work with which so many are taken: a few seconds at most
SHORT_RUN = 2  # steps, with all the work that a step may take
WALL_SECONDS = 60  # for a machine under load; what waits without computing is a hang as well


class Starts:
    """Calls of the program, each by a process that is started anew."""

    def __init__(self, program):
        self.program = program

    def call(self, words, folder):
        """Status, output and complaints of one call."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))

        try:
            done = subprocess.run([self.program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=WALL_SECONDS, preexec_fn=limit)
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            return -signal.SIGXCPU, b"", b"waits"


class Forks:
    """Calls of the program, each a copy of one that has been started and waits: fork_server.cpp, which says how it is
    spoken to."""

    def __init__(self, program, server):
        limits = f"{CPU_SECONDS} {MEMORY} {FILE} {WALL_SECONDS}"
        self.server = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "LD_PRELOAD": server, "RIGOR_FORK_LIMITS": limits})

    def call(self, words, folder):
        request = b"".join(os.fsencode(word) + b"\0" for word in (folder, *words))
        self.server.stdin.write(struct.pack("<I", len(request)) + request)
        self.server.stdin.flush()
        status, _, said, complained = struct.unpack("<idII", self.read(20))
        if status == -1:
            return -signal.SIGXCPU, b"", b"waits"
        return os.waitstatus_to_exitcode(status), self.read(said), self.read(complained)

    def close(self):
        self.server.stdin.close()  # which ends it
        self.server.wait()
        self.server.stdout.close()

    def read(self, size):
        data = self.server.stdout.read(size)
        if len(data) < size:
            raise RuntimeError(f"the fork server of {self.server.args[0]} has ended")
        return data


class Run:
    """How one call of the program ended."""

    def __init__(self, program, words, folder):
        self.words = words
        self.status, self.out, err = program.call(words, folder)
        self.err = err.decode("utf-8", "replace")

    def complaint(self):
        """What no input may do, or "" where it did none of it."""
        command = self.words[0]
        if self.status in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"{command}-hang"
        if self.status < 0:
            return f"{command}-signal-{-self.status}"
        if "out of memory" in self.err:
            return f"{command}-memory"
        if self.status not in (0, 1, 2):
            return f"{command}-status-{self.status}"
        if self.status != 0 and not self.err.strip() and not self.out.strip():
            return f"{command}-silent"
        if any(ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160 for c in self.err):
            return f"{command}-terminal-escape"
        return ""

    def json(self):
        return json.loads(self.out.decode("utf-8"))


def limit_run(text, number):
    """Words that bound a run: what is judged are steps, not how many were asked for. By turns many steps of little
    work, and few that may take what they want."""
    run = json.loads(text).get("run", {})
    dt, until = run.get("dt", 1e-3), run.get("until", 1.0)
    if not all(isinstance(x, (int, float)) for x in (dt, until)):
        return []
    steps = LONG_RUN if number % 2 == 0 else SHORT_RUN
    words = ["--set", f"run.until={steps * dt!r}"] if until > steps * dt else []
    if number % 2 == 0 and "work" not in run and run.get("method", "semi-implicit") == "semi-implicit":
        words += ["--set", f"run.work={LITTLE_WORK!r}"]
    return words


def try_scene(program, seed, number, folder, seeds):
    """The complaint about one mutated scene, or "", and its bytes."""
    text = mutate.mutate_scene(seeds, random.Random(f"scene {seed} {number}"))
    (folder / "scene.json").write_bytes(text)
    check = Run(program, ["check", "scene.json", "--json"], folder)
    if check.complaint() or check.status != 0:
        return check.complaint(), text, check.status
    run = Run(program, ["run", "scene.json", "--json", "--unsolved", "unsolved.json", *limit_run(text, number)], folder)
    complaint = run.complaint()
    if not complaint and run.status == 2:
        complaint = "check-accepts-what-run-refuses"
    if not complaint and run.status == 0:
        complaint = judge.judge_run(json.loads(text), run.json())
    return complaint, text, run.status


def try_problem(program, seed, number, folder, seeds):
    name, data = mutate.mutate_problem(seeds, random.Random(f"problem {seed} {number}"))
    (folder / name).write_bytes(data)
    run = Run(program, ["solve", name, "--json"], folder)
    complaint = run.complaint()
    if not complaint and run.status == 0:
        complaint = judge.judge_solution(name, data, run.json())
    return complaint, data, run.status


def try_recording(program, seed, number, folder, seeds):
    data = mutate.mutate_recording(seeds, random.Random(f"recording {seed} {number}"))
    complaint, status = "", 0
    for words in (["replay", "a.rec", "--json"], ["resume", "a.rec", "--json"], ["export", "a.rec", "a.npz"]):
        (folder / "a.rec").write_bytes(data)  # resuming writes to it
        run = Run(program, words, folder)
        complaint, status = complaint or run.complaint(), max(status, run.status)
        if not complaint and run.status == 0 and words[0] == "resume":
            complaint = judge.judge_resumed(run.out)
    return complaint, data, status


KINDS = {"scenes": try_scene, "problems": try_problem, "recordings": try_recording}


def ending_of(kind, data):
    """As the program wants it: problems are told apart by it."""
    if kind == "recordings":
        return ".rec"
    return ".hdf5" if b"HDF" in data[:8] else ".json" if kind == "scenes" or data.startswith(b"{") else ".dat"


def set_worker(seeds, program, server):
    """In every worker, once: what cases are made of, and what they are given to."""
    global SEEDS, PROGRAM
    SEEDS = seeds
    PROGRAM = Forks(program, server) if server else Starts(program)


def try_one(case):
    kind, seed, number, keep = case
    in_memory = "/dev/shm"  # files there cost a tenth
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rigor-campaign-", dir=in_memory if os.path.isdir(in_memory) else None))
    try:
        complaint, data, status = KINDS[kind](PROGRAM, seed, number, folder, SEEDS[kind])
        if complaint and keep:
            (pathlib.Path(keep) / f"{complaint}-{number}{ending_of(kind, data)}").write_bytes(data)
        return kind, complaint, status
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/release/tools/rigor/rigor")
    parser.add_argument("--fork-server", metavar="LIBRARY", help="build/release/tests/libfork_server.so: forks the program "
                        "for every call, ten times as fast as a start; the same judges")
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each kind")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for offenders")
    parser.add_argument("--more", help="folder of scenes to change besides those of scenes/")
    parser.add_argument("--nightly", action="store_true", help="10000 of each kind, the day as the seed")
    words = parser.parse_args()
    if words.nightly:
        words.seed = int(datetime.date.today().strftime("%Y%m%d"))
        for kind in KINDS:
            setattr(words, kind, getattr(words, kind) or 10000)
    return words


def main():
    words = parse_arguments()
    program = os.path.abspath(words.program)
    if words.keep:
        os.makedirs(words.keep, exist_ok=True)
    seeds = mutate.make_seeds(program, pathlib.Path(__file__).resolve().parents[2], words.more)
    server = os.path.abspath(words.fork_server) if words.fork_server else ""
    if server and not os.path.isfile(server):
        sys.exit(f"campaign.py: {server} is not there; build fork_server, or call without --fork-server")
    cases = [(kind, words.seed, words.first + number, words.keep)
             for kind in KINDS for number in range(getattr(words, kind))]
    complaints, statuses = collections.Counter(), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(words.jobs, initializer=set_worker, initargs=(seeds, program, server)) as pool:
        for kind, complaint, status in pool.map(try_one, cases, chunksize=16):
            complaints[kind, complaint] += 1
            statuses[kind, status] += 1
    print(f"seed {words.seed}")
    for kind in KINDS:
        total = getattr(words, kind)
        answers = ", ".join(f"{statuses[k, s]} with status {s}" for k, s in sorted(statuses) if k == kind)
        if total:
            print(f"{kind:<12} {total:>7}  {answers}")
        for (k, complaint), count in sorted(complaints.items()):
            if k == kind and complaint:
                print(f"  {complaint:<40} {count:>7}")
    bad = sum(count for (_, complaint), count in complaints.items() if complaint)
    print("no offender" if bad == 0 else f"{bad} offenders{f', kept in {words.keep}' if words.keep else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
