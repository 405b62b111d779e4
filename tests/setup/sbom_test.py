"""The bill of materials names what setup.sh installs and what the page is locked to: sbom_test.py ROOT."""
import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
bill = json.loads(subprocess.run([root / "tools/sbom.py", "test"], check=True, capture_output=True, text=True).stdout)
assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
names = {component["name"]: component for component in bill["components"]}
assert len({component["bom-ref"] for component in bill["components"]}) == len(bill["components"]), "each once"

# every word of the two lists of setup.sh
script = (root / "tools/setup.sh").read_text()
wanted = " ".join(re.findall(r'local (?:run|test)="([^"]*)"', script)).split()
assert len(wanted) > 15
for package in wanted:
    assert package in names, package
# the compiler that built this is installed, and so has a version
assert re.match(r"[0-9]", names["g++"].get("version", "")) or not pathlib.Path("/usr/bin/g++").exists()

lock = json.loads((root / "viewer/package-lock.json").read_text())["packages"]
for name, version in lock[""]["dependencies"].items():
    assert names[name]["version"] == version and names[name]["scope"] == "required", name
    assert len(names[name]["hashes"][0]["content"]) == 128, name
print("bill of materials:", len(names), "packages")
