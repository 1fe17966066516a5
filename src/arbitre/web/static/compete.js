// A competition that is followed: the board is fetched again when the site says that something changed.

const head = document.getElementById("competition");
const board = document.getElementById("board");
const base = `/compete/${head.dataset.number}`;

/** What stays the same about an element when its board is fetched again. */
const sign = (one) => (one && board.contains(one) ? [one.tagName, one.getAttribute("href"), one.name, one.value, one.textContent] : null)?.join("\n");

async function refresh() {
  const focused = sign(document.activeElement);
  const scrolled = new Map([...board.querySelectorAll("section[id] .wide")].map((one) => [one.closest("section").id, one.scrollLeft]));
  const playing = new Set([...board.querySelectorAll(".yours a")].map((one) => one.href));
  const open = new Map([...board.querySelectorAll("details")].map((one, at) => [at, one.open]));
  const count = open.size;
  const answer = await fetch(`${base}/board${head.dataset.query}`);
  if (!answer.ok) return;
  board.innerHTML = await answer.text();
  document.dispatchEvent(new Event("arbitre:fresh"));
  const details = [...board.querySelectorAll("details")];
  // the newest round comes first, so what was open is counted from the end
  details.forEach((one, at) => {
    const before = at - (details.length - count);
    if (open.has(before)) one.open = open.get(before) || one.open;
  });
  for (const one of board.querySelectorAll("section[id] .wide")) one.scrollLeft = scrolled.get(one.closest("section").id) ?? 0;
  if (focused) [...board.querySelectorAll("a, button, summary")].find((one) => sign(one) === focused)?.focus({ preventScroll: true });
  // whoever looks elsewhere while he waits sees in the tab that his game has begun
  if ([...board.querySelectorAll(".yours a")].some((one) => !playing.has(one.href))) {
    const told = document.getElementById("told");
    told.textContent = told.dataset.begun;
    if (!document.title.startsWith("● ")) document.title = `● ${document.title}`;
  }
}

if (head.dataset.follow) {
  const stream = new EventSource(`${base}/events${head.dataset.query}`);
  let first = true;
  stream.addEventListener("message", (event) => {
    const told = JSON.parse(event.data);
    if (told.stage !== head.dataset.stage) {
      stream.close();
      location.reload();
    } else if (!first && document.querySelector("#board > section")) refresh();
    else if (!first) location.reload();
    first = false;
  });
  window.addEventListener("pagehide", () => stream.close());
}

// paper has nothing to unfold, whether it is printed by the button or by the browser's own menu
window.addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});
document.querySelector("[data-print]")?.addEventListener("click", () => window.print());

// ── Commits that this browser makes: the opening never leaves it before entries are closed ──

const hex = (octets) => [...octets].map((one) => one.toString(16).padStart(2, "0")).join("");
const octets = (text) => Uint8Array.from(text.match(/../g) ?? [], (one) => parseInt(one, 16));

/** A number below another, each equally likely: what lies beyond the last whole multiple is drawn again. */
function below(count) {
  const limit = Math.floor(2 ** 32 / count) * count;
  for (;;) {
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    if (drawn < limit) return drawn % count;
  }
}

for (const form of document.querySelectorAll("form[data-lots]")) {
  const place = `arbitre-lots/${form.dataset.lots}`;
  const make = form.querySelector("[data-make]");
  if (make && window.isSecureContext) {
    make.hidden = false;
    make.addEventListener("click", async () => {
      const random = crypto.getRandomValues(new Uint8Array(32));
      const width = Number(form.dataset.width);
      const state = below(Number(form.dataset.states)).toString(16).padStart(2 * width, "0");
      const opening = new Uint8Array([...random, ...octets(form.dataset.binder), ...octets(state)]);
      const sealed = new Uint8Array(await crypto.subtle.digest("SHA-256", opening));
      localStorage.setItem(place, `0002${(48).toString(16).padStart(4, "0")}${hex(opening)}`);
      form.elements.commit.value = `0001${hex(sealed)}`;
      form.requestSubmit();
    });
  }
  const kept = localStorage.getItem(place);
  if (kept && form.elements.reveal) {
    form.elements.reveal.value = kept;
    form.requestSubmit();
  }
}
