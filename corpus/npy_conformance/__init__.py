"""The conformance suite of the NPY and NPZ formats, and its runner. RUNNER.md says what it does."""
