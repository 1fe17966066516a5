// Questions to the worker, each with its number.

const worker = new Worker(new URL("./checks.js", import.meta.url), { type: "module" });
/** @type {Map<number, { done: (found: import("./bout.js").Found) => void, fail: (error: Error) => void }>} */
const open = new Map();
let count = 0;

worker.addEventListener("message", ({ data: { number, found, failed } }) => {
  const asked = open.get(number);
  if (!asked) return;
  const { done, fail } = asked;
  open.delete(number);
  if (failed) fail(new Error(failed));
  else done(found);
});

/** Ask whether a key is sound or an opening true. @type {import("./bout.js").Ask} */
export const ask = (question) => {
  count += 1;
  const number = count;
  return new Promise((done, fail) => {
    open.set(number, { done, fail });
    worker.postMessage({ ...question, number });
  });
};
