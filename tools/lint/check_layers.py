#!/usr/bin/env python3
"""Fails when a room of rigor/ uses one it may not see. The table is the architecture: see ARCHITECTURE.md.

usage: check_layers.py [ROOT]

Checks every #include below rigor/ and tools/, the DEPENDS of every room's CMakeLists.txt, and that
rigor/CMakeLists.txt, or for rooms in rooms that of the outer one, lists the rooms that exist, lowest first.
"""
import pathlib
import re
import sys

MAY_USE = {  # lowest first; a room that has rooms of its own is named for all of them
    "base": "",
    "math": "base",
    "solvers/problems": "base math",
    "solvers/lcp": "base math solvers/problems",
    "solvers/contact_lcp": "base math solvers/problems solvers/lcp",
    "solvers/conic": "base math",
    "solvers/cone": "base math solvers/problems solvers/lcp solvers/conic",
    "solvers/acceleration": "base math solvers/problems solvers/cone",
    "solvers/trials": "base math solvers/problems solvers/lcp",
    "solvers": "base math solvers",
    "collision": "base math",
    "model": "base math collision",
    "dynamics": "base math model",
    "contact": "base math solvers collision model dynamics",
    "stepping": "base math solvers collision model dynamics contact",
    "analysis": "base math solvers collision model dynamics contact stepping",
    "io": "base math solvers collision model dynamics contact stepping",
}
TARGETS = {room.split("/")[-1]: room for room in MAY_USE}  # CMake's rigor::lcp is solvers/lcp

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
errors = []


def complain(file, line, message):
    errors.append(f"{file.relative_to(root)}:{line}: {message}")


def lines_of(file):
    return enumerate(file.read_text(encoding="utf-8").splitlines(), 1)


def check_use(file, line, room, used, verb):
    """`room` uses the room `used`; `verb` says how."""
    allowed = MAY_USE[room].split()
    if used not in MAY_USE:
        complain(file, line, f"{used}/ is not a room; the rooms are {', '.join(MAY_USE)}")
    elif used != room and used not in allowed and used.split("/")[0] not in allowed:
        complain(file, line, f"{room}/ may not {verb} {used}/ (allowed: {MAY_USE[room] or 'nothing'})")


def check_sources(room):
    """Includes are written from the root, so that this check and a reader see the room in each."""
    for file in sorted((root / "rigor" / room).glob("*.[chi]pp")):
        for n, line in lines_of(file):
            quoted = re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)
            if not quoted:
                continue
            path = quoted[2].split("/")
            if path[0] in ("tools", "tests"):
                complain(file, n, f"{room}/ may not include {path[0]}/: the library stands without it")
            elif path[0] == "rigor" and len(path) > 2:
                check_use(file, n, room, "/".join(path[1:-1]), "include")
            elif quoted[1] == '"':
                complain(file, n, f'#include "{quoted[2]}": write our own headers as "rigor/<room>/<file>"')


def check_depends(room):
    file = root / "rigor" / room / "CMakeLists.txt"
    for n, line in lines_of(file):
        for used in re.findall(r"\brigor::(\w+)", line.split("#")[0]):
            check_use(file, n, room, TARGETS.get(used, used), "depend on")


def check_tools():
    for file in sorted((root / "tools").rglob("*.[chi]pp")):
        for n, line in lines_of(file):
            if re.match(r'\s*#\s*include\s*["<]tests/', line):
                complain(file, n, "tools/ may not include tests/")


def listed_rooms(listing, outer):
    """The rooms of one CMakeLists.txt and of those it lists, in CMake's order; `outer` is its own name."""
    for n, line in lines_of(listing):
        if added := re.match(r"\s*add_subdirectory\((\w+)\)", line):
            room = f"{outer}/{added[1]}".lstrip("/")
            inner = root / "rigor" / room / "CMakeLists.txt"
            if inner.is_file():
                yield from listed_rooms(inner, room)
            yield listing, n, room


def check_rooms():
    """The folders, CMake's lists and the table agree. Returns the rooms that exist."""
    listed = []
    for listing, n, room in listed_rooms(root / "rigor" / "CMakeLists.txt", ""):
        if room not in MAY_USE:
            complain(listing, n, f"{room}/ is not a room; the rooms are {', '.join(MAY_USE)}")
        elif any(low not in listed for low in MAY_USE[room].split() if low != room and (root / "rigor" / low).is_dir()):
            complain(listing, n, f"{room}/ comes before a room it may use; list the lowest first")
        listed.append(room)
    rigor = root / "rigor"
    folders = sorted(str(folder.relative_to(rigor)) for folder in rigor.rglob("*")
                     if folder.is_dir() and any(file.is_file() for file in folder.iterdir()))
    for folder in folders:
        if folder not in MAY_USE:
            errors.append(f"rigor/{folder}/ is not a room; the rooms are {', '.join(MAY_USE)}")
        elif folder not in listed:
            errors.append(f"rigor/{folder}/ is not listed in the CMakeLists.txt above it")
    for room in listed:
        if room not in folders:
            errors.append(f"{room}/ is listed in the CMakeLists.txt above it, and does not exist")
    return [room for room in folders if room in MAY_USE and room in listed]


for existing in check_rooms():
    check_sources(existing)
    check_depends(existing)
check_tools()

print("\n".join(errors) or "layers: ok")
sys.exit(bool(errors))
