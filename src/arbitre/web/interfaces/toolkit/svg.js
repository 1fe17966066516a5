// Makes elements: SVG drawings and the few of HTML around them. Text is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

// A drawing of its own for a button or a seat: one piece in a square of 100 by 100 around the origin.
export function icon(shape, size = 100) {
  return draw("svg", { viewBox: `${-size / 2} ${-size / 2} ${size} ${size}`, class: "icon", "aria-hidden": "true" }, shape);
}
