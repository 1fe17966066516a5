// A worker that answers what is dear to compute, so that the page never stands still: is a key sound, is an opening true.

import { encode, looked } from "./elgamal.js";
import { wrongKey } from "./groups.js";

/** @param {import("./bout.js").Question} question */
function answer(question) {
  const { group, h } = question;
  if (question.kind === "key") return wrongKey(group, h);
  return looked(group, h, question, encode(question.encoding, group, question.sign), question.k, question.full);
}

addEventListener("message", ({ data }) => {
  try {
    postMessage({ number: data.number, found: answer(data) });
  } catch (error) {
    postMessage({ number: data.number, failed: String(error) });
  }
});
