// A live page: on an event it reloads and updates the changed parts. A screen on a wall is turned by wall.js.
import { loadAgain, one } from "./page.js";
import { turn } from "./wall.js";

const page = one("[data-events]");
const message = one(".listening", page);
const REST_MS = 2000; // between two loads
const FAILED_MS = 10000; // after a failed reload
const SPREAD_MS = 1000; // random delay, so that not all screens reload at once
const arrange = page.classList.contains("wall") ? turn(page) : () => {};
let source = /** @type {EventSource | null} */ (null);
let planned = 0; // 0 for nothing
let loading = false;
let again = false; // an event came while it was loading
let loaded = 0;

function say(/** @type {string} */ text) {
  if (message.textContent !== text) message.textContent = text;
}

async function load() {
  planned = 0;
  loading = true;
  loaded = Date.now();
  try {
    await loadAgain();
    arrange();
  } catch {
    // There may be no further event.
    loaded = Date.now() + FAILED_MS;
    again = true;
  }
  loading = false;
  if (again) plan();
}

function plan() {
  // One reload at a time: an older page must not come last.
  again = loading;
  if (loading) return;
  const wait = Math.max(REST_MS - (Date.now() - loaded), 0) + Math.random() * SPREAD_MS;
  planned ||= setTimeout(load, wait);
}

function listen() {
  source = new EventSource(page.dataset.events ?? "");
  source.onopen = () => {
    say("This page updates automatically.");
    plan();
  };
  source.onerror = () => say("The connection is lost; reconnecting.");
  for (const kind of ["match", "round", "standings", "state"]) source.addEventListener(kind, plan);
}

// A hidden page holds no connection: browsers limit them per site.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (!source) listen();
});
if (!document.hidden) listen();
