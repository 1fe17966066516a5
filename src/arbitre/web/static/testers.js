// The testers: frames that fit, a board composed by hand, and what an interface returns. Without it the forms still work.

const WIDTH = 736;
const HEIGHT = 660;
const LONGEST = 4000;

// Interfaces are made for one size; where there is less room they are shown smaller.
function fit(frame) {
  const box = frame.parentElement;
  const scale = Math.min(1, box.clientWidth / WIDTH);
  frame.style.transform = `scale(${scale})`;
  box.style.height = `${HEIGHT * scale}px`;
}

for (const frame of document.querySelectorAll(".framed iframe")) {
  new ResizeObserver(() => fit(frame)).observe(frame.parentElement);
}

// Another game has other positions: its page is loaded as soon as it is chosen.
for (const select of document.querySelectorAll('#test select[name="game"], #presets select')) {
  select.addEventListener("change", () => {
    if (select.form.id === "presets") {
      select.form.submit();
      return;
    }
    const given = new URLSearchParams();
    for (const name of ["game", "address"]) given.set(name, select.form.elements[name].value);
    location.assign(`/program/engine-test?${given}`);
  });
}

// A preset is shown at once; it takes the place of a position by hand.
for (const radio of document.querySelectorAll('#test input[name="preset"], #test input[name="seat"]')) {
  radio.addEventListener("change", () => {
    const form = radio.form;
    if (radio.name === "preset") form.elements.position.value = "";
    const given = new URLSearchParams(new FormData(form));
    given.delete("form_token");
    location.replace(`/program/engine-test?${given}`);
  });
}

// ── a board composed by hand ──

const bench = document.getElementById("bench");
const opener = document.querySelector("[data-bench]");
let composed = "";

opener?.addEventListener("click", (event) => {
  event.preventDefault();
  bench.hidden = false;
  const frame = bench.querySelector("[data-compose]");
  if (!frame.src) frame.src = opener.dataset.bench;
  bench.scrollIntoView({ behavior: "smooth" });
});

bench?.querySelector("[data-take]").addEventListener("click", () => {
  if (!composed) return;
  const form = document.getElementById("test");
  form.elements.position.value = composed;
  form.querySelector(".by-hand").open = true;
  form.elements.position.scrollIntoView({ block: "center" });
});

const text = (given) => (typeof given === "string" ? given.slice(0, LONGEST) : "");

window.addEventListener("message", (event) => {
  const frame = document.querySelector("[data-compose], [data-tested]");
  const told = event.data?.arbitre;
  if (!frame || event.source !== frame.contentWindow || !told) return;
  composed = text(told.tray);
  const tested = document.querySelector("[data-bench-told]");
  if (tested) {
    tested.hidden = false;
    tested.querySelector("[data-tray]").textContent = composed || "–";
    tested.querySelector("[data-last]").textContent = text(told.value) || "–";
  } else {
    bench.querySelector("[data-tray]").textContent = composed.length > 70 ? `${composed.slice(0, 70)}…` : composed;
  }
});

// ── what an interface returned ──

const place = document.querySelector("[data-returned]");

async function listen() {
  let count = 0;
  for (let round = 0; round < 100; round += 1) {
    const answer = await fetch(`${place.dataset.returned}?after=${count}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const told = await answer.json();
    if (told.count > count) {
      count = told.count;
      place.querySelector("[data-value]").textContent = told.value || "∅";
      place.querySelector("[data-count]").textContent = count > 1 ? `× ${count}` : "";
      place.classList.add("good");
    }
  }
}

if (place) listen().catch(() => {}); // the page is left, or the site is gone: nothing to say
