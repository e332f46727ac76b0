"""The suite as the runner sees it: manifest.json, its cases and its flags."""

import hashlib
import json
from pathlib import Path

COMPAT = "--compat"
DECODER_OPTIONS = "decoder-options"
# The suite of objects has no flag of its own.
DECODER_FLAGS = {DECODER_OPTIONS: {"declared": "accept", "text": "takes the options that a case names"}}


class SuiteError(Exception):
    """The suite cannot be used: a file is missing or is not what the manifest says."""


class Case:
    """One record of the manifest and where its file is."""

    def __init__(self, record, number, folder):
        self.record = record
        self.number = number
        self.id = record["id"]
        self.path = folder / record["file"]
        self.verdict = record["verdict"]
        self.flags = record.get("flags", [])
        self.decoder_options = record["options"] if isinstance(record.get("options"), dict) else None
        self.rules = record["rules"]
        self.reason = record["reason"]
        self.expect = record.get("expect") or {key: record[key] for key in ("fits",) if key in record} or None

    def data(self):
        """The file's bytes, which must be those that the manifest names."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise SuiteError(f"{self.path}: {error.strerror}") from error
        if hashlib.sha256(data).hexdigest() != self.record["sha256"]:
            raise SuiteError(f"{self.path}: the file is not the one of the manifest")
        return data


class Suite:
    """manifest.json and the folder around it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        path = self.folder / "manifest.json"
        try:
            raw = path.read_bytes()
            self.manifest = json.loads(raw)
            self.version = self.manifest["version"]
            self.flags = self.manifest.get("flags", DECODER_FLAGS)
            records = enumerate(self.manifest["cases"])
            self.cases = [Case(record, number, self.folder) for number, record in records]
        except OSError as error:
            raise SuiteError(f"{path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise SuiteError(f"{path}: not a manifest of the suite: {error!r}") from error
        if not self.cases:
            raise SuiteError(f"{path}: no case")
        self.digest = hashlib.sha256(raw).hexdigest()

    def statuses(self):
        """Every status that a refusal of the suite may give."""
        errors = [case.record["error"] for case in self.cases if "error" in case.record]
        errors += [other["error"] for case in self.cases for other in case.record.get("refused_with", [])]
        return {error["status"] for error in errors}

    def compatibility_flags(self):
        """The flags that safenpy's --compat takes, as the options of the cases tell."""
        found = set()
        for case in self.cases:
            if case.decoder_options is None and case.record.get("options", [])[:1] == [COMPAT]:
                found.update(case.flags)
        return found
