// The applet's page: fetches changes, draws them, and posts the user's actions.

import { el, foreign } from "../replay/dom.js";
import { keysDialog, rememberedBox } from "../replay/keys.js";
import { makeDealEditor, makeSeats } from "./changes.js";
import { makeControls, makeTrouble, VERBS } from "./controls.js";
import { makePresent, readerOf } from "./present.js";
import { listen, onRefusal, post, read, Refusal, save } from "./server.js";
import { makeSetup } from "./setup.js";
import { makeShell } from "./shell.js";
/** @import { Act } from "./server.js" */

const root = /** @type {HTMLElement} */ (document.getElementById("applet"));
/** Actions that are permitted while another one is under way. */
const ANY_TIME = ["/stop", "/quit"];
const BUSY = "an action is under way: wait for it, or stop it";
const MOST_NOTES = 5;
const KEYS = [
  ...Object.entries(VERBS).flatMap(([name, [, key, title]]) => (key ? [[key, title, name]] : [])),
  ["l", "Lay the picked cards", "lay"], ["/", "Type an answer", "answer"], ["c", "Type a line for a bot", "shell"],
  ["o", "Show or hide the others’ hands", "open"], ["n", "Set a table", "table"], ["?", "This list", "help"],
];
const OWN_KEYS = "input, select, textarea, [contenteditable], dialog";
/** Exchanges in one answer. */
const AT_ONCE_AT_MOST = 1000;

/** @type {Api.TableState} */
let state;
let next = 0;
let isBusy = false;
let loading = /** @type {Promise<void> | null} */ (null);
let underWay = 0;
let wanted = 0;
let hasEnded = false;
let stopListening = () => {};

const problem = el("p", { class: "ap-wrong", role: "alert" });
const lost = el("p", { class: "ap-wrong", role: "alert", hidden: true }, "The applet does not respond. If it has ended, start it again and open the new link.");
const notes = el("ul", { class: "ap-notes ap-note", role: "list", "aria-label": "Notes" });
const what = el("p", { class: "ap-what" });
const controls = makeControls(verb);
const trouble = makeTrouble(verb);
const present = makePresent(decide, lend, (viewSeat) => state && shell.draw(state, viewSeat));
const shell = makeShell((seat, line) => act("/send", { seat, line }), (seat, name) => act("/macro", { seat, name }), () => asked(save("/traffic")));
const setup = makeSetup(act);
const seats = makeSeats(act);
const dealEditor = makeDealEditor(act);
const help = bindKeys(key);
const areOpen = el("input", { type: "checkbox", on: { change: () => present.openHands(areOpen.checked) } });
const atOnce = rememberedBox("arbiter-applet-at-once");
const top = el("div", { class: "ap-row ap-top" }, what, button("?", () => help.showModal(), { "aria-label": "Keys", title: "Keys (?)" }), button("Quit", quit));
const board = el("div", { class: "ap-board" },
  el("div", { class: "rp-main ap-main" }, controls.element, matchRow(), problem, notes, trouble.element, present.element), shell.element);
const end = el("section", { class: "ap-end", "aria-labelledby": "ap-end-title", hidden: true });

root.replaceChildren(lost, top, board, end, setup.element, seats.element, dealEditor.element, help);
stopListening = listen((revision) => refresh(revision), (isLost) => {
  lost.hidden = !isLost;
}, () => close("The key is missing", el("p", {}, "Open the link that ", el("code", {}, "arbiter applet"), " printed in its terminal: it has the key.")));

function button(/** @type {string} */ text, /** @type {() => void} */ action, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click: action } }, text);
}

/** The actions on the match as a whole. */
function matchRow() {
  const roomy = matchMedia("(min-width: 40rem)");
  const row = el("details", { class: "ap-match", open: roomy.matches }, el("summary", {}, "The match"), el("div", { class: "ap-row" },
    button("Table…", () => asked(setup.open(state))), button("Seats…", () => asked(seats.open(state))),
    button("Cards…", () => asked(dealEditor.open(state.setup.seat_word))), button("Save", () => asked(save("/record"))),
    el("label", { class: "ap-check" }, areOpen, " Open hands"), el("label", { class: "ap-check" }, atOnce, " Bots move immediately")));
  roomy.addEventListener("change", () => {
    row.open = roomy.matches;
  });
  return row;
}

/** Shows the table at a revision or later; `answer` is its state, if it is known already.
 * @type {(revision: number, answer?: Api.TableState | Api.Bare) => Promise<void>} */
function refresh(revision, answer) {
  if (answer?.ended.length) showEnd(answer.ended);
  if (hasEnded || revision <= state?.revision) return Promise.resolve();
  wanted = Math.max(wanted, revision);
  loading ??= onRefusal(loadAll(answer), ({ message }) => {
    if (!hasEnded) problem.textContent = message;
  }).finally(() => {
    loading = null;
  });
  return loading;
}

async function loadAll(/** @type {Api.TableState | Api.Bare | undefined} */ answer) {
  await load(answer ?? (await read("/state")));
  while (wanted > state?.revision && !hasEnded) await load(await read("/state"));
}

async function load(/** @type {Api.TableState | Api.Bare} */ fresh) {
  if (fresh.ended.length) return showEnd(fresh.ended);
  if (!("setup" in fresh)) return;
  const isNew = !isSameMatch(fresh);
  const heard = await readExchanges();
  if (!hasEnded) await draw(fresh, isNew, heard);
}

/** True if no decision was made since: bots get several commands between two decisions. */
function isSameMatch(/** @type {Api.TableState} */ fresh) {
  const identity = (/** @type {Api.TableState} */ { setup: { game, options, seed, round, seats: sitting }, made, redoable, left_ms: left, request }) =>
    JSON.stringify([game, options, seed, round, sitting, made, redoable, left, request]);
  return Boolean(state) && identity(state) === identity(fresh);
}

/** Fetches the exchanges since the last ones, page by page. */
async function readExchanges() {
  /** @type {Api.Passed} */
  const heard = { exchanges: [], next, from: 0 };
  for (let isMore = true; isMore;) {
    /** @type {Api.Passed} */
    const part = await read(`/exchanges?after=${heard.next}`);
    heard.exchanges.push(...part.exchanges);
    isMore = part.exchanges.length >= AT_ONCE_AT_MOST;
    [heard.next, heard.from] = [part.next, part.from];
  }
  return heard;
}

/** Fetches the match as `viewSeat` sees it; null, with a message, if that fails. */
async function lend(/** @type {number | null} */ viewSeat) {
  showBusy(1);
  /** @type {Api.Replay | null} */
  let lent = null;
  await asked(read(`/replay?reader=${readerOf(viewSeat)}`).then((replay) => {
    lent = replay;
  })).finally(() => showBusy(-1));
  return lent;
}

async function draw(/** @type {Api.TableState} */ fresh, /** @type {boolean} */ isNew, /** @type {Api.Passed} */ { exchanges, next: following, from }) {
  board.hidden = false;
  [state, next] = [fresh, following];
  notes.replaceChildren(...state.notes.slice(-MOST_NOTES).map((note) => el("li", {}, foreign(note))));
  what.replaceChildren(...whatIsPlayed());
  controls.draw(state);
  trouble.draw(state);
  await present.draw(state, isNew);
  shell.add(exchanges, from);
  root.dataset.revision = String(state.revision);
  showBusy(0);
  if (isNew && isBotToBegin()) verb("play");
}

/** True if a match with a person waits for its first bot, and bots move immediately. */
function isBotToBegin() {
  const { setup: { seats: sitting }, to_act: seat, made, running, redoable, trouble: bad } = state;
  return atOnce.checked && !made && !running && !redoable && !bad && seat !== null && !sitting[seat].person && sitting.some(({ person }) => person);
}

function whatIsPlayed() {
  const { game, title, seed, round, limits } = state.setup;
  const details = [title ?? game, `round ${round}`, `seed ${seed}`, limits.isolation ? `${limits.isolation} isolation` : ""].filter(Boolean);
  return [foreign(details.join(" · ")), state.by_hand ? el("span", { class: "mark", title: "Something was done that a referee would not do" }, "by hand") : ""];
}

/** Posts an action; returns an error message or "". With `throws` a Refusal is thrown instead.
 * @type {Act} */
async function act(path, body = {}, { throws = false } = {}) {
  if (isBusy && !ANY_TIME.includes(path)) {
    if (throws) throw new Refusal([{ message: BUSY }]);
    return BUSY;
  }
  const isOwn = !isBusy;
  isBusy = true;
  showBusy(1);
  problem.textContent = "";
  /** @type {Api.TableState | Api.Bare | undefined} */
  let answer = state;
  try {
    answer = await post(path, body);
    return "";
  } catch (error) {
    if (throws || !(error instanceof Refusal)) throw error;
    return error.message;
  } finally {
    if (isOwn) isBusy = false;
    (answer ? refresh(answer.revision, answer) : Promise.resolve()).finally(() => showBusy(-1));
  }
}

/** Marks whether the page is about to change. */
function showBusy(/** @type {number} */ more) {
  underWay += more;
  root.dataset.busy = String(underWay > 0 || Boolean(state?.running));
}

async function verb(/** @type {string} */ name) {
  const [, , , path, body] = VERBS[name];
  const wrong = await act(path, body?.(state));
  // A double click means its first click.
  if (wrong !== BUSY) problem.textContent = wrong;
}

/** Waits for a request outside of `act`, and shows its error. */
function asked(/** @type {Promise<void>} */ work) {
  return onRefusal(work, ({ message }) => {
    problem.textContent = message;
  });
}

async function decide(/** @type {string} */ word) {
  const isPerson = state.setup.seats[state.to_act ?? -1]?.person;
  // Busy until the bots play: the state in between is not the next one to act on.
  showBusy(1);
  try {
    const wrong = await act("/decide", { word });
    if (!wrong && isPerson && atOnce.checked) verb("play");
    return wrong;
  } finally {
    showBusy(-1);
  }
}

function key(/** @type {string} */ name) {
  if (name in VERBS) return verb(name);
  /** @type {Record<string, () => unknown>} */
  const others = {
    lay: present.layPicked, answer: present.focusField, shell: shell.focusField, table: () => asked(setup.open(state)), help: () => help.showModal(),
    open: () => {
      areOpen.checked = !areOpen.checked;
      present.openHands(areOpen.checked);
    },
  };
  return others[name]();
}

async function quit() {
  problem.textContent = await act("/quit");
  if (!problem.textContent && end.hidden) showEnd([]);
}

function showEnd(/** @type {Api.EndedSeat[]} */ ended) {
  close("The applet has ended", el("ul", {}, ended.filter(({ said }) => said).map(({ seat, said }) => el("li", {}, `Seat ${seat}: `, foreign(said)))),
    el("p", { class: "ap-note" }, "Start it again in its terminal: arbiter applet."));
}

/** Disables the page, with a message. */
function close(/** @type {string} */ title, /** @type {HTMLElement[]} */ ...words) {
  stopListening();
  hasEnded = true;
  for (const element of [board, top, lost]) element.hidden = true;
  end.hidden = false;
  const heading = el("h2", { id: "ap-end-title", tabindex: "-1" }, title);
  end.replaceChildren(heading, ...words);
  heading.focus();
}

/** Listens for keys on the whole page and calls `act(name)`; returns the dialog that lists and disables them. */
function bindKeys(/** @type {(name: string) => void} */ act) {
  const areOn = rememberedBox("arbiter-applet-keys");
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest(OWN_KEYS) || document.querySelector("dialog[open]")) return;
    const found = KEYS.find(([key]) => key === event.key);
    if (!found || !(areOn.checked || found[0] === "?")) return;
    event.preventDefault();
    act(found[2]);
  });
  return keysDialog("Keys of the applet", KEYS, areOn, " Single keys work on this page");
}
