// How scripts reach what their page holds: what must be there is there and of its kind, or an error names it. Like form.js it does
// nothing by itself.

/**
 * The element of a page, or of a part of it.
 * @template {Element} E @param {string} selector @param {new () => E} kind @param {ParentNode} [where]
 */
export function find(selector, kind, where = document) {
  const found = maybe(selector, kind, where);
  if (!found) throw new Error(`this page has no ${kind.name} at ${selector}`);
  return found;
}

/**
 * The element, null where there is none of that kind.
 * @template {Element} E @param {string} selector @param {new () => E} kind @param {ParentNode} [where]
 */
export function maybe(selector, kind, where = document) {
  const found = where.querySelector(selector);
  return found instanceof kind ? found : null;
}

/**
 * All elements of that kind.
 * @template {Element} E @param {string} selector @param {new () => E} kind @param {ParentNode} [where]
 */
export const all = (selector, kind, where = document) => [...where.querySelectorAll(selector)].flatMap((one) => (one instanceof kind ? [one] : []));

/**
 * The element at or around the place where something happened, null where there is none.
 * @param {Event} event @param {string} selector @returns {HTMLElement | null}
 */
export const around = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);

/** What went wrong, in words. @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));
