#!/usr/bin/env python3
"""Ctrl-C and SIGTERM end every command within a second, whatever it is doing.

    tests/tools/interrupt_test.py build/release/tools/rigor/rigor [TIMES] [SEED]

Each command below has work for more than its time. It is started TIMES times (2), the signal comes at a random moment
(SEED, 1), and from then on it may compute for a second; by the clock it may take longer, since others use the machine
too. Then nothing but whole files may be left: no temporary ones, and a recording must be readable.
"""
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

MEMORY = 6 << 30
CPU_SECONDS = 1.0  # after the signal
WALL_SECONDS = 8.0
TICKS = os.sysconf("SC_CLK_TCK")
LONG = ["--set", "run.until=100000"]

# Name, words, seconds that it computes for at least. Files are made by make_files().
COMMANDS = [
    ("check", ["check", "large.json"], 1.0),
    ("convert", ["convert", "large.json", "flat.json"], 0.5),
    ("run", ["run", "marbles", *LONG], 3.0),
    ("run -o recording", ["run", "crates", *LONG, "-o", "new.rec"], 3.0),
    ("run -o page", ["run", "crates", *LONG, "-o", "new.html"], 3.0),
    ("run of a step that does not end", ["run", "hard.json", "--set", "run.work=1e15"], 3.0),
    ("demo", ["demo", "pinch", *LONG], 3.0),
    ("compare", ["compare", "peiret-box", *LONG], 3.0),
    ("reproduce", ["reproduce"], 3.0),
    ("view", ["view", "peiret-box"], 3.0),
    ("view of a recording", ["view", "kept.rec"], 3.0),
    ("analyse", ["analyse", "kapla"], 3.0),
    ("analyse -o page", ["analyse", "anitescu-cannonball", "--set", "parameters.rows=12", "-o", "new.html"], 0.5),
    ("solve", ["solve", "dense.dat", "--solver", "lemke"], 0.5),
    ("solve cones", ["solve", "wall.json", "--work", "1e15", "--tolerance", "1e-17"], 3.0),
    ("solve --compare", ["solve", "dense.dat", "--compare"], 3.0),
    ("solve --classes", ["solve", "dense.dat", "--classes"], 1.0),
    ("replay --verify", ["replay", "--verify", "kept.rec"], 0.5),
    ("resume", ["resume", "unfinished.rec"], 1.0),
    ("export", ["export", "kept.rec", "kept.npz"], 0.02),
    ("generate", ["generate", "cannonball", "--rows", "200", "-o", "pile.json"], 0.15),
    ("bench truth", ["bench", "truth", "--count", "100000000"], 3.0),
]


def write_dense(path, n):
    """A random LCP of the text format: positive definite, and no method knows its answer beforehand."""
    chance = random.Random(n)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{n}\n0\n{n}\n{n}\n{n}\t{n}\n")
        for j in range(n):
            file.write(" ".join(f"{chance.gauss(0, 1) + (2.0 * n ** 0.5 if i == j else 0.0):.4f}" for i in range(n)) + "\n")
        file.write(" ".join(f"{chance.gauss(0, 1):.4f}" for _ in range(n)) + "\n")


def make_files(program, folder):
    def call(*words):
        subprocess.run([program, *words], cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    (folder / "large.json").write_text("""{"rigor": 1, "materials": [{"name": "m", "density": 1000}],
        "repeat": [{"for": [["i", 300], ["k", 300]], "bodies": [{"name": "b{i}_{k}", "pose": ["i", "k", 0],
        "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1], "material": "m"}]}]}]}""")
    # boxes that fall on each other and are asked for more digits than there are
    (folder / "hard.json").write_text("""{"rigor": 1, "materials": [{"name": "m", "density": 1000, "mu": 0.7}],
        "shapes": [{"type": "half-space", "material": "m"}],
        "repeat": [{"for": [["i", 9], ["k", 9]], "bodies": [{"name": "b{i}_{k}", "pose": ["0.09*i+0.03*mod(k,2)", 0, "0.05+0.0999*k"],
        "velocity": {"linear": ["0.3*mod(i*k,5)-0.6", "0.1*mod(i+k,3)", 0]},
        "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1], "material": "m"}]}]}],
        "run": {"dt": 0.01, "until": 100000, "tolerance": 1e-16, "on_unsolved": "accept"}}""")
    call("run", "crates", "--set", "run.until=5", "-o", "kept.rec")
    (folder / "hills.json").write_text((folder / "hard.json").read_text().replace("1e-16", "1e-8"))
    subprocess.run([program, "run", "hills.json", "--set", "run.until=0.03", "--contact-problem", "wall.json"], cwd=folder,
                   stdin=subprocess.DEVNULL, capture_output=True, check=False)
    write_dense(folder / "dense.dat", 1600)
    subprocess.run(["timeout", "-s", "INT", "3", program, "run", "crates", *LONG, "-o", "unfinished.rec", "--checkpoint", "0.1"],
                   cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def cpu_seconds(pid):
    """Of a running process, with its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def catches_signals(pid):
    caught = re.search(r"SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    return caught and int(caught[1], 16) >> (signal.SIGTERM - 1) & 1


def interrupt(program, words, folder, seconds, which):
    """What is wrong with how a command ended, "" where nothing is, None where it had ended before."""
    process = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    # until it has computed for so long: a busy machine changes nothing
    give_up = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < give_up:
        if catches_signals(process.pid) and (cpu_seconds(process.pid) >= seconds or words[0] == "view"):
            break
        time.sleep(0.002)
    if process.poll() is not None:
        process.stderr.close()
        return None
    before, start = cpu_seconds(process.pid), time.monotonic()
    process.send_signal(which)
    try:
        _, status, usage = wait(process.pid, start)
    except TimeoutError:
        process.kill()
        process.wait()
        return f"goes on for {WALL_SECONDS} s"
    process.returncode = os.waitstatus_to_exitcode(status)
    said = process.stderr.read().decode("utf-8", "replace")
    process.stderr.close()
    spent = usage.ru_utime + usage.ru_stime - before
    if spent > CPU_SECONDS + 2.0 / TICKS:
        return f"computed for {spent:.2f} s after the signal"
    if process.returncode < 0:
        return f"ended by signal {-process.returncode}"
    if process.returncode not in (0, 1):
        return f"status {process.returncode}: {said[-200:]}"
    if process.returncode == 1 and not said.strip():
        return "no word"
    return ""


def wait(pid, start):
    while time.monotonic() < start + WALL_SECONDS:
        ended = os.wait4(pid, os.WNOHANG)
        if ended[0] == pid:
            return ended
        time.sleep(0.002)
    raise TimeoutError


def look_at_files(program, folder, before):
    """What an interrupted command may leave: files of the names that it was given, and whole ones."""
    named = {"flat.json", "new.rec", "new.html", "kept.npz", "pile.json"} | {word for word in before}
    strange = sorted({path.name for path in folder.iterdir()} - named - {"unsolved.json", "rigor-pinch.json", "rigor-pinch.html"})
    if strange:
        return f"left {', '.join(strange)}"
    for recording in ("new.rec", "unfinished.rec"):
        if (folder / recording).exists():
            done = subprocess.run([program, "replay", recording], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if done.returncode not in (0, 1):
                return f"{recording} cannot be read: {done.stderr.decode()[-200:]}"
    return ""


def main():
    program = os.path.abspath(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    bad = tried = 0
    with tempfile.TemporaryDirectory(prefix="rigor-interrupt-") as name:
        folder = pathlib.Path(name)
        make_files(program, folder)
        before = {path.name for path in folder.iterdir()}
        for what, words, longest in COMMANDS:
            for _ in range(times):
                which = chance.choice([signal.SIGTERM, signal.SIGINT])
                seconds = chance.uniform(0.0, 0.9 * longest)
                wrong = interrupt(program, words, folder, seconds, which)
                if wrong is None:
                    wrong = f"had ended before {seconds:.2f} s: the test needs more work"
                wrong = wrong or look_at_files(program, folder, before)
                tried += 1
                if wrong:
                    bad += 1
                    print(f"{what}, {which.name} at {seconds:.2f} s: {wrong}")
    print(f"{tried} signals, {bad} with something wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
