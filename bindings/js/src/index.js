// index.js: what the package offers.

export { loadNpz, NpzArchive } from "./archive.js";
export { NpyArray } from "./array.js";
export { check } from "./check.js";
export { toDate } from "./element.js";
export { NpyError } from "./error.js";
export { header, load } from "./load.js";
export { save, savez } from "./save.js";
