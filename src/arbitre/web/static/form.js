// How scripts send forms. It does nothing by itself, so it may be loaded by any number of modules under any address.

export const token = () => document.querySelector('meta[name="form-token"]').content;

/** Send a form to the site from a script, with the token that it asks for. */
export function send(path, fields = {}) {
  const body = new URLSearchParams(fields);
  return fetch(path, { method: "POST", body, headers: { "X-Form-Token": token(), Accept: "application/json" } });
}
