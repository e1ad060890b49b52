// A live page: on an event it reloads and updates the changed parts. On a wall screen groups of tables alternate.
import { all, loadAgain, one } from "./page.js";

const page = one("[data-events]");
const message = one(".listening", page);
const REST_MS = 2000; // between two loads
const FAILED_MS = 10000; // after a failed reload
const SPREAD_MS = 1000; // random delay, so that not all screens reload at once
const TURN_MS = 15000;
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

function rotate() {
  const button = one(".hold", page);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let held = calm.matches;
  let at = 0;

  function show(/** @type {number} */ next) {
    const groups = all("[data-turn]", page); // reloads replace them
    at = groups.length ? next % groups.length : 0;
    groups.forEach((group, k) => (group.hidden = k !== at));
  }

  function label() {
    button.textContent = held ? "Rotate" : "Hold";
  }

  button.hidden = false;
  button.addEventListener("click", () => {
    held = !held;
    if (!held) show(at + 1);
    label();
  });
  label();
  if (!held) show(0);
  setInterval(() => held || show(at + 1), TURN_MS);
}

/** Plays the match that the page names in a loop, and another one once the page names that. */
async function loopReplay() {
  const place = page.querySelector(".playing");
  if (!place) return;
  const [{ mount }, { read }] = await Promise.all([import("./replay/replay.js"), import("./applet/server.js")]);
  let shown = "";
  let player = /** @type {ReturnType<typeof mount> | null} */ (null);

  async function show() {
    const url = /** @type {HTMLElement | null} */ (page.querySelector("[data-replay]"))?.dataset.replay ?? "";
    if (url && url !== shown) {
      player?.pause();
      shown = url;
      player = mount(/** @type {HTMLElement} */ (place), await read(url), { address: false });
    }
    if (!player || player.isPlaying || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    if (player.isAtEnd) player.go(0);
    player.play();
  }

  await show();
  setInterval(show, TURN_MS);
}

if (page.classList.contains("wall")) {
  rotate();
  loopReplay().catch(() => {}); // the rest of the wall continues without it
}
