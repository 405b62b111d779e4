"""What the campaign holds against an answer with status 0. Shares no code with the program; problems are judged by
exact rational arithmetic on the numbers of the file."""
import json
import math
from fractions import Fraction

TOLERANCE = 1e-9  # of problems, as `rigor solve` has it by default, and of steps as scenes have it
SLACK = 1e-6  # an answer is wrong where its exact residual is beyond the tolerance by more than this, relative
MADE = 0.01  # of all energy that a closed system had or moved: more may not be made in a run


def find_null(value, path=""):
    """The path of the first number that is none, "" where there is none: JSON has null for what is not finite."""
    if value is None:
        return path or "root"
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found = find_null(item, f"{path}.{key}" if path else str(key))
        if found:
            return found
    return ""


def has_key(value, keys):
    """Whether one of the keys is anywhere in a tree and has something: `repeat` makes parts of its own."""
    if isinstance(value, dict):
        return any(key in keys and item or has_key(item, keys) for key, item in value.items())
    return isinstance(value, list) and any(has_key(item, keys) for item in value)


def is_closed(scene):
    """Whether nothing drives it: no motor, motion, force or speed, nothing that is stretched at the start."""
    return not has_key(scene, ("motors", "motions", "forces", "springs", "gears", "speed", "stiffness", "friction_stiffness"))


def judge_run(scene, answer):
    for part in ("bodies", "joints", "energy", "certificate"):
        if found := find_null(answer.get(part, [])):
            return f"run-null-{part}-{found.split('.')[-1]}" if part in ("energy", "certificate") else f"run-null-{part}"
    certificate, energy = answer["certificate"], answer["energy"]
    run = scene.get("run", {})
    taken_anyway = certificate["unsolved_steps"] + certificate["rounding_steps"]
    tolerance = run.get("tolerance", 1e-10)
    if taken_anyway == 0 and isinstance(tolerance, (int, float)) and certificate["worst_residual"] > 1.001 * tolerance:
        return "run-residual-above-tolerance"
    # where shapes overlap at the start, taking them apart lifts something
    is_apart = certificate["worst_penetration"] <= 1e-6
    # what a loose tolerance lets through is taken apart afterwards
    is_tight = isinstance(tolerance, (int, float)) and tolerance <= 1e-6
    is_judged = run.get("method", "semi-implicit") == "semi-implicit" and taken_anyway == 0 and is_apart and is_tight
    if is_judged and is_closed(scene):
        made = energy["kinetic_change"] + energy["potential_change"]
        moved = abs(energy["kinetic"]) + abs(energy["kinetic"] - energy["kinetic_change"]) + abs(energy["potential_change"])
        # heights are kept to 1e-12 m: what overlaps by more is pushed out, which lifts; and those of 1e20 m have no digits
        # left for what a step changes
        rounding = 1e-11 * abs(energy["potential"])
        if made > MADE * moved + rounding and made > 1e-9:
            return "run-energy-made"
    return ""


def judge_resumed(out):
    """A resumed run says nothing, or where it ended, in finite numbers."""
    if not out.strip():
        return ""
    answer = json.loads(out.decode("utf-8"))
    return "resume-null" if find_null([answer.get("bodies", []), answer.get("certificate", {})]) else ""


# --- problems ---

def read_matrix(value):
    """Rows of fractions, from a list of rows or sparse entries."""
    if isinstance(value, dict):
        rows = [[Fraction(0)] * int(value["columns"]) for _ in range(int(value["rows"]))]
        for i, j, x in zip(value["row"], value["column"], value["value"]):
            rows[int(i)][int(j)] += Fraction(x)
        return rows
    return [[Fraction(x) for x in row] for row in value]


def read_text_lcp(data):
    """An LCP of the dense text format as {"kind", "M", "q"}, None where it is another."""
    words = data.decode("latin1").split()
    n = int(float(words[0]))
    if int(float(words[1])) != 0 or len(words) < 6 + n * n + n:
        return None
    numbers = [float(word) for word in words[6:6 + n * n + n]]
    return {"kind": "lcp", "M": [[numbers[j * n + i] for j in range(n)] for i in range(n)], "q": numbers[n * n:]}


def natural_residual(problem, z):
    """The largest |z − P(z − w)| over the rows, exactly; None for kinds that are not judged here."""
    kind = problem["kind"]
    matrix = read_matrix(problem["K" if kind == "mlcp" else "M"])
    q = [Fraction(x) for x in problem["q"]]
    w = [sum((a * b for a, b in zip(row, z)), Fraction(0)) + b for row, b in zip(matrix, q)]
    if kind == "lcp":
        return max((abs(min(a, b)) for a, b in zip(z, w)), default=Fraction(0))
    if kind == "mlcp":
        free = int(problem["free"])
        return max([abs(x) for x in w[:free]] + [abs(min(a, b)) for a, b in zip(z[free:], w[free:])], default=Fraction(0))
    if kind == "boxed-lcp" and not problem.get("scaled_by"):
        worst = Fraction(0)
        for a, b, lo, hi in zip(z, w, problem.get("lo") or [None] * len(z), problem.get("hi") or [None] * len(z)):
            point = a - b
            if lo is not None:
                point = max(point, Fraction(lo))
            if hi is not None:
                point = min(point, Fraction(hi))
            worst = max(worst, abs(a - point))
        return worst
    return None


def judge_solution(name, data, answer):
    if answer.get("status") == "infeasible":
        return ""  # the program's own checker has accepted a proof; status 0 claims no z
    if find_null(answer.get("z", [])) or find_null([answer.get("residual")]):
        return "solve-null"
    if name.endswith(".hdf5"):
        return ""
    problem = read_text_lcp(data) if name.endswith(".dat") else json.loads(data)
    if not problem or problem.get("kind") not in ("lcp", "mlcp", "boxed-lcp"):
        return ""
    z = [Fraction(x) for x in answer["z"]]
    if len(z) != len(problem["q"]):
        return "solve-length"
    residual = natural_residual(problem, z)
    if residual is None:
        return ""
    scale = max([1.0] + [abs(float(x)) for x in problem["q"] if math.isfinite(float(x))])
    if float(residual) > (1 + SLACK) * max(TOLERANCE * scale, 1.001 * answer["residual"]):
        return "solve-wrong"
    return "solve-residual-above-tolerance" if answer["residual"] > 1.001 * TOLERANCE * scale else ""
