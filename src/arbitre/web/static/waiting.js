// A table with a free chair: when somebody has taken it, whoever waits is led there.
import { find } from "./elements.js";

const EVERY_MS = 2000;
const { name } = find("#waiting", HTMLElement).dataset;

async function look() {
  try {
    const answer = await fetch(`/games/${name}/state`, { headers: { Accept: "application/json" } });
    if (answer.ok && (await answer.json()).state !== "waiting") {
      location.assign(`/games/${name}`);
      return;
    }
  } catch {
    // the line is cut: look again
  }
  setTimeout(look, EVERY_MS);
}

look();
