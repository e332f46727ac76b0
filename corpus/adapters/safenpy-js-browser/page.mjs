// page.mjs: answers in a browser what adapter.py asks.

import * as safenpy from "/safenpy/index.js";
import { answer, json, write } from "/shared/safenpy.mjs";

window.answer = async (base64, suite) =>
  json(await answer(safenpy, Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)), suite));

/** What the runner is answered, and the file as a list of numbers. */
window.written = async (request) => {
  const { bytes, answer } = await write(safenpy, request);
  return [answer, bytes && Array.from(bytes)];
};
