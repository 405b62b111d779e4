#!/usr/bin/env python3
"""Fails when the tree breaks a house rule (CONTRIBUTING.md): long files, long functions, open ends, untested
sources, dead links, long lines of prose.

usage: check_tree.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys

OPEN_END = "TO" + "DO"  # in two pieces, so that this file does not find itself
MAX_LINES = 600  # aim at 80-200, question 400
MAX_FUNCTION = 60  # from the first line of its head to its last brace
MAX_PROSE = 120  # characters of a line of Markdown

# Sources that have no x_test.cpp of their own, each with its reason. Or name the source in the
# first ten lines of the test that covers it.
UNTESTED = {}

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
errors = []


def list_files():
    """What is committed or about to be: everything that git does not ignore."""
    # safe.directory: we only list files, so it does not matter who owns the folder
    command = ["git", "-C", root, "-c", "safe.directory=*"]
    command += ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return [pathlib.PurePath(name) for name in names if name and (root / name).is_file()]


def read_lines(file):
    return (root / file).read_text(encoding="utf-8").splitlines()


def is_script(file):
    with open(root / file, "rb") as stream:
        return file.suffix == ".sh" or re.match(rb"#!.*\b(ba)?sh\b", stream.readline()) is not None


def check_length(file):
    if (length := len(read_lines(file))) > MAX_LINES:
        errors.append(f"{file}: {length} lines, at most {MAX_LINES}; split it")


def list_functions(file):
    """First and last line of every function of a formatted C++ file."""
    holder = re.compile(r"(template <.*> )?(namespace|extern|class|struct|union|enum)\b")
    heads = {}  # indentation: line number and text of the latest head there
    for n, line in enumerate(read_lines(file), 1):
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        # heads stand at the margin, or in a class; what else is indented belongs to the function around it
        if indent > 0 and not holder.match(heads.get(indent - 2, (0, ""))[1]):
            continue
        if text == "}" and not holder.match(heads[indent][1]):
            yield heads[indent][0], n
        elif text and not re.match(r"[{}#]|//", text):
            heads[indent] = (n, text)


def check_functions(file):
    for first, last in list_functions(file):
        if (length := last - first + 1) > MAX_FUNCTION:
            errors.append(f"{file}:{first}: the function has {length} lines, at most {MAX_FUNCTION}; tell it as steps")


def check_open_ends(file):
    for n, line in enumerate(read_lines(file), 1):
        if re.search(rf"\b({OPEN_END}|FIX" + r"ME)\b(?!\(?:? ?#\d)", line):
            errors.append(f"{file}:{n}: an open end without its issue; write {OPEN_END} #12, or do it now")


def check_tested(file):
    """rigor/<room>/x.cpp has tests/<room>/x_test.cpp, or a test that names it at its head."""
    room, name = file.parent.relative_to("rigor"), file.name
    if str(file) in UNTESTED or (root / "tests" / room / f"{file.stem}_test.cpp").is_file():
        return
    for test in (root / "tests" / room.parts[0]).rglob("*_test.cpp"):
        if any(re.search(rf"\b{re.escape(name)}\b", line) for line in read_lines(test)[:10]):
            return
    errors.append(f"{file}: no tests/{room}/{file.stem}_test.cpp, and no test in tests/{room.parts[0]}/ names {name} at its head")


def check_portable(file):
    """Results do not depend on the processor's libm: rigor/math/portable.hpp has its functions."""
    names = "a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(2|10|1p|b)?|pow|hypot|cbrt|erfc?|[lt]gamma|fma|fmod|remainder"
    for n, line in enumerate(read_lines(file), 1):
        if found := re.search(rf"std::({names})\b", line.split("//")[0]):
            errors.append(f"{file}:{n}: {found[0]} has other bits on other processors; use portable::{found[1]}")


def check_names(files):
    """No two headers of the library have one name: who says `ray.hpp` means one file."""
    seen = {}
    for file in sorted(files):
        if file.parts[0] == "rigor" and file.suffix == ".hpp" and seen.setdefault(file.name, file) != file:
            errors.append(f"{file}: {seen[file.name]} has the same name; give one of them another")


def check_links(file):
    """Relative links of a Markdown file lead to something."""
    text = re.sub(r"```.*?```", "", "\n".join(read_lines(file)), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.split("#")[0]
        if path and not re.match(r"[a-z]+:", path) and not (root / file.parent / path).exists():
            errors.append(f"{file}: the link to {target} leads nowhere")


def prose_lines(file):
    """Number and text of every line of a Markdown file that is prose: no code block, no table."""
    fence, before, in_block = "", "", False
    for n, line in enumerate(read_lines(file), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        # a block of code by indentation begins after an empty line
        in_block = line.startswith("    ") and (in_block or not before.strip())
        if not (fence or mark or in_block or line.lstrip().startswith("|")):
            yield n, line
        before = line


def check_prose(file):
    for n, line in prose_lines(file):
        words = re.sub(r"^\s*([-*+]|\d+[.)])\s", "", line).split()
        if len(line) > MAX_PROSE and len(words) > 1:  # one long link cannot be broken
            errors.append(f"{file}:{n}: {len(line)} characters, at most {MAX_PROSE}; wrap the line")


def check_script(file):
    parsed = subprocess.run(["bash", "-n", root / file], capture_output=True, text=True)
    if parsed.returncode != 0:
        errors.append(f"{file}: bash cannot read it: {parsed.stderr.strip()}")


check_names(list_files())
for path in list_files():
    if path.suffix in (".cpp", ".hpp", ".py", ".ts"):
        check_length(path)
    if path.parts[0] in ("rigor", "tools") and path.suffix in (".cpp", ".hpp"):
        check_functions(path)
    if path.suffix in (".cpp", ".hpp", ".py", ".ts", ".cmake", ".sh") or path.name == "CMakeLists.txt":
        check_open_ends(path)
    if path.parts[0] == "rigor" and path.suffix in (".cpp", ".hpp"):
        check_portable(path)
    if path.parts[0] == "rigor" and path.suffix == ".cpp":
        check_tested(path)
    if path.suffix == ".md":
        check_links(path)
        check_prose(path)
    if is_script(path):
        check_script(path)

print("\n".join(errors) or "tree: ok")
sys.exit(bool(errors))
