// What passes between the page and the applet: JSON with the page's token, and a word whenever something changed.

const TOKEN = document.querySelector('meta[name="csrf"]')?.content ?? "";

/** What the applet refuses, in its words; `errors` has a {message, hint, field} for each mistake. */
export class Refusal extends Error {
  constructor(errors) {
    super(errors.map(({ message, hint }) => (hint ? `${message} (${hint})` : message)).join("; "));
    this.errors = errors;
  }
}

/** The JSON at `path`; Refusal where the applet says no or does not answer. */
export function read(path) {
  return request(path, {});
}

/** Has the applet do something; its answer, which is the new state. Refusal with its reasons. */
export function post(path, body = {}) {
  return request(path, {
    method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": TOKEN }, body: JSON.stringify(body),
  });
}

/** Calls `onChange()` whenever something has changed, `onLost(isLost)` when the applet goes and comes. */
export function listen(onChange, onLost) {
  const source = new EventSource("/events");
  source.onopen = () => {
    onLost(false);
    onChange();
  };
  source.onmessage = onChange;
  source.onerror = () => onLost(true);
  return () => source.close();
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { headers: { Accept: "application/json" }, ...options });
  } catch {
    throw new Refusal([{ message: "the applet does not answer", hint: "it may have ended: start it again" }]);
  }
  const answer = await parsed(response);
  if (response.ok) return answer;
  const { errors, error } = answer ?? {};
  throw new Refusal(errors?.length ? errors : [error ?? { message: `the applet answered ${response.status}` }]);
}

async function parsed(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
