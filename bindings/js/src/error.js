// error.js: the exception for a file that is refused.

/** Thrown for a file that is refused, with what `check` would say: status, rule, offset, hint. */
export class NpyError extends Error {
  name = "NpyError";

  constructor({ message, ...refusal }) {
    super(`${message} (${refusal.rule}, byte ${refusal.offset})`);
    Object.assign(this, refusal, { reason: message });
  }

  /** The same, as `check` returns it. */
  verdict() {
    const { name, reason, ...refusal } = this;
    return { accepted: false, ...refusal, message: reason };
  }
}
