// What passes between a page and its server: JSON with the page's key, and a word whenever something changed.

/** The header with the applet's key. */
const KEY = { "X-CSRF-Token": document.querySelector('meta[name="csrf"]')?.content ?? "" };
const RETRY_MS = 1000;
const SAVED_MS = 60_000;

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

/** Has the server do something; its answer. Refusal with its reasons. `more` are other headers than the key. */
export function post(path, body = {}, more = KEY, options = {}) {
  return request(path, { method: "POST", headers: { "Content-Type": "application/json", ...more }, body: JSON.stringify(body), ...options });
}

/** Calls `onChange(revision)` whenever something has changed, `onLost(isLost)` when the applet goes and comes, and
 * `onClosed()` where it does not take the key; until the function that it gives is called. */
export function listen(onChange, onLost, onClosed) {
  const asking = new AbortController();
  const follow = async () => {
    // No EventSource: it sends no header.
    const response = await fetch("/events", { headers: KEY, cache: "no-store", signal: asking.signal });
    if (response.status === 403) {
      asking.abort();
      return onClosed();
    }
    if (!response.ok) return undefined;
    onLost(false);
    return eachLine(response.body, (line) => line.startsWith("data:") && onChange(JSON.parse(line.slice(5)).revision));
  };
  const goOn = async () => {
    while (!asking.signal.aborted) {
      await follow().catch(() => {});
      if (asking.signal.aborted) return;
      onLost(true);
      await new Promise((done) => {
        setTimeout(done, RETRY_MS);
      });
    }
  };
  goOn();
  return () => asking.abort();
}

/** Saves what is at `path` as a file, under the name that the server gives it; a link would not send the key. */
export async function save(path) {
  const response = await answered(path, {});
  if (!response.ok) throw await refusal(response);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}

async function eachLine(body, act) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.forEach(act);
  }
}

async function request(path, options) {
  const response = await answered(path, options);
  if (!response.ok) throw await refusal(response);
  return parsed(response);
}

async function answered(path, options) {
  try {
    return await fetch(path, { cache: "no-store", headers: { Accept: "application/json", ...KEY }, ...options });
  } catch {
    throw new Refusal([{ message: "nobody answers", hint: "it may have ended; try again in a moment" }]);
  }
}

async function refusal(response) {
  const { errors, error } = (await parsed(response)) ?? {};
  return new Refusal(errors?.length ? errors : [error ?? { message: `the answer was ${response.status}` }], response.status);
}

async function parsed(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
