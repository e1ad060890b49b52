// A visitor's table on a season's site: a seat against its house bots, and nothing but that seat's cards.

import { el } from "../replay/dom.js";
import { mount } from "../replay/replay.js";
import { sayTime } from "../replay/say.js";
import { makePresent } from "./present.js";
import { post, Refusal } from "./server.js";

const REST_MS = 3000;
const root = /** @type {HTMLElement} */ (document.getElementById("visitor"));
let key = "";
let state = /** @type {Told.VisitState | null} */ (null);
let replay = /** @type {Told.Replay | null} */ (null);
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
// A page that goes gives its table up: others may wait for it.
addEventListener("pagehide", () => key && tell("leave", {}, { keepalive: true }).catch(() => {}));

function tell(/** @type {string} */ verb, body = {}, /** @type {RequestInit} */ options = {}) {
  // What is still asked when the table is given up would be told that there is none.
  const signal = verb === "leave" ? undefined : asking.signal;
  return post(`${root.dataset.below}/${verb}`, body, { "X-Table": key }, { signal, ...options });
}

async function begin() {
  problem.textContent = "";
  sitDown.setAttribute("aria-disabled", "true");
  try {
    const { key: given, ...first } = /** @type {Told.Begun} */ (await tell("new", { against: opponents() }));
    key = given;
    again.hidden = true;
    luck.textContent = "";
    board.hidden = false;
    [sitDown.hidden, leave.hidden] = [true, false];
    // The table may be over by then.
    await draw(first);
    follow(given);
  } catch (error) {
    end(complain(error));
  } finally {
    sitDown.removeAttribute("aria-disabled");
  }
}

/** The house bots that were chosen; nobody where there is no choice. */
function opponents() {
  return /** @type {HTMLSelectElement[]} */ ([...document.querySelectorAll("#against select")]).map(({ value }) => value);
}

/** Draws each change of the table until it is over, or another one was begun. */
async function follow(/** @type {string} */ own) {
  while (key === own && state) {
    try {
      await draw(await tell("state", { after: state.revision }));
    } catch (error) {
      if (key !== own) return;
      if (error instanceof Refusal && error.status === 404) return end("This table was given up, since nobody decided for some time.");
      complain(error);
      await new Promise((done) => {
        setTimeout(done, REST_MS);
      });
    }
  }
}

async function draw(/** @type {Told.VisitState} */ fresh) {
  const own = key;
  // Given up before the answer to a decision came: it was over.
  if (!own) return;
  const isNew = replay === null || fresh.revision !== state?.revision;
  const match = /** @type {Told.Replay} */ (isNew ? await tell("replay") : replay);
  // An answer to a decision may have come meanwhile, or another table.
  if (key !== own || (replay && state && fresh.revision < state.revision)) return;
  [state, replay] = [fresh, match];
  until = Date.now() + state.seconds_left * 1000;
  const seats = fresh.players.map((_, seat) => ({ person: seat === fresh.seat }));
  await present.draw({ ...fresh, running: fresh.running && !fresh.over, setup: { seats }, trouble: null, left_ms: null }, isNew);
  showLeft();
  root.dataset.made = String(state.made);
  if (state.failed) end("A house bot has failed, so this table is over. Sit down at another one.");
  else if (state.over) await showOver(match);
}

/** The match that is over, and a line about its cards, which takes the bots a moment: the table is left after it. */
async function showOver(/** @type {Told.Replay} */ match) {
  if (again.hidden) showAgain(match);
  const line = state?.luck;
  if (typeof line === "string") {
    luck.textContent = line;
    end("");
  } else if (!state?.running) {
    luck.textContent = "What were the cards worth? One moment …";
    await draw(await tell("luck"));
  }
}

/** The match that is over, from its first card on. */
function showAgain(/** @type {Told.Replay} */ match) {
  const place = el("div", {});
  again.replaceChildren(el("h2", {}, "The match again"), place);
  again.hidden = false;
  mount(place, match, { address: false });
}

async function decide(/** @type {string} */ word) {
  try {
    await draw(await tell("decide", { word }));
    return "";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return key && error.message;
  }
}

/** The table is over or left: another one may be taken. */
function end(/** @type {string} */ words) {
  const old = key;
  if (!old) return;
  tell("leave").catch(() => {});
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
  left.textContent = isAsked ? `Decide within ${sayTime(Math.max(0, until - Date.now()))}, or the table is given up.` : "";
}
