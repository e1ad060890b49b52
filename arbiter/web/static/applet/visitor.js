// A visitor's table on a season's site: a seat against its house bots, with that seat's cards alone.

import { el, foreign } from "../replay/dom.js";
import { mount } from "../replay/replay.js";
import { answerBox } from "../replay/review.js";
import { timeText } from "../replay/say.js";
import { makePresent } from "./present.js";
import { post, Refusal } from "./server.js";

const REST_MS = 3000;
const root = /** @type {HTMLElement} */ (document.getElementById("visitor"));
let key = "";
let state = /** @type {Api.VisitState | null} */ (null);
let replay = /** @type {Api.Replay | null} */ (null);
let viewer = /** @type {ReturnType<typeof mount> | null} */ (null);
let until = 0;
let asking = new AbortController();
/** The last finished match: the key of its table, and its result. */
let played = { key: "", say: "" };
let first = "";
let judged = "";

const problem = el("p", { class: "ap-wrong", role: "alert" });
const left = el("p", { class: "ap-note", title: "After that the table is closed" });
const sitDown = el("button", { type: "button", class: "ap-main-button", on: { click: () => begin() } }, "Sit down");
const sameCards = el("button", { type: "button", class: "ap-main-button", hidden: true, on: { click: () => begin(played.key) } }, "The same cards again");
const others = el("a", { href: root.dataset.below, hidden: true }, "Other opponents");
const back = el("a", { href: root.dataset.below?.replace(/\/table$/, ""), hidden: true }, "Back to the season");
const leave = el("button", { type: "button", on: { click: () => end("You have left the table.") } }, "Leave");
const present = makePresent(decide, () => replay, () => {}, false);
const board = el("div", { class: "ap-board", hidden: true }, el("div", { class: "rp-main ap-main" }, present.element));

const luck = el("p", { "aria-live": "polite" });
const advice = el("details", { class: "ap-advice", hidden: true });
const again = el("section", { "aria-label": "The match again", hidden: true });

root.replaceChildren(el("div", { class: "ap-row" }, sameCards, sitDown, leave, left, others, back,
  el("a", { class: "ap-rules", href: root.dataset.rules, target: "_blank" }, "The rules")), problem, board, luck, advice, again);
leave.hidden = true;
setInterval(showLeft, 1000);
// A closed page leaves its table, so that others can have it.
addEventListener("pagehide", () => key && request("leave", {}, { keepalive: true }).catch(() => {}));

function request(/** @type {string} */ verb, body = {}, /** @type {RequestInit} */ options = {}) {
  // Leaving aborts pending requests, which would fail.
  const signal = verb === "leave" ? undefined : asking.signal;
  return post(`${root.dataset.below}/${verb}`, body, { "X-Table": key }, { signal, ...options });
}

/** Sits down at a new table, with the cards of a finished one if `same` is its key. */
async function begin(same = "") {
  problem.textContent = "";
  sitDown.setAttribute("aria-disabled", "true");
  try {
    if (key) await end("");
    const { key: given, ...fresh } = /** @type {Api.NewVisit} */ (await request("new", { against: opponents(), again: same }));
    key = given;
    first = same && played.say;
    luck.textContent = "";
    for (const one of [again, advice, sitDown, sameCards, others, back]) one.hidden = true;
    board.hidden = leave.hidden = false;
    root.classList.add("ap-seated");
    scrollTo(0, 0);
    // The match may be over by then.
    await draw(fresh);
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
  else if (state.over) await showOver(state);
}

/** Shows the finished match; then how lucky the cards were and what a bot would have played, which takes a moment; then leaves the table. */
async function showOver(/** @type {Api.VisitState} */ { seat, result, luck: line, advice: advised, running }) {
  played = { key, say: result?.say ?? "" };
  leave.hidden = true;
  offerNext();
  if (again.hidden) await showAgain(seat);
  if (typeof line === "string") {
    luck.textContent = `${first && `The first time with these cards: ${first.replace(/^You/, "you")}. `}${line}`;
    if (advised) showAdvice(advised, seat);
    end("");
  } else if (!running && judged !== key) {
    judged = key;
    luck.textContent = "Estimating the luck of the cards, and asking a house bot what it would have played …";
    await draw(await request("luck"));
  }
}

/** Shows the replay of the finished match with all hands, at its end. */
async function showAgain(/** @type {number} */ bottom) {
  const place = el("div", {});
  replay = /** @type {Api.Replay} */ (await request("replay", { open: true }));
  again.replaceChildren(el("h2", {}, "The match again, with all hands"), place);
  again.hidden = false;
  viewer = mount(place, replay, { address: false, bottom });
  viewer.go(viewer.last);
}

/** Lists the visitor's decisions in which the bot would have decided otherwise, each a link to its place. */
function showAdvice(/** @type {Api.Advice} */ { by, answers }, /** @type {number} */ seat) {
  const match = /** @type {Api.Replay} */ (replay);
  const own = match.events.flatMap((event) => (event.t === "answer" && event.seat === seat ? [event] : [])).slice(0, answers.length);
  const differing = own.flatMap((event, place) => (answers[place] && answers[place] !== event.text ? [{ event, word: answers[place] }] : []));
  const items = differing.map(({ event, word }) => el("li", {}, el("a", { href: "#table", on: { click: (/** @type {Event} */ click) => {
    click.preventDefault();
    viewer?.steer(viewer.restAt(event.i));
    again.scrollIntoView();
  } } }, `Deal ${event.deal + 1}: you `, ...answerBox(match, event.text), ", ", foreign(by), " ", ...answerBox(match, word))));
  const otherwise = own.length ? `other than you in ${differing.length} of ${own.length} decisions` : "it did not answer";
  advice.replaceChildren(el("summary", {}, "What ", foreign(by), ` would have played in your seat: ${otherwise}`), el("ol", { role: "list" }, items));
  advice.hidden = false;
}

async function decide(/** @type {string} */ word) {
  const own = key;
  try {
    await draw(await request("decide", { word }));
    return "";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return key === own ? error.message : "";
  }
}

/** Shows what the visitor may do next, in place of the table or below a finished match. */
function offerNext() {
  sitDown.hidden = false;
  sitDown.textContent = state?.over ? "Other cards" : "Sit down again";
  sameCards.hidden = back.hidden = !state?.over;
  others.hidden = !state?.over || !opponents().length;
}

/** Leaves the table; the visitor may start another one. */
async function end(/** @type {string} */ words) {
  const old = key;
  if (!old) return;
  const freed = request("leave").catch(() => {});
  key = "";
  asking.abort();
  asking = new AbortController();
  problem.textContent = words;
  leave.hidden = true;
  offerNext();
  board.hidden = !state?.over;
  root.classList.toggle("ap-seated", Boolean(state?.over));
  replay = null;
  showLeft();
  await freed;
}

function complain(/** @type {unknown} */ error) {
  if (!(error instanceof Refusal)) throw error;
  problem.textContent = error.message;
  return error.message;
}

function showLeft() {
  const isAsked = key && state?.to_act === state?.seat;
  left.textContent = isAsked ? `Decide within ${timeText(Math.max(0, until - Date.now()))}` : "";
}
