// The script of every page: a switch of the colour scheme, times in the reader's time zone.
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const button = one(".scheme");
/** @type {Intl.DateTimeFormatOptions} */
const MOMENT = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
const SOON_MS = 20000;

function show() {
  const isDark = root.dataset.scheme ? root.dataset.scheme === "dark" : dark.matches;
  button.textContent = isDark ? "Light" : "Dark";
  button.setAttribute("aria-label", isDark ? "Switch to light colours" : "Switch to dark colours");
  button.hidden = false;
}

/** All elements that match a selector. */
export function all(/** @type {string} */ selector, /** @type {ParentNode} */ within = document) {
  return /** @type {HTMLElement[]} */ ([...within.querySelectorAll(selector)]);
}

/** The first element that matches a selector, which must exist. */
export function one(/** @type {string} */ selector, /** @type {ParentNode} */ within = document) {
  return /** @type {HTMLElement} */ (within.querySelector(selector));
}

/** How long it is until something begins, such as "in 3 min". */
function untilText(/** @type {number} */ seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds <= 0) return "now";
  if (minutes < 1) return "in less than a minute";
  return minutes < 60 ? `in ${minutes} min` : `in ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function moments(/** @type {Document} */ page) {
  for (const time of page.querySelectorAll("time")) {
    const when = new Date(time.dateTime);
    if (Number.isNaN(when.valueOf())) continue;
    const local = when.toLocaleString([], MOMENT);
    const wait = (when.valueOf() - Date.now()) / 1000;
    const isNear = "soon" in time.dataset && wait < 86400;
    time.textContent = isNear ? untilText(wait) : "soon" in time.dataset ? `at ${local}` : local;
    time.title = isNear ? local : time.dateTime;
  }
}

/** Reloads this page and updates its `data-live` parts; true if one changed. Error if the request fails. */
export async function loadAgain() {
  const answer = await fetch(location.href, { cache: "no-cache", redirect: "error" });
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  moments(fresh);
  document.title = fresh.title;
  const old = new Map(all("[data-live]").map((part) => [part.dataset.live, part]));
  return all("[data-live]", fresh).map((part) => renew(old.get(part.dataset.live), part)).some(Boolean);
}

/** Updates a part row by row, so that details in unchanged rows stay open. */
function renew(/** @type {HTMLElement | undefined} */ old, /** @type {HTMLElement} */ fresh) {
  if (!old) return false;
  const [before, rows] = [all("[data-key]", old), all("[data-key]", fresh)];
  const last = before.at(-1);
  if (!last || before.some((row, place) => row.dataset.key !== rows[place]?.dataset.key)) return replace(old, fresh);
  const isChanged = before.map((row, place) => replace(row, rows[place])).some(Boolean);
  last.parentNode?.append(...rows.slice(before.length));
  return isChanged || rows.length > before.length;
}

/** Replaces the content, keeping the focus on a link; true if it changed. */
function replace(/** @type {HTMLElement} */ old, /** @type {HTMLElement} */ fresh) {
  const [before, after] = [old, fresh].map(({ innerHTML }) => innerHTML.replaceAll(' open=""', ""));
  if (before === after) return false;
  const held = document.activeElement;
  const link = old.contains(held) && held?.getAttribute("href");
  old.replaceChildren(...fresh.cloneNode(true).childNodes);
  if (link) one(`a[href="${CSS.escape(link)}"]`, old)?.focus();
  return true;
}

button.addEventListener("click", () => {
  const now = root.dataset.scheme ?? (dark.matches ? "dark" : "light");
  const scheme = now === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("scheme", scheme);
  } catch {
    // it lasts for this page
  }
  root.dataset.scheme = scheme;
  show();
});
dark.addEventListener("change", show);
show();
moments(document);
if (document.querySelector("[data-soon]")) setInterval(() => moments(document), SOON_MS);
