// A worker that answers what is dear to compute, so that the page never stands still: is a key sound, is an opening true.

import { encode, looked } from "./elgamal.js";
import { wrongKey } from "./groups.js";

const ANSWERS = {
  key: ({ group, h }) => wrongKey(group, h),
  opening: ({ group, h, encoding, full, r, c, sign, k }) => looked(group, h, { r, c }, encode(encoding, group, sign), k, full),
};

addEventListener("message", ({ data }) => {
  try {
    postMessage({ number: data.number, found: ANSWERS[data.kind](data) });
  } catch (error) {
    postMessage({ number: data.number, failed: String(error) });
  }
});
