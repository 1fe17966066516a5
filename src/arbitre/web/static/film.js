// The film of a game: its small pictures, drawn in the colours of the page and written as a GIF, here in the browser. The site is
// asked for the pictures, and nobody for the film.

import { find, maybe } from "./elements.js";
import { Gif, indexer, palette } from "./gif.js";

const [WIDTH, STRIP] = [480, 56];
const [MOVE, BEGINNING, END] = [70, 120, 400]; // hundredths of a second
const LOOKED = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "paint-order", "font-family", "font-size", "font-weight", "text-anchor", "opacity"];

/** @typedef {{ title: string, names: string[], ending: string, frames: { picture: string, tally: [number, number] | null }[] }} Film */

/** Put a picture of ours into an image: what the page's sheet says of it is written into it. @param {string} picture @param {HTMLElement} darkroom */
async function drawn(picture, darkroom) {
  darkroom.innerHTML = picture;
  const svg = find("svg", SVGElement, darkroom);
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  for (const one of svg.querySelectorAll("*")) {
    const look = getComputedStyle(one);
    for (const name of LOOKED) one.setAttribute(name, look.getPropertyValue(name));
    one.removeAttribute("class");
  }
  const ground = getComputedStyle(svg).backgroundColor;
  svg.setAttribute("width", String(WIDTH));
  svg.setAttribute("height", String(WIDTH));
  const image = new Image(WIDTH, WIDTH);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg.outerHTML)}`;
  await image.decode();
  return { image, ground };
}

/** Make the film of a game. @param {Film} told @param {(done: number) => void} step */
async function filmed(told, step) {
  const darkroom = document.createElement("div");
  darkroom.className = "darkroom";
  darkroom.setAttribute("aria-hidden", "true");
  document.body.append(darkroom);
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: WIDTH + STRIP });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("this browser draws nothing");
  const { backgroundColor, color } = getComputedStyle(document.body);
  /** @param {number} at */
  const shot = async (at) => {
    const { picture, tally } = told.frames[at];
    const { image, ground } = await drawn(picture, darkroom);
    pen.fillStyle = ground;
    pen.fillRect(0, 0, WIDTH, WIDTH);
    pen.drawImage(image, 0, 0, WIDTH, WIDTH);
    pen.fillStyle = backgroundColor;
    pen.fillRect(0, WIDTH, WIDTH, STRIP);
    caption(pen, color, told, tally, at === told.frames.length - 1);
    return pen.getImageData(0, 0, WIDTH, WIDTH + STRIP).data;
  };
  try {
    const last = told.frames.length - 1;
    const colours = palette([await shot(0), await shot(last >> 1), await shot(last)]);
    const indexed = indexer(colours);
    const gif = new Gif(WIDTH, WIDTH + STRIP, colours);
    for (let at = 0; at <= last; at += 1) {
      gif.add(indexed(await shot(at)), at === last ? END : at ? MOVE : BEGINNING);
      step((at + 1) / told.frames.length);
    }
    return gif.ended();
  } finally {
    darkroom.remove();
  }
}

/** Write who plays, how it stands, and in the end how it ended. @param {CanvasRenderingContext2D} pen @param {string} colour @param {Film} told @param {[number, number] | null} tally @param {boolean} over */
function caption(pen, colour, told, tally, over) {
  const middle = WIDTH + STRIP / 2;
  pen.fillStyle = colour;
  pen.textBaseline = "middle";
  /** @param {string} text @param {CanvasTextAlign} align @param {number} x @param {number} y @param {number} wide */
  const write = (text, align, x, y, wide, font = "600 18px system-ui, sans-serif") => {
    pen.font = font;
    pen.textAlign = align;
    pen.fillText(text, x, y, wide);
  };
  const row = over ? middle - 11 : middle;
  const score = tally ? tally.map((one) => String(one).replace("-", "−")).join(" – ") : "–";
  write(told.names[0] ?? "", "left", 14, row, 180);
  write(score, "center", WIDTH / 2, row, 80);
  write(told.names[1] ?? "", "right", WIDTH - 14, row, 180);
  if (over) write(told.ending, "center", WIDTH / 2, middle + 13, WIDTH - 28, "15px system-ui, sans-serif");
}

const button = maybe("#film", HTMLButtonElement);
button?.addEventListener("click", async () => {
  const { game = "", busy = "", away = "" } = button.dataset;
  const says = find(".words", HTMLElement, button);
  const called = says.textContent ?? "";
  button.disabled = true;
  try {
    const answer = await fetch(`/games/${game}/film`);
    if (!answer.ok) throw new Error(String(answer.status));
    const octets = await filmed(await answer.json(), (done) => { says.textContent = `${busy} ${Math.round(100 * done)} %`; });
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([octets], { type: "image/gif" })), download: `${game}.gif` });
    link.click();
    says.textContent = called;
  } catch {
    says.textContent = away;
  }
  button.disabled = false;
});
