// Makes elements: SVG drawings and the few of HTML around them. Text is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */
/** @typedef {Node | string | null | undefined} Child */

/** @template {keyof SVGElementTagNameMap} K @param {K} name @param {Attributes} [attributes] @param {Child[]} children */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Attributes} [attributes] @param {Child[]} children */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** @template {Element} E @param {E} made @param {Attributes} attributes @param {Child[]} children */
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

/** A drawing of its own for a button or a seat: one piece in a square of 100 by 100 around the origin. @param {Node} shape */
export function icon(shape, size = 100) {
  return draw("svg", { viewBox: `${-size / 2} ${-size / 2} ${size} ${size}`, class: "icon", "aria-hidden": "true" }, shape);
}
