// Somebody's games in competitions: looked at again every few seconds, so that "I am here" and "live" come by themselves.

import { find } from "./elements.js";

const SECONDS = 5;
const main = find("main", HTMLElement);

async function look() {
  if (document.hidden || main.contains(document.activeElement)) return;
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  /** @param {Element} one */
  const links = (one) => [...one.querySelectorAll("a")].map((each) => each.href).join();
  if (found && (links(found) !== links(main) || found.textContent !== main.textContent)) main.replaceChildren(...found.childNodes);
}

setInterval(() => look().catch(() => {}), 1000 * SECONDS);
