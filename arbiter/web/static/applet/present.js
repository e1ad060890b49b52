// The current table: that of the replay, with cards to pick and legal answers; the others' hands are covered.

import { el } from "../replay/dom.js";
import { positionAt, stopsOf } from "../replay/fold.js";
import { calm } from "../replay/motion.js";
import { eventsText } from "../replay/say.js";
import { makeTable } from "../replay/table.js";
import { makeChoosing } from "./choosing.js";
/** @import { Position } from "../replay/fold.js" */

const MOST_SAID = 12; // only the last of many simultaneous events are described
const TURN_MS = 600; // of a bot, if a person plays
/** A table to draw: the applet's, or a visitor's.
 * @typedef {Pick<Api.TableState, "to_act" | "request" | "asks" | "must" | "legal" | "lays" | "says" | "hint" | "made" | "over" | "result" | "running"> & {
 *   setup: Partial<Omit<Api.TableSetup, "seats">> & { seats: { person: boolean }[] }, players?: string[], trouble: { seat: number } | null, left_ms: number[] | null }} Standing @typedef {Api.Replay | null} Lent */

/** The public view: no cards, only what all seats know. */
export const NOBODY = -1;

/** The reader whose replay has exactly these cards. */
export function readerOf(/** @type {number | null} */ viewSeat) {
  if (viewSeat === null) return "full";
  return viewSeat === NOBODY ? "public" : `seat:${viewSeat}`;
}

/** Keeps the others' hands covered; `look(state)` returns {viewSeat, next}: whose cards are shown (a seat, NOBODY,
 * or null for all), and the seat to pass the keyboard to, or null. */
export class HandCover {
  constructor(areOpen = false) {
    this.areOpen = areOpen;
    this.last = /** @type {number | null} */ (null);
  }

  /** Shows the cards of a seat, whose person has the keyboard now. */
  show(/** @type {number} */ seat) {
    this.last = seat;
  }

  look(/** @type {Standing} */ { setup, to_act: toAct, over }) {
    const people = setup.seats.flatMap(({ person }, seat) => (person ? [seat] : []));
    if (this.areOpen || over || people.length === 0) return { viewSeat: null, next: null };
    if (people.length === 1) return { viewSeat: people[0], next: null };
    if (toAct !== null && people.includes(toAct) && toAct !== this.last) return { viewSeat: NOBODY, next: toAct };
    return { viewSeat: people.find((seat) => seat === this.last) ?? NOBODY, next: null };
  }
}

/** The table and the answers below it; `decide(word)` returns an error message, or "".
 *
 * `draw(state, isNew)` shows a state; if the match `isNew`, `lend(viewSeat)` returns the replay that this seat sees, or
 * null. `onViewSeat(viewSeat)` is called with whose cards are shown: see `HandCover`. With `forAll` the user may decide for bots.
 * @param {(word: string) => Promise<string>} decide @param {(viewSeat: number | null) => Lent | Promise<Lent>} lend
 * @param {(viewSeat: number | null) => void} onViewSeat */
export function makePresent(decide, lend, onViewSeat, forAll = true) {
  let cover = new HandCover();
  const place = el("div", { class: "ap-place" });
  const message = el("p", { class: "rp-said" });
  const turn = el("p", { class: "ap-turn" });
  const live = el("div", { "aria-live": "polite" }, turn, message);
  const over = el("p", { class: "ap-over", role: "status" });
  const choosing = makeChoosing(decideHere, redraw, forAll);
  const instead = el("button", { type: "button", class: "ap-instead", on: { click: () => {
    isInstead = true;
    wanted = "choice";
    redraw();
  } } });
  const passOn = el("button", { type: "button", class: "ap-pass-on", on: { click: () => {
    if (looking.next !== null) cover.show(looking.next);
    wanted = "choice";
    redraw();
  } } });
  const element = el("div", { class: "ap-play", id: "table", tabindex: "-1" }, el("div", { class: "ap-news" }, over, live), place, passOn, instead, choosing.element);
  let table = /** @type {ReturnType<typeof makeTable> | null} */ (null);
  let frame = "";
  /** @type {Standing} */
  let now;
  let views = /** @type {Map<number | null, Api.Replay>} */ (new Map());
  /** @type {ReturnType<HandCover["look"]>} */
  let looking = { viewSeat: null, next: null };
  let isInstead = false;
  let asked = "";
  let wanted = "";
  let seen = { key: "", i: -1 };
  let isHurried = false;
  place.addEventListener("click", () => {
    isHurried = true;
  });

  async function decideHere(/** @type {string} */ word) {
    wanted = choosing.hasField() ? "field" : "choice";
    const problem = await decide(word);
    if (problem) wanted = "";
    return problem;
  }

  async function draw(/** @type {Standing} */ state, /** @type {boolean} */ isNew) {
    if (turnOf(state) !== asked) isInstead = false;
    asked = turnOf(state);
    if (isNew) views = new Map();
    const { game, options, seed, seats } = state.setup;
    const key = JSON.stringify([game, options, seed, seats, state.players]);
    if (key !== frame) {
      // It is another table.
      cover = new HandCover(cover.areOpen);
      table = null;
      frame = key;
    }
    now = state;
    await redraw();
  }

  /** Shows the current state as soon as its view is available. */
  function redraw() {
    if (!now) return undefined;
    const [state, known] = [now, views];
    looking = cover.look(state);
    const { viewSeat: whose } = looking;
    const isStill = () => now === state && known === views && looking.viewSeat === whose;
    const there = known.get(whose);
    if (there) return render(state, there);
    return Promise.resolve(lend(whose)).then(async (view) => {
      if (view) known.set(whose, view);
      if (view && isStill() && table) await walk(state, view, isStill);
      if (view && isStill()) render(state, view);
    });
  }

  /** Shows the moves of the others one at a time, so that each trick can be seen; a click on the table skips this. */
  async function walk(/** @type {Standing} */ state, /** @type {Api.Replay} */ view, /** @type {() => boolean} */ isStill) {
    const isWatched = state.setup.seats.some(({ person }) => person) && !calm.matches && `${frame} ${looking.viewSeat}` === seen.key;
    const steps = isWatched ? stopsOf(view).filter((stop) => stop > seen.i).slice(-MOST_SAID, -1) : [];
    isHurried = false;
    for (const stop of steps) {
      if (isHurried || !isStill()) return;
      const position = { ...positionAt(view, stop), to_act: null };
      keepFocus(false, () => {
        choosing.ask(null, !forAll);
        table?.draw(position, looking.viewSeat === NOBODY ? null : looking.viewSeat, clocks(state, position));
      });
      put(message, eventsText(view.events.filter(({ i }) => i > seen.i && i <= stop)));
      seen.i = stop;
      await new Promise((done) => {
        setTimeout(done, TURN_MS);
      });
    }
  }

  function render(/** @type {Standing} */ state, /** @type {Api.Replay} */ view) {
    const people = state.setup.seats.flatMap(({ person }, seat) => (person ? [seat] : []));
    const board = table ?? makeTable(view, () => false, () => {}, people.length === 1 ? people[0] : 0);
    if (table === null) place.replaceChildren(board.element);
    table = board;
    const last = view.events.at(-1)?.i ?? -1;
    const position = { ...positionAt(view, last), to_act: state.to_act, trouble: state.trouble?.seat };
    const question = questionOf(state, position);
    keepFocus(Boolean(question), () => {
      choosing.ask(question, !forAll && !state.over);
      board.draw(position, looking.viewSeat === NOBODY ? null : looking.viewSeat, state.left_ms ?? clocks(state, position), choosing.pick());
      showOffers(state);
    });
    say(state, view, last);
    onViewSeat(looking.viewSeat);
  }

  /** Shows the buttons before a decision: for the next person's cards, or in place of a bot. */
  function showOffers(/** @type {Standing} */ state) {
    passOn.hidden = looking.next === null;
    passOn.textContent = `Show seat ${looking.next}’s cards`;
    instead.hidden = !forAll || isInstead || state.to_act === null || state.running || isPerson(state);
    instead.textContent = `Decide in place of seat ${state.to_act}`;
  }

  /** The clocks; a visitor has none. */
  function clocks(/** @type {Standing} */ { setup }, /** @type {Position} */ { left }) {
    return forAll ? left : setup.seats.map(() => null);
  }

  function questionOf(/** @type {Standing} */ state, /** @type {Position} */ position) {
    const seat = state.to_act;
    if (seat === null || state.running || looking.next !== null || !(isPerson(state) || isInstead)) return null;
    return { key: `${frame} ${asked}`, title: askWords(state), faces: position.faces, seat, asks: state.asks, must: state.must, legal: state.legal, lays: state.lays, says: state.says, hint: state.hint,
      open: Boolean(position.hands[seat]) };
  }

  function say(/** @type {Standing} */ state, /** @type {Api.Replay} */ view, /** @type {number} */ last) {
    // While bots play, a screen reader would never stop.
    live.setAttribute("aria-live", state.running ? "off" : "polite");
    const key = `${frame} ${looking.viewSeat}`;
    const from = key === seen.key ? seen.i : last - 1;
    if (last < from) put(message, `Back to ${count(state.made, "decision")}.`);
    else if (last > from) put(message, eventsText(view.events.filter(({ i }) => i > from && i <= last).slice(-MOST_SAID)));
    seen = { key, i: last };
    put(over, state.result ? (forAll ? `match over: ${state.result.say}` : `${state.result.say}.`) : "");
    element.classList.toggle("ap-done", state.over);
    put(turn, turnWords(state, view));
  }

  function turnWords(/** @type {Standing} */ state, /** @type {Api.Replay} */ view) {
    if (state.running) return "The bots are playing.";
    if (state.to_act === null) return "";
    if (looking.next !== null) return `Pass the keyboard on: seat ${looking.next} is to act.`;
    const place = `Deal ${view.deals.length}, after ${count(state.made, "decision")}`;
    if (forAll) return `${place}: seat ${state.to_act} is to ${state.asks} (${state.request}).`;
    return isPerson(state) ? `${place}.` : `${place}: seat ${state.to_act} is to act.`;
  }

  /** The request to a visitor, or to a seat. */
  function askWords(/** @type {Standing} */ { to_act: seat, asks, must, legal }) {
    if (!forAll && legal.length === 1 && legal[0] === "pass") return "You can only pass";
    const whose = forAll ? `Seat ${seat}` : "Your turn";
    if (must) return `${whose}: ${must}`;
    return forAll ? `${whose} is to ${asks}` : `${whose} to ${asks}`;
  }

  /** Redraws, and keeps the focus on the same card, or moves it to the next action. */
  function keepFocus(/** @type {boolean} */ isAsked, /** @type {() => void} */ work) {
    const held = document.activeElement ?? document.body;
    const card = /** @type {HTMLElement | null} */ (held.closest(".rp-pick"));
    const cards = () => /** @type {HTMLElement[]} */ ([...place.querySelectorAll(".rp-pick")]);
    const among = card ? cards().indexOf(card) : -1;
    const wasHere = held !== element && element.contains(held);
    // Between two decisions of people there may be no action for a moment.
    const waits = wanted !== "" && (wasHere || held === document.body || held === element);
    work();
    const same = cards()[among];
    if (waits && isAsked) {
      if (wanted === "field") choosing.focusField();
      else focusChoice();
      wanted = "";
    } else if (same && same.dataset.card === card?.dataset.card) {
      same.focus();
    } else if ((waits && !passOn.hidden) || (wasHere && !(held.isConnected && held.checkVisibility({ visibilityProperty: true })))) {
      if (isAsked) focusChoice();
      else (passOn.hidden ? element : passOn).focus({ preventScroll: true });
    }
  }

  /** Focuses the first legal answer. */
  function focusChoice() {
    (/** @type {HTMLElement | null} */ (place.querySelector(".rp-pick:not([aria-disabled])")) ?? choosing.firstAnswer() ?? element).focus();
  }

  function openHands(/** @type {boolean} */ areOpen) {
    cover.areOpen = areOpen;
    redraw();
  }

  return { element, draw, openHands, focusField: choosing.focusField, layPicked: choosing.layPicked };
}

function isPerson(/** @type {Standing} */ { setup, to_act: seat }) {
  return seat !== null && setup.seats[seat].person;
}

/** A key that is unique to the decision. */
function turnOf(/** @type {Standing} */ { made, to_act: seat, request }) {
  return `${made} ${seat} ${request}`;
}

function put(/** @type {HTMLElement} */ element, /** @type {string} */ text) {
  if (element.textContent !== text) element.textContent = text;
}

function count(/** @type {number} */ number, /** @type {string} */ word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
