// A page that fills in by itself: told that something happened, it loads itself again and changes what differs.
// On a wall screen it also turns from section to section, a screen at a time.
import { moments } from "./page.js";

const page = document.querySelector("[data-events]");
const said = page.querySelector(".listening");
const REST_MS = 2000; // between two loads
const FAILED_MS = 10000; // after one that failed
const SPREAD_MS = 1000; // so that not all screens of a hall ask at once
const TURN_MS = 15000;
let source = null;
let planned = null;
let loading = false;
let again = false; // something happened while it was loading
let loaded = 0;

function say(text) {
  if (said.textContent !== text) said.textContent = text;
}

function replace(old, fresh) {
  if (old.innerHTML === fresh.innerHTML) return;
  const link = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  old.replaceChildren(...fresh.cloneNode(true).childNodes);
  if (link) old.querySelector(`a[href="${CSS.escape(link)}"]`)?.focus();
}

function renew(old, fresh) {
  const rows = [...fresh.querySelectorAll("[data-key]")];
  const there = new Map([...old.querySelectorAll("[data-key]")].map((row) => [row.dataset.key, row]));
  const same = rows.length > 0 && rows.length === there.size && rows.every((row) => there.has(row.dataset.key));
  if (!same) replace(old, fresh);
  else for (const row of rows) replace(there.get(row.dataset.key), row);
}

async function load() {
  planned = null;
  loading = true;
  loaded = Date.now();
  try {
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (!answer.ok) throw new Error(answer.statusText);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    moments(fresh);
    for (const part of fresh.querySelectorAll("[data-live]")) {
      const old = document.querySelector(`[data-live="${part.dataset.live}"]`);
      if (old) renew(old, part);
    }
  } catch {
    // The next event may never come.
    loaded = Date.now() + FAILED_MS;
    again = true;
  }
  loading = false;
  if (again) plan();
}

function plan() {
  // One after the other: an older page must not come last.
  again = loading;
  if (loading) return;
  const wait = Math.max(REST_MS - (Date.now() - loaded), 0) + Math.random() * SPREAD_MS;
  planned ??= setTimeout(load, wait);
}

function listen() {
  source = new EventSource(page.dataset.events);
  source.onopen = () => {
    say("News come by themselves.");
    plan();
  };
  source.onerror = () => say("The connection is lost; it is tried again by itself.");
  for (const kind of ["match", "round", "standings", "state"]) source.addEventListener(kind, plan);
}

// A page that nobody sees holds no connection: browsers have few for each site.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (!source) listen();
});
if (!document.hidden) listen();

function turnByItself() {
  const sections = [...page.querySelectorAll("[data-turn]")];
  const button = page.querySelector(".hold");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let held = calm.matches;
  let at = 0;

  function show(next) {
    at = next % sections.length;
    sections.forEach((section, k) => (section.hidden = k !== at));
    scrollTo({ top: 0, behavior: "instant" });
  }

  function turn() {
    if (held) return;
    const below = document.documentElement.scrollHeight - innerHeight - scrollY;
    if (below > 8) scrollBy({ top: innerHeight * 0.85, behavior: "instant" });
    else show(at + 1);
  }

  function label() {
    button.textContent = held ? "Turn by itself" : "Hold";
  }

  button.hidden = false;
  button.addEventListener("click", () => {
    held = !held;
    if (!held) show(at + 1);
    label();
  });
  label();
  if (!held) show(0);
  setInterval(turn, TURN_MS);
}

if (page.classList.contains("wall")) turnByItself();
