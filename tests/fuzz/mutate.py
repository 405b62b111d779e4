"""How the campaign changes files: everything from a random.Random, so that a case is its seed and number."""
import copy
import json
import pathlib
import struct
import subprocess
import tempfile
import zlib

EXTREMES = [0, -0.0, -1, 1, 0.5, 2, 3, 7, 1e-9, 1e-300, 1e-160, 1e-15, 1e9, 1e15, 1e160, 1e300, -1e300, 1.7976931348623157e308,
            5e-324, 1e6, -1e6, 1e-6, 100, 1000, 1e12, 3.141592653589793, 4294967296, 2147483647, -2147483648]
WORDS = ["", "world", "x", "0", "1/0", "t", "sin(t)", "1e400", "b{0}", "{", "\u001b[31m", "\u202eabc", "free", "fixed",
         "revolute", "prismatic", "ball", "universal", "planar", "screw", "cone", "phantom", "box", "stewart-trinkle",
         "anitescu-potra", "convex", "hybrid", "lemke", "accept", "halve", "half-space", "sphere", "hull", "mesh", "point"]


# --- trees of JSON ---

def list_places(value, places):
    """Every (container, key) of a tree."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        places.append((value, key))
        list_places(value[key], places)
    return places


def change_number(number, random):
    choice = random.randrange(6)
    if choice < 3:
        return random.choice(EXTREMES)
    if choice == 3:
        return number * 10.0 ** random.randint(-12, 12)
    return -number if choice == 4 else number + random.gauss(0.0, 1.0)


def other_value(random):
    return random.choice([None, True, False, [], {}, [0], [1, 2, 3], [1e300] * 3, 0, -1, random.choice(WORDS),
                          random.choice(EXTREMES), [[0, 0, 1]] * 4])


def change_tree(root, random):
    """One change somewhere: a value, a type, a key that goes, comes or moves, a list that grows."""
    places = list_places(root, [])
    if not places:
        return
    container, key = random.choice(places)
    value = container[key]
    choice = random.randrange(10)
    if choice < 4 and isinstance(value, (int, float)) and not isinstance(value, bool):
        container[key] = change_number(value, random)
    elif choice < 5 and isinstance(value, str):
        container[key] = random.choice(WORDS)
    elif choice < 6:
        del container[key]
    elif choice < 7:
        container[key] = other_value(random)
    elif choice < 8:
        other, place = random.choice(places)
        try:
            container[key] = copy.deepcopy(other[place])
        except (KeyError, IndexError):
            pass
    elif choice < 9 and isinstance(value, list) and value:
        container[key] = value + [copy.deepcopy(random.choice(value)) for _ in range(random.choice([1, 1, 2, 30]))]
    elif isinstance(container, dict) and isinstance(value, (int, float)) and not isinstance(value, bool):
        container[key] = change_number(value, random)


def to_bytes(root):
    # numbers beyond the doubles are written, too
    return json.dumps(root, ensure_ascii=False).replace("Infinity", "1e999").replace("NaN", "nan").encode("utf-8", "surrogatepass")


def change_bytes(data, random):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 8])):
        at, length = random.randrange(len(data)), random.randrange(1, 60)
        choice = random.randrange(6)
        if choice == 0:
            data[at] ^= 1 << random.randrange(8)
        elif choice == 1:
            data[at:at + length] = b""
        elif choice == 2:
            data[at:at] = data[at:at + length]
        elif choice == 3:
            data[at:at + 8] = struct.pack("<Q", random.choice([0, 1, 255, 2**31, 2**32 - 1, 2**63, 2**64 - 1]))
        elif choice == 4:
            data[at:at + 8] = struct.pack("<d", random.choice(EXTREMES + [float("nan"), float("inf")]))
        else:
            data[at] = random.randrange(256)
        if not data:
            return b"\0"
    return bytes(data)


# --- scenes ---

def mutate_scene(seeds, random):
    root = json.loads(random.choice(seeds))
    for _ in range(random.choice([1, 1, 1, 2, 3, 5])):
        change_tree(root, random)
    return change_bytes(to_bytes(root), random) if random.random() < 0.02 else to_bytes(root)


# --- problems ---

def random_matrix(random, n):
    values = [[random.choice([0, 0, 1, -1, 2, random.gauss(0, 1), random.choice(EXTREMES)]) if random.random() < 0.3
               else random.gauss(0, 1) for _ in range(n)] for _ in range(n)]
    if random.random() < 0.5:  # M Mᵀ, at times of less than full rank
        rank = random.randint(1, n)
        values = [[sum(values[i][k] * values[j][k] for k in range(rank)) for j in range(n)] for i in range(n)]
    return values


def make_problem(random):
    n = random.randint(1, 8)
    matrix, q = random_matrix(random, n), [random.choice([random.gauss(0, 1), 0, -1, 1]) for _ in range(n)]
    kind = random.choice(["lcp", "lcp", "mlcp", "boxed-lcp", "cone"])
    if kind == "lcp":
        return {"rigor_problem": 1, "kind": kind, "M": matrix, "q": q}
    if kind == "mlcp":
        return {"rigor_problem": 1, "kind": kind, "free": random.randint(0, n), "K": matrix, "q": q}
    if kind == "boxed-lcp":
        return {"rigor_problem": 1, "kind": kind, "M": matrix, "q": q, "lo": [random.choice([None, 0, -1]) for _ in q],
                "hi": [random.choice([None, 0, 1, 5]) for _ in q]}
    sizes = []
    while sum(sizes) < n:
        sizes.append(min(random.randint(1, 3), n - sum(sizes)))
    symmetric = [[matrix[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    return {"rigor_problem": 1, "kind": kind, "W": symmetric, "q": q, "sizes": sizes,
            "mu": [random.choice([0, 0.3, 0.7, 2]) for _ in sizes]}


def to_text(problem):
    """An LCP in the text format."""
    n = len(problem["q"])
    columns = "\n".join(" ".join(repr(float(problem["M"][i][j])) for i in range(n)) for j in range(n))
    return f"{n}\n0\n{n}\n{n}\n{n} {n}\n{columns}\n{' '.join(repr(float(x)) for x in problem['q'])}\n".encode()


def mutate_problem(seeds, random):
    choice = random.randrange(20)
    if choice == 0 and seeds["hdf5"]:
        return "a.hdf5", change_bytes(seeds["hdf5"], random)
    problem = make_problem(random)
    if choice < 3 and problem["kind"] == "lcp":
        data = to_text(problem)
        return "a.dat", change_bytes(data, random) if random.random() < 0.5 else data
    if choice < 12:
        for _ in range(random.choice([1, 1, 2])):
            change_tree(problem, random)
    return "a.json", to_bytes(problem)


# --- recordings ---

def mend(data):
    """The same recording with right checksums, as far as its frames can be told."""
    if len(data) < 16:
        return data
    size = struct.unpack_from("<I", data, 12)[0]
    end = 16 + size
    if end + 4 > len(data):
        return data
    chain = zlib.crc32(data[:end])
    out = data[:end] + struct.pack("<I", chain)
    at = end + 4
    while at + 16 <= len(data):
        size = struct.unpack_from("<I", data, at + 12)[0]
        frame = data[at:at + 16 + size]
        if len(frame) < 16 + size:
            break
        chain = zlib.crc32(frame, chain)
        out += frame + struct.pack("<I", chain)
        at += 16 + size + 4
    return out + data[at:]


def mutate_recording(seeds, random):
    data = random.choice(seeds)
    if random.random() < 0.2:
        return change_bytes(data, random)
    # forged: bytes behind the header change, or the header's text, under sums that are right
    data = bytearray(data)
    header = 16 + struct.unpack_from("<I", data, 12)[0]
    for _ in range(random.choice([1, 1, 2, 5])):
        at = random.randrange(header + 20, len(data)) if random.random() < 0.85 else random.randrange(16, header)
        choice = random.randrange(4)
        if choice == 0:
            data[at] = random.randrange(256)
        elif choice == 1:
            data[at:at + 4] = struct.pack("<i", random.choice([0, 1, -1, 3, 4, 100, 2**31 - 1, -2**31, 40000000]))[:len(data) - at]
        elif choice == 2:
            data[at:at + 8] = struct.pack("<d", random.choice(EXTREMES + [float("nan"), float("inf")]))[:len(data) - at]
        else:
            data[at] ^= 1 << random.randrange(8)
    return mend(bytes(data))


# --- what is changed ---

def make_seeds(program, root, more):
    """Small runs of the scenes of scenes/, a problem in HDF5 where the program has it, recordings with checkpoints."""
    scenes, recordings, hdf5 = [], [], b""
    with tempfile.TemporaryDirectory(prefix="rigor-campaign-") as folder:
        def call(*words):
            return subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=120)

        files = sorted((root / "scenes").glob("*.json")) + sorted(pathlib.Path(more).resolve().glob("*.json") if more else [])
        for file in files:
            done = call("convert", str(file), "-")
            if done.returncode != 0:
                continue
            scene = json.loads(done.stdout)
            if len(scene.get("bodies", [])) > 40:
                continue
            run = scene.setdefault("run", {})
            run["until"] = min(run.get("until", 1.0), 20 * run.get("dt", 0.001))
            scenes.append(json.dumps(scene))
        for name in ("peiret-box", "four-bar", "crates"):
            call("run", name, "--set", "run.until=0.02", "--every", "0.002", "--checkpoint", "0.004", "-o", "a.rec")
            data = (pathlib.Path(folder) / "a.rec").read_bytes()
            recordings += [data, cut_last(data)]
        problem = {"rigor_problem": 1, "kind": "cone", "W": [[2, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], "q": [-1, 0.3, 0.1],
                   "sizes": [3], "mu": [0.5]}
        (pathlib.Path(folder) / "a.json").write_text(json.dumps(problem))
        if call("solve", "a.json", "-o", "a.hdf5").returncode == 0:
            hdf5 = (pathlib.Path(folder) / "a.hdf5").read_bytes()
    return {"scenes": scenes, "problems": {"hdf5": hdf5}, "recordings": recordings}


def cut_last(data):
    """Without its end, so that there is something to resume."""
    return data[:-40]
