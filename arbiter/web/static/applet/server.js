// What passes between a page and its server: JSON with the page's token, and a word whenever something changed.

const TOKEN = document.querySelector('meta[name="csrf"]')?.content ?? "";

/** What is refused, in the server's words; `errors` has a {message, hint, field} for each mistake. */
export class Refusal extends Error {
  constructor(errors, status = 0) {
    super(errors.map(({ message, hint }) => (hint ? `${message} (${hint})` : message)).join("; "));
    this.errors = errors;
    this.status = status;
  }
}

/** The JSON at `path`; Refusal where the server says no or does not answer. */
export function read(path) {
  return request(path, {});
}

/** Has the server do something; its answer. Refusal with its reasons. `more` are other headers than the token. */
export function post(path, body = {}, more = { "X-CSRF-Token": TOKEN }, options = {}) {
  return request(path, { method: "POST", headers: { "Content-Type": "application/json", ...more }, body: JSON.stringify(body), ...options });
}

/** Calls `onChange(revision)` whenever something has changed, `onLost(isLost)` when the applet goes and comes. */
export function listen(onChange, onLost) {
  const source = new EventSource("/events");
  source.onopen = () => onLost(false);
  source.onmessage = ({ data }) => onChange(JSON.parse(data).revision);
  source.onerror = () => onLost(true);
  return () => source.close();
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { headers: { Accept: "application/json" }, ...options });
  } catch {
    throw new Refusal([{ message: "nobody answers", hint: "it may have ended; try again in a moment" }]);
  }
  const answer = await parsed(response);
  if (response.ok) return answer;
  const { errors, error } = answer ?? {};
  throw new Refusal(errors?.length ? errors : [error ?? { message: `the answer was ${response.status}` }], response.status);
}

async function parsed(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
