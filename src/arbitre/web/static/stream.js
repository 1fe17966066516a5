// The scenes of a game as they come: a line that breaks is taken up behind the last scene, and rests while nobody looks.

const AGAIN_MS = 2000;
const HIDDEN_MS = 30000;

/**
 * What follows from what is heard; `cut` is told whether the line is broken.
 * @typedef {object} Ear
 * @property {(data: string) => void} scene
 * @property {(text: string) => void} [slip]
 * @property {(told: any) => void} [proof] what the seat is told for the proof
 * @property {() => void} over
 * @property {(broken: boolean) => void} [cut]
 */

/** Listen to the scenes of one eye; return a function that tries at once to be heard again. @param {string} name @param {string} eye @param {Ear} ear */
export function listen(name, eye, ear) {
  /** @type {EventSource} */
  let source;
  let last = 0;
  let broken = false;
  let waiting = 0;
  let finished = false;

  /** @param {boolean} now */
  const cut = (now) => {
    if (broken !== now) ear.cut?.(now);
    broken = now;
  };

  function open() {
    clearTimeout(waiting);
    source = new EventSource(`/games/${name}/events?eye=${eye}&after=${last}`);
    source.addEventListener("message", (event) => {
      last = Number(event.lastEventId);
      ear.scene(event.data);
    });
    source.addEventListener("slip", (event) => ear.slip?.(JSON.parse(event.data)));
    source.addEventListener("proof", (event) => ear.proof?.(JSON.parse(event.data)));
    source.addEventListener("over", () => { finished = true; source.close(); ear.over(); });
    source.addEventListener("open", () => cut(false));
    source.addEventListener("error", () => {
      cut(true);
      // a browser tries again by itself, except where something else answered for us
      if (source.readyState === EventSource.CLOSED && !finished) waiting = setTimeout(open, AGAIN_MS);
    });
  }

  // a line that is gone is not always noticed by itself
  window.addEventListener("offline", () => {
    if (finished) return;
    source.close();
    cut(true);
  });
  window.addEventListener("online", () => {
    if (!finished && source.readyState === EventSource.CLOSED) open();
  });

  // a browser has few lines to one site, and a page in the background holds none
  document.addEventListener("visibilitychange", () => {
    clearTimeout(waiting);
    if (finished) return;
    if (document.hidden) waiting = setTimeout(() => source.close(), HIDDEN_MS);
    else if (source.readyState === EventSource.CLOSED) open();
  });
  open();
  return () => {
    if (finished) return;
    source.close();
    open();
  };
}
