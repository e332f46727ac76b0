"""What `check` says of archives that honest programs write and that it refuses."""

import subprocess
from pathlib import Path

ARCHIVES = Path(__file__).resolve().parents[2] / "corpus" / "archives"


def hint_of(safenpy, case, *options):
    """The exit status and the output of `check` for an archive of the suite."""
    done = subprocess.run([safenpy, "check", *options, ARCHIVES / f"{case}.npz"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_zeros_of_bsdtar_are_named_with_their_flag(safenpy):
    status, text = hint_of(safenpy, "choice/zip-trailing/zeros")
    assert status == 1 and "[NPZ-END-004]" in text
    assert "bsdtar adds zeros" in text and "flag zip-trailing" in text
    assert hint_of(safenpy, "choice/zip-trailing/zeros", "--compat", "zip-trailing")[0] == 0


def test_names_in_a_code_page_are_refused_with_a_way_out(safenpy):
    status, text = hint_of(safenpy, "reject/extra/central-path-code-page")
    assert status == 1 and "[NPZ-EXTRA-005]" in text
    assert "names in UTF-8" in text and "7-Zip needs -mcu=on" in text
    assert hint_of(safenpy, "accept/extra/central-path-437")[0] == 0
