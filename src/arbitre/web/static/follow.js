// A stream of events that is never given up: browsers come back by themselves when a line breaks, but not where something else
// answered meanwhile, as a proxy does while the site is started again.

const AGAIN_MS = 2000;

/**
 * Follow a stream as long as the page is open. Named events go to their listeners, as does "message"; "open" is told each time.
 * @param {string} address @param {Record<string, (event: MessageEvent) => void>} listeners
 */
export function follow(address, listeners) {
  /** @type {EventSource} */
  let source;
  let waiting = 0;
  let last = "";

  function open() {
    clearTimeout(waiting);
    source = new EventSource(last ? address.replace(/([?&]after=)\d*/, `$1${last}`) : address);
    for (const [name, listener] of Object.entries(listeners))
      source.addEventListener(name, (event) => {
        if (event instanceof MessageEvent && event.lastEventId) last = event.lastEventId;
        listener(/** @type {MessageEvent} */ (event));
      });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) waiting = setTimeout(open, AGAIN_MS);
    });
  }

  window.addEventListener("pagehide", () => { clearTimeout(waiting); source.close(); });
  open();
  return () => { clearTimeout(waiting); source.close(); };
}
