// platform.js: what Node, Deno and Bun have and browsers have not.

/** A module of Node; undefined where there is none. No import names it, so that bundlers for browsers do not look for it. */
export const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);
