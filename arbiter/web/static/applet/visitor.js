// A visitor's table on a season's site: a seat against its house bots, with that seat's cards alone.

import { el } from "../replay/dom.js";
import { mount } from "../replay/replay.js";
import { timeText } from "../replay/say.js";
import { makePresent } from "./present.js";
import { post, Refusal } from "./server.js";

const REST_MS = 3000;
const root = /** @type {HTMLElement} */ (document.getElementById("visitor"));
let key = "";
let state = /** @type {Api.VisitState | null} */ (null);
let replay = /** @type {Api.Replay | null} */ (null);
let until = 0;
let asking = new AbortController();

const problem = el("p", { class: "ap-wrong", role: "alert" });
const left = el("p", { class: "ap-note ap-left" });
const sitDown = el("button", { type: "button", class: "ap-main-button", on: { click: begin } }, "Sit down");
const leave = el("button", { type: "button", on: { click: () => end("You have left the table.") } }, "Leave");
const present = makePresent(decide, () => replay, () => {}, false);
const board = el("div", { class: "ap-board", hidden: true }, el("div", { class: "rp-main ap-main" }, present.element));

const luck = el("p", { "aria-live": "polite" });
const again = el("section", { "aria-label": "The match again", hidden: true });

root.replaceChildren(el("div", { class: "ap-row" }, sitDown, leave, left), problem, board, luck, again);
leave.hidden = true;
setInterval(showLeft, 1000);
// A closed page leaves its table, so that others can have it.
addEventListener("pagehide", () => key && request("leave", {}, { keepalive: true }).catch(() => {}));

function request(/** @type {string} */ verb, body = {}, /** @type {RequestInit} */ options = {}) {
  // Leaving aborts pending requests, which would fail.
  const signal = verb === "leave" ? undefined : asking.signal;
  return post(`${root.dataset.below}/${verb}`, body, { "X-Table": key }, { signal, ...options });
}

async function begin() {
  problem.textContent = "";
  sitDown.setAttribute("aria-disabled", "true");
  try {
    const { key: given, ...first } = /** @type {Api.NewVisit} */ (await request("new", { against: opponents() }));
    key = given;
    again.hidden = true;
    luck.textContent = "";
    board.hidden = false;
    [sitDown.hidden, leave.hidden] = [true, false];
    // The match may be over by then.
    await draw(first);
    follow(given);
  } catch (error) {
    end(complain(error));
  } finally {
    sitDown.removeAttribute("aria-disabled");
  }
}

/** The chosen house bots; none if there is no choice. */
function opponents() {
  return /** @type {HTMLSelectElement[]} */ ([...document.querySelectorAll("#against select")]).map(({ value }) => value);
}

/** Draws each change of the table until it ends, or another one begins. */
async function follow(/** @type {string} */ own) {
  while (key === own && state) {
    try {
      await draw(await request("state", { after: state.revision }));
    } catch (error) {
      if (key !== own) return;
      if (error instanceof Refusal && error.status === 404) return end("This table was closed because no decision came in time.");
      complain(error);
      await new Promise((done) => {
        setTimeout(done, REST_MS);
      });
    }
  }
}

async function draw(/** @type {Api.VisitState} */ fresh) {
  const own = key;
  // The table was left before the answer came.
  if (!own) return;
  const isNew = replay === null || fresh.revision !== state?.revision;
  const match = /** @type {Api.Replay} */ (isNew ? await request("replay") : replay);
  // A later answer or another table may have come in the meantime.
  if (key !== own || (replay && state && fresh.revision < state.revision)) return;
  [state, replay] = [fresh, match];
  until = Date.now() + state.seconds_left * 1000;
  const seats = fresh.players.map((_, seat) => ({ person: seat === fresh.seat }));
  await present.draw({ ...fresh, running: fresh.running && !fresh.over, setup: { seats }, trouble: null, left_ms: null }, isNew);
  showLeft();
  root.dataset.made = String(state.made);
  if (state.failed) end("A house bot has failed, so this table is closed. Sit down at another one.");
  else if (state.over) await showOver(match);
}

/** Shows the finished match, and the estimate of its luck, which takes a moment; then leaves the table. */
async function showOver(/** @type {Api.Replay} */ match) {
  if (again.hidden) showAgain(match);
  const line = state?.luck;
  if (typeof line === "string") {
    luck.textContent = line;
    end("");
  } else if (!state?.running) {
    luck.textContent = "Estimating the luck of the cards …";
    await draw(await request("luck"));
  }
}

/** Shows the replay of the finished match. */
function showAgain(/** @type {Api.Replay} */ match) {
  const place = el("div", {});
  again.replaceChildren(el("h2", {}, "The match again"), place);
  again.hidden = false;
  mount(place, match, { address: false });
}

async function decide(/** @type {string} */ word) {
  try {
    await draw(await request("decide", { word }));
    return "";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return key && error.message;
  }
}

/** Leaves the table; the visitor may start another one. */
function end(/** @type {string} */ words) {
  const old = key;
  if (!old) return;
  request("leave").catch(() => {});
  key = "";
  asking.abort();
  asking = new AbortController();
  problem.textContent = words;
  [sitDown.hidden, leave.hidden] = [false, true];
  sitDown.textContent = "Sit down again";
  board.hidden = !state?.over;
  replay = null;
  showLeft();
}

function complain(/** @type {unknown} */ error) {
  if (!(error instanceof Refusal)) throw error;
  problem.textContent = error.message;
  return error.message;
}

function showLeft() {
  const isAsked = key && state?.to_act === state?.seat;
  left.textContent = isAsked ? `Decide within ${timeText(Math.max(0, until - Date.now()))}, or the table is closed.` : "";
}
