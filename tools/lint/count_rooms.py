#!/usr/bin/env python3
"""Prints the tree of the rooms of rigor/ with the files and lines of each, for ARCHITECTURE.md.

usage: count_rooms.py [ROOT]

The order is that of the CMakeLists.txt files, lowest room first. Files are headers and sources, lines all of theirs;
those of a room that has rooms of its own are counted without them, the last row counts everything.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])


def list_rooms(folder):
    """The rooms that a folder's CMakeLists.txt adds, lowest first."""
    text = (folder / "CMakeLists.txt").read_text(encoding="utf-8")
    return [folder / name for name in re.findall(r"^\s*add_subdirectory\((\w+)\)", text, flags=re.MULTILINE)]


def count(files):
    return len(files), sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def print_room(folder, indent, branch):
    """The row of one room, and those of the rooms in it."""
    files = sorted(folder.glob("*.hpp")) + sorted(folder.glob("*.cpp"))
    print("{:<28}{:>6}{:>9}".format(indent + branch + folder.name + "/", *count(files)))
    inner = list_rooms(folder)
    indent += "│   " if branch == "├── " else "    "
    for room in inner:
        print_room(room, indent, "└── " if room == inner[-1] else "├── ")


print("{:<28}{:>6}{:>9}".format("room", "files", "lines"))
print("rigor/")
rooms = list_rooms(root / "rigor")
for top in rooms:
    print_room(top, "", "└── " if top == rooms[-1] else "├── ")
print("{:<28}{:>6}{:>9}".format("in all", *count(sorted((root / "rigor").rglob("*.[ch]pp")))))
