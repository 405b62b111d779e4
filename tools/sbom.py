#!/usr/bin/env python3
"""Prints the bill of materials of this build as CycloneDX 1.5 JSON: the Debian packages of tools/setup.sh, with the
versions that are installed, and the packages of the replay page, with those of viewer/package-lock.json.

usage: tools/sbom.py [run|test] > rigor.cdx.json
"""
import base64
import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
job = sys.argv[1] if len(sys.argv) > 1 else "run"


def find_version():
    return re.search(r"project\(rigor VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]


def list_debian_packages():
    """From the one list, in setup.sh itself; a package that is not installed has no version."""
    script = (root / "tools/setup.sh").read_text()
    functions = script[:script.index("\nrequire_debian\n")]  # all but what it does when it is called
    command = f'{functions}\nVERSION_CODENAME=; . /etc/os-release 2>/dev/null; packages "$1"'
    names = subprocess.run(["bash", "-c", command, root / "tools/setup.sh", job], check=True, capture_output=True, text=True).stdout.split()
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Package}\t${Version}\t${db:Status-Status}\n", *names],
                           capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in query.splitlines()]
    versions = {fields[0]: fields[1] for fields in lines if fields[2] == "installed"}
    for name in names:
        version = versions.get(name, "")
        url = f"pkg:deb/debian/{name}@{version}" if version else f"pkg:deb/debian/{name}"
        component = {"type": "library", "bom-ref": url, "name": name, "purl": url}
        if version:
            component["version"] = version
        yield component


def list_page_packages():
    """What is locked; what only develops or tests the page is marked as left out of the program."""
    lock = json.loads((root / "viewer/package-lock.json").read_text())
    for place, package in sorted(lock["packages"].items()):
        if not place:
            continue
        name = place.rsplit("node_modules/", 1)[1]
        url = f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"
        component = {"type": "library", "bom-ref": url, "name": name, "version": package["version"], "purl": url,
                     "scope": "excluded" if package.get("dev") else "optional" if package.get("optional") else "required"}
        if package.get("integrity", "").startswith("sha512-"):
            digest = base64.b64decode(package["integrity"].split("-", 1)[1]).hex()
            component["hashes"] = [{"alg": "SHA-512", "content": digest}]
        if package.get("license"):
            component["licenses"] = [{"license": {"id": package["license"]}}]
        yield component


bill = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": {"type": "application", "bom-ref": "rigor", "name": "rigor", "version": find_version(),
                               "licenses": [{"license": {"id": "Apache-2.0"}}]}},
    "components": list(list_debian_packages()) + list(list_page_packages()),
}
json.dump(bill, sys.stdout, indent=1)
print()
