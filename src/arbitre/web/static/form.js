// How scripts send forms. It does nothing by itself, so it may be loaded by any number of modules under any address.

import { find } from "./elements.js";

export const token = () => find('meta[name="form-token"]', HTMLMetaElement).content;

/** Send a form to the site from a script, with the token that it asks for. @param {string} path @param {Record<string, string>} fields */
export function send(path, fields = {}) {
  const body = new URLSearchParams(fields);
  return fetch(path, { method: "POST", body, headers: { "X-Form-Token": token(), Accept: "application/json" } });
}
