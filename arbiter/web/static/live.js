// A page that fills in by itself: told that something happened, it loads itself again and changes what differs.
// On a wall screen tables that have no room beside the others come in turn.
import { all, loadAgain, one } from "./page.js";

const page = one("[data-events]");
const said = one(".listening", page);
const REST_MS = 2000; // between two loads
const FAILED_MS = 10000; // after one that failed
const SPREAD_MS = 1000; // so that not all screens of a hall ask at once
const TURN_MS = 15000;
let source = /** @type {EventSource | null} */ (null);
let planned = 0; // 0 for nothing
let loading = false;
let again = false; // something happened while it was loading
let loaded = 0;

function say(/** @type {string} */ text) {
  if (said.textContent !== text) said.textContent = text;
}

async function load() {
  planned = 0;
  loading = true;
  loaded = Date.now();
  try {
    await loadAgain();
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
  planned ||= setTimeout(load, wait);
}

function listen() {
  source = new EventSource(page.dataset.events ?? "");
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
  const button = one(".hold", page);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let held = calm.matches;
  let at = 0;

  function show(/** @type {number} */ next) {
    const groups = all("[data-turn]", page); // anew, since they come with the news
    at = groups.length ? next % groups.length : 0;
    groups.forEach((group, k) => (group.hidden = k !== at));
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
  setInterval(() => held || show(at + 1), TURN_MS);
}

/** Plays the match that the page names over and over, and another one when it names that. */
async function playByItself() {
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
  turnByItself();
  playByItself().catch(() => {}); // the rest of the wall goes on without it
}
