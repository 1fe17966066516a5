// Movement under a fifth of a second, none for who prefers less; and Wait, the pause between a move and what it does.

export const SHORT = 180;

let stilled = false;

/** Shows what follows without any motion, or with it again. @param {boolean} yes */
export function still(yes) {
  stilled = yes;
}

const calm = () => stilled || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/**
 * Plays key frames on an element and returns when they are over; at once where there is none, or for who prefers no motion.
 * @param {Element | null | undefined} shape @param {Keyframe[]} frames
 */
export async function animate(shape, frames, milliseconds = SHORT) {
  if (!shape || calm()) return;
  const playing = shape.animate(frames, { duration: milliseconds, easing: "cubic-bezier(.2,.7,.3,1)" });
  // A hidden page plays nothing and would never finish.
  await Promise.race([playing.finished.catch(() => undefined), pause(milliseconds + 250)]);
}

/** A piece that is put down. @param {Element | null | undefined} shape */
export function arrive(shape) {
  return animate(shape, [{ transform: "scale(1.35)", opacity: 0 }, { transform: "scale(1)", opacity: 1 }]);
}

/** A piece that is taken away; whoever calls removes it afterwards. @param {Element | null | undefined} shape */
export function leave(shape) {
  return animate(shape, [{ transform: "scale(1)", opacity: 1 }, { transform: "scale(.4)", opacity: 0 }]);
}

// A piece that comes from elsewhere, `right` and `down` of its place in the units of the drawing, and goes on to its place or to
// another.
/** @param {Element | null | undefined} shape @param {number} right @param {number} down */
export function slide(shape, right, down, toRight = 0, toDown = 0) {
  return animate(shape, [{ transform: `translate(${right}px,${down}px)` }, { transform: `translate(${toRight}px,${toDown}px)` }]);
}

/**
 * A disc that turns over: the old face narrows, `change` puts the new one in its place, and that widens.
 * @param {Element | null | undefined} shape @param {() => Element | undefined} change
 */
export async function turn(shape, change) {
  await animate(shape, [{ transform: "scaleX(1)" }, { transform: "scaleX(.05)" }], SHORT / 2);
  const face = change();
  await animate(face, [{ transform: "scaleX(.05)" }, { transform: "scaleX(1)" }], SHORT / 2);
}
