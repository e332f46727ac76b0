"""What is expected of an implementation: its flags turn every `choice` into yes or no."""

from .manifest import DECODER_OPTIONS

ACCEPT, REJECT, EITHER = "accept", "reject", "either"
STRICT = "strict"
UNENDED = "unended-padding"
PROFILES = {
    "undeclared": "nothing is known: a choice case is neither right nor wrong",
    "plain": "no flag at all",
    "standard": "strict, as safenpy by default",
    "compatible": "strict and every compatibility flag, as safenpy with --compat all",
    "canonical": "accepts only the headers that numpy.save writes, as safenpy with --profile canonical",
}
CANONICAL_OPTIONS = ["--profile", "canonical"]


def opposite(verdict):
    """The other one."""
    return REJECT if verdict == ACCEPT else ACCEPT


class Declaration:
    """A set of flags, or None where nothing is declared, and whether only canonical files are to be accepted."""

    def __init__(self, suite, declares, canonical=False):
        self.table = suite.flags
        self.declares = None if declares is None else frozenset(declares)
        self.canonical = canonical
        self.known_statuses = suite.statuses()

    def expected(self, case):
        """accept, reject, or either where the case does not bind this implementation."""
        base = self._by_flags(case)
        if not self.canonical:
            return base
        canonical = case.record.get("canonical")
        if canonical:
            return base
        if canonical is None and case.verdict == "accept":
            return EITHER           # the manifest does not say whether the header is canonical
        return REJECT

    def _by_flags(self, case):
        if case.decoder_options and DECODER_OPTIONS not in (self.declares or ()):
            return EITHER
        if case.verdict != "choice":
            return case.verdict
        if self.declares is None:
            return EITHER
        flag = case.flags[0]
        declared = self.table[flag]["declared"]
        return declared if flag in self.declares else opposite(declared)

    def errors(self, case):
        """The refusals {status, offset} that are right; empty where the manifest does not say."""
        record = case.record
        others = record.get("refused_with", [])
        if self.canonical and case.verdict == "accept":
            return [other["error"] for other in others if other["options"] == CANONICAL_OPTIONS]
        own = [other["error"] for other in others if self._applies(other["options"])]
        return own or ([record["error"]] if "error" in record else [])

    def _applies(self, options):
        """Whether these options of safenpy are flags that are declared."""
        if options == ["--no-trailing"]:
            return "no-trailing" in (self.declares or ())
        return options[:1] == ["--compat"] and set(options[1].split(",")) <= (self.declares or frozenset())


def of_profile(suite, name, flags=()):
    """The declaration of a named profile, with further flags."""
    declares = {
        "undeclared": None,
        "plain": frozenset(),
        "standard": frozenset((STRICT, UNENDED)),
        "compatible": frozenset((STRICT, UNENDED)) | suite.compatibility_flags(),
        "canonical": frozenset((STRICT, UNENDED)),
    }[name]
    if flags:
        declares = (declares or frozenset()) | frozenset(flags)
    return Declaration(suite, declares, canonical=name == "canonical")
