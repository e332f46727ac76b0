"""The page that checks files: its sources, the package for JavaScript, and the sentences of the rules.

    docs/site/check_page.py FOLDER      writes it alone; FOLDER must be served by HTTP
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "bindings" / "js"
sys.path.insert(0, str(ROOT / "tools"))

import rules  # noqa: E402


def sentences():
    """For each rule its sentence, and its address from the page."""
    return {rule.id: {"text": rule.text.replace("`", ""), "href": f"../{Path(name).with_suffix('.html')}#{rule.id.lower()}"}
            for name in rules.SPECS for rule in rules.read_spec(ROOT, name).rules if rule.text}


def write(place):
    """Writes the page into a folder that it replaces."""
    subprocess.run(["sh", PACKAGE / "wasm" / "build.sh"], check=True)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(HERE / "check", place)
    for folder in ("src", "objects"):
        shutil.copytree(PACKAGE / folder, place / "safenpy" / folder, ignore=shutil.ignore_patterns("*.d.ts"))
    (place / "rules.json").write_text(json.dumps(sentences(), sort_keys=True), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
