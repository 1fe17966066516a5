// What a scene listens to on the whole page: it hears no more when the next scene takes its place in the same window.

let showing = new AbortController();

/** @template {keyof DocumentEventMap} K @param {K} type @param {(event: DocumentEventMap[K]) => void} call */
export function hear(type, call) {
  document.addEventListener(type, call, { signal: showing.signal });
}

// Ends what the scene before has listened to.
export function deafen() {
  showing.abort();
  showing = new AbortController();
}
