// The testers: frames that fit, a board composed by hand, and what an interface returns. Without it the forms still work.

import { all, find, maybe } from "./elements.js";

const WIDTH = 736;
const HEIGHT = 660;
const LONGEST = 4000;

/** Interfaces are made for one size; where there is less room they are shown smaller. @param {HTMLElement} frame @param {HTMLElement} box */
function fit(frame, box) {
  const scale = Math.min(1, box.clientWidth / WIDTH);
  frame.style.transform = `scale(${scale})`;
  box.style.height = `${HEIGHT * scale}px`;
}

for (const box of all(".framed", HTMLElement)) {
  for (const frame of all("iframe", HTMLIFrameElement, box)) new ResizeObserver(() => fit(frame, box)).observe(box);
}

// Another game has other positions: its page is loaded as soon as it is chosen.
/** What a field of a form holds. @param {HTMLFormElement} form @param {string} name */
const given = (form, name) => String(new FormData(form).get(name) ?? "");

for (const select of all('#test select[name="game"], #presets select', HTMLSelectElement)) {
  const { form } = select;
  if (!form) continue;
  select.addEventListener("change", () => {
    if (form.id === "presets") form.submit();
    else location.assign(`/program/engine-test?${new URLSearchParams({ game: given(form, "game"), address: given(form, "address") })}`);
  });
}

// A preset is shown at once; it takes the place of a position by hand.
for (const radio of all('#test input[name="preset"], #test input[name="seat"]', HTMLInputElement)) {
  radio.addEventListener("change", () => {
    if (!radio.form) return;
    const query = new URLSearchParams();
    for (const [name, text] of new FormData(radio.form)) query.append(name, String(text));
    if (radio.name === "preset") query.set("position", "");
    query.delete("form_token");
    location.replace(`/program/engine-test?${query}`);
  });
}

// ── a board composed by hand ──

const bench = maybe("#bench", HTMLElement);
const opener = maybe("[data-bench]", HTMLElement);
let composed = "";

opener?.addEventListener("click", (event) => {
  if (!bench) return;
  event.preventDefault();
  bench.hidden = false;
  const frame = find("[data-compose]", HTMLIFrameElement, bench);
  if (!frame.src) frame.src = opener.dataset.bench ?? "";
  bench.scrollIntoView({ behavior: "smooth" });
});

bench?.querySelector("[data-take]")?.addEventListener("click", () => {
  if (!composed) return;
  const position = find('#test [name="position"]', HTMLTextAreaElement);
  position.value = composed;
  find("#test .by-hand", HTMLDetailsElement).open = true;
  position.scrollIntoView({ block: "center" });
});

/** @param {unknown} told */
const text = (told) => (typeof told === "string" ? told.slice(0, LONGEST) : "");

window.addEventListener("message", (event) => {
  const frame = maybe("[data-compose], [data-tested]", HTMLIFrameElement);
  const told = event.data?.arbitre;
  if (!frame || event.source !== frame.contentWindow || !told) return;
  composed = text(told.tray);
  const tested = maybe("[data-bench-told]", HTMLElement);
  if (tested) {
    tested.hidden = false;
    find("[data-tray]", HTMLElement, tested).textContent = composed || "–";
    find("[data-last]", HTMLElement, tested).textContent = text(told.value) || "–";
  } else if (bench) {
    find("[data-tray]", HTMLElement, bench).textContent = composed.length > 70 ? `${composed.slice(0, 70)}…` : composed;
  }
});

// ── what an interface returned ──

const place = maybe("[data-returned]", HTMLElement);

/** @param {HTMLElement} place */
async function listen(place) {
  let count = 0;
  for (let round = 0; round < 100; round += 1) {
    const answer = await fetch(`${place.dataset.returned}?after=${count}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const told = await answer.json();
    if (told.count > count) {
      count = told.count;
      find("[data-value]", HTMLElement, place).textContent = told.value || "∅";
      find("[data-count]", HTMLElement, place).textContent = count > 1 ? `× ${count}` : "";
      place.classList.add("good");
    }
  }
}

if (place) listen(place).catch(() => {}); // the page is left, or the site is gone: nothing to say
