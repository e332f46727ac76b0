"""What binds evidence to the files of a release: its bill of materials, and the attestation. tools/release.py calls it.

    sbom.cdx.json                 CycloneDX: safenpy, what its binaries are linked to, and the licences
    object-coverage.json          which instructions of the core ran under the suite, in the shipped library and command
    attestation.json              an in-toto Statement: every file, and what it was made from and checked by
    attestation.json.sha256       its hash, for `sha256sum -c`, and for the text of the signed tag
"""

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import uuid
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PREDICATE = "urn:safenpy:release-evidence:1"
STATEMENT, SBOM, COVERAGE = "attestation.json", "sbom.cdx.json", "object-coverage.json"
# Files of the tarball that are evidence, by the claim that they belong to.
RECORDS = {
    "proofs": ("proofs/results.json", "proofs/REPORT.md"),
    "suite": ("corpus/manifest.json", "corpus/archives/manifest.json", "corpus/objects/manifest.json"),
    "coverage": ("tests/coverage.json", "tests/coverage-gaps.md", "tests/object-coverage.json"),
    "claims": ("docs/assurance.yaml", "docs/qualification.yaml", "docs/configurations.yaml", "spec/assumptions.md"),
}
PROVERS = re.compile(r"^Tools: (.+)\.$", re.MULTILINE)
# What the binaries are linked to besides the C library: the name that pkg-config has, and the licence.
LINKED = {"zlib": "Zlib", "libdeflate": "MIT"}
LIBRARY, COMMAND = r"usr/lib/libsafenpy\.so\.[\d.]+", "usr/bin/safenpy"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def written(value):
    """The one way in which the attestation is written: verify-release refuses any other."""
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii")


def first_line(*words):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines()[0]


def linked():
    """{name: version} of the libraries that the binaries need."""
    return {name: first_line("pkg-config", "--modversion", name) for name in LINKED}


def sbom(release):
    """The bill of materials; libraries are those of the machine that built the release."""
    # Of the packages in the venv of tools/release.py.
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.model.license import DisjunctiveLicense
    from cyclonedx.output.json import JsonV1Dot6
    from cyclonedx.validation.json import JsonStrictValidator
    from cyclonedx.schema import SchemaVersion

    tarball = (release.out / f"{release.name}.tar.gz").read_bytes()
    product = Component(name="safenpy", version=release.version, type=ComponentType.LIBRARY, bom_ref="safenpy",
                        licenses=[DisjunctiveLicense(id="MIT")], hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256(tarball))])
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"urn:sha256:{sha256(tarball)}"))
    bom.metadata.timestamp = datetime.fromtimestamp(release.moment, timezone.utc)
    bom.metadata.component = product
    needed = [Component(name=name, version=version, type=ComponentType.LIBRARY, bom_ref=name,
                        licenses=[DisjunctiveLicense(id=LINKED[name])]) for name, version in linked().items()]
    bom.components.update(needed)
    bom.register_dependency(product, needed)
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise SystemExit(f"{SBOM} is no CycloneDX: {fault}")
    return (text + "\n").encode("utf-8")


def statement(subjects, predicate):
    """The Statement, checked by the library of in-toto."""
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.struct_pb2 import Struct
    from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
    from in_toto_attestation.v1.statement import Statement

    content = Struct()
    content.update(predicate)
    made = Statement([ResourceDescriptor(name=name, digest={"sha256": digest}).pb for name, digest in subjects.items()], PREDICATE,
                     content)
    made.validate()
    value = MessageToDict(made.pb)
    value["predicate"] = predicate     # whose whole numbers a Struct has made floats
    return value


def proofs(results):
    """How many functions and goals are proved, under each machine model."""
    models = {}
    for file in results["proofs"].values():
        for model, functions in file.items():
            row = models.setdefault(model, {"functions": 0, "goals": 0, "proved": 0})
            for one in functions.values():
                row["functions"] += 1
                row["goals"] += one["goals"]
                row["proved"] += one["qed"] + one["cvc4"] + one["z3"]
    return models


def object_coverage(release):
    """Measured on the very files that the packed installation has."""
    import object_coverage as measuring

    root, build = release.work / "root", release.work / "installed" / release.name / "build"
    (library,) = [path for path in root.rglob("libsafenpy.so.*") if re.fullmatch(LIBRARY, path.relative_to(root).as_posix())
                  and not path.is_symlink()]
    return measuring.measure(build, library, root / COMMAND)


def write(release):
    out = release.out
    found = object_coverage(release)
    (out / COVERAGE).write_bytes(written(found))
    (out / SBOM).write_bytes(sbom(release))
    tarball = out / f"{release.name}.tar.gz"
    with tarfile.open(tarball) as archive:
        inside = {name: archive.extractfile(f"{release.name}/{name}").read() for names in RECORDS.values() for name in names}
    predicate = {
        "source": {"name": tarball.name, "sha256": sha256(tarball.read_bytes()), "commit": release.commit,
                   "time": datetime.fromtimestamp(release.moment, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")},
        "tools": {"compiler": found["compiler"], "wasm compiler": first_line("clang", "--version"), "linker": first_line("ld", "--version"),
                  "python": sys.version.split()[0], "libraries": linked(),
                  "provers": PROVERS.search(inside["proofs/REPORT.md"].decode("utf-8"))[1]},
        "records": {claim: {name: sha256(inside[name]) for name in names} for claim, names in RECORDS.items()},
        "proofs": proofs(json.loads(inside["proofs/results.json"])),
        "cases": {name: len(json.loads(inside[name])["cases"]) for name in RECORDS["suite"]},
        "object coverage": [{key: binary[key] for key in ("binary", "sha256", "instructions", "reached")} for binary in found["binaries"]],
    }
    subjects = {path.relative_to(out).as_posix(): sha256(path.read_bytes()) for path in sorted(out.rglob("*")) if path.is_file()}
    data = written(statement(subjects, predicate))
    (out / STATEMENT).write_bytes(data)
    (out / f"{STATEMENT}.sha256").write_text(f"{sha256(data)}  {STATEMENT}\n", encoding="ascii")
