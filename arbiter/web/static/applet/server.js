// Requests of a page to its server: JSON with the page's key, and a stream of changes.

/** @typedef {{ message: string, hint?: string, field?: string }} Mistake */
/** @typedef {(path: string, body?: object, options?: { throws?: boolean }) => Promise<string>} Act */

const meta = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="csrf"]'));
/** The header with the applet's key. */
const KEY = { "X-CSRF-Token": meta?.content ?? "" };
const RETRY_MS = 1000;
const SAVED_MS = 60_000;

/** A refused request; `errors` has {message, hint, field} for each error. */
export class Refusal extends Error {
  constructor(/** @type {Mistake[]} */ errors, status = 0) {
    super(errors.map(({ message, hint }) => (hint ? `${message} (${hint})` : message)).join("; "));
    this.errors = errors;
    this.status = status;
  }
}

/** Waits for `work`; passes a Refusal to `show`, and rethrows other errors. */
export async function onRefusal(/** @type {Promise<unknown>} */ work, /** @type {(refusal: Refusal) => void} */ show) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    show(error);
  }
}

/** Fetches the JSON at `path`; Refusal if the server refuses or does not respond. */
export async function read(/** @type {string} */ path, /** @type {RequestInit} */ options = {}) {
  return parsed(await answered(path, options));
}

/** Posts JSON and returns the answer; Refusal with the reasons. `more` are headers in place of the key. */
export function post(/** @type {string} */ path, /** @type {object} */ body = {}, /** @type {HeadersInit} */ more = KEY, /** @type {RequestInit} */ options = {}) {
  return read(path, { method: "POST", headers: { "Content-Type": "application/json", ...more }, body: JSON.stringify(body), ...options });
}

/** Calls `onChange(revision)` at each change, `onLost(isLost)` when the connection is lost or restored, and
 * `onClosed()` if the key is refused; returns a function that stops listening.
 * @param {(revision: number) => void} onChange @param {(isLost: boolean) => void} onLost @param {() => void} onClosed */
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
    return eachLine(response, (line) => line.startsWith("data:") && onChange(JSON.parse(line.slice(5)).revision));
  };
  const reconnect = async () => {
    while (!asking.signal.aborted) {
      await follow().catch(() => {});
      if (asking.signal.aborted) return;
      onLost(true);
      await new Promise((done) => {
        setTimeout(done, RETRY_MS);
      });
    }
  };
  reconnect();
  return () => asking.abort();
}

/** Downloads `path` as a file under the server's name; a link would not send the key. */
export async function save(/** @type {string} */ path) {
  const response = await answered(path, {});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}

async function eachLine(/** @type {Response} */ response, /** @type {(line: string) => void} */ act) {
  const reader = /** @type {ReadableStream} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(act);
  }
}

async function answered(/** @type {string} */ path, /** @type {RequestInit} */ options) {
  const asked = fetch(path, { cache: "no-store", headers: { Accept: "application/json", ...KEY }, ...options });
  const response = await asked.catch(() => {
    throw new Refusal([{ message: "the server does not respond", hint: "try again in a moment" }]);
  });
  if (response.ok) return response;
  const { errors, error } = (await parsed(response)) ?? {};
  throw new Refusal(errors?.length ? errors : [error ?? { message: `the answer was ${response.status}` }], response.status);
}

async function parsed(/** @type {Response} */ response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
