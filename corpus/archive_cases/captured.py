"""Archives that tools wrote, as they wrote them: NumPy on several Pythons, Info-ZIP, 7-Zip.

captured.json has their bytes in base64, and what made them; nobody can make the same bytes again without the tools.
"""

import base64
import io
import json
import zipfile
from pathlib import Path

from . import dsl

RULES = ["NPZ-DIR-008", "NPZ-EXTRA-004", "NPZ-EXTRA-006", "NPZ-LOCAL-006", "NPZ-NPY-002", "NPZ-NAME-005"]


def cases():
    """All of them."""
    for name, one in sorted(json.loads(Path(__file__).with_name("captured.json").read_text(encoding="ascii")).items()):
        data = base64.b64decode(one["base64"])
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [dsl.member_of(info.filename, info.compress_type, archive.read(info)) for info in archive.infolist()]
        dsl.add(id=f"accept/written/{name}", data=data, verdict="accept", reason=f"Written by {one['made_by']}.",
                rules=RULES, expect={"members": members})
