"""The runner of the conformance suite: what `corpus/run` is made of. corpus/RUNNER.md says what it does."""
