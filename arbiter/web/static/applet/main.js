// The applet's page: asks for what has changed, draws it, and has the applet do what its user wants.

import { el, foreign } from "../replay/dom.js";
import { keysDialog, rememberedBox } from "../replay/keys.js";
import { makeDealEditor, makeSeats } from "./changes.js";
import { makeControls, makeTrouble, VERBS } from "./controls.js";
import { makePresent, readerOf } from "./present.js";
import { listen, orTell, post, read, Refusal, save } from "./server.js";
import { makeSetup } from "./setup.js";
import { makeShell } from "./shell.js";
/** @import { Act } from "./server.js" */

const root = /** @type {HTMLElement} */ (document.getElementById("applet"));
/** What may be wanted while something else is under way. */
const ANY_TIME = ["/stop", "/quit"];
const BUSY = "something is under way: wait for it, or stop it";
const MOST_NOTES = 5;
const KEYS = [
  ...Object.entries(VERBS).flatMap(([name, [, key, title]]) => (key ? [[key, title, name]] : [])),
  ["l", "Lay the picked cards", "lay"], ["/", "Write an answer", "answer"], ["c", "Write a line to a bot", "shell"],
  ["o", "Open the others’ hands, or cover them", "open"], ["n", "Set a table", "table"], ["?", "This list", "help"],
];
const OWN_KEYS = "input, select, textarea, [contenteditable], dialog";
/** Exchanges in one answer. */
const AT_ONCE_AT_MOST = 1000;

/** @type {Told.TableState} */
let state;
let next = 0;
let isBusy = false;
let loading = /** @type {Promise<void> | null} */ (null);
let underWay = 0;
let wanted = 0;
let hasEnded = false;
let stopListening = () => {};

const problem = el("p", { class: "ap-wrong", role: "alert" });
const lost = el("p", { class: "ap-wrong", role: "alert", hidden: true }, "The applet does not answer. It may have ended: start it again and open the new link.");
const notes = el("ul", { class: "ap-notes ap-note", role: "list", "aria-label": "Notes" });
const what = el("p", { class: "ap-what" });
const controls = makeControls(verb);
const trouble = makeTrouble(verb);
const present = makePresent(decide, lend, (eyes) => state && shell.draw(state, eyes));
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
}, () => close("No entry", el("p", {}, "Open the link that ", el("code", {}, "arbiter applet"), " printed in its terminal: it has the key.")));

function button(/** @type {string} */ text, /** @type {() => void} */ action, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click: action } }, text);
}

/** What concerns the match as a whole. */
function matchRow() {
  const roomy = matchMedia("(min-width: 40rem)");
  const row = el("details", { class: "ap-match", open: roomy.matches }, el("summary", {}, "The match"), el("div", { class: "ap-row" },
    button("Table…", () => asked(setup.open(state))), button("Seats…", () => asked(seats.open(state))),
    button("Cards…", () => asked(dealEditor.open(state.setup.seat_word))), button("Save", () => asked(save("/record"))),
    el("label", { class: "ap-check" }, areOpen, " Open hands"), el("label", { class: "ap-check" }, atOnce, " Bots move at once")));
  roomy.addEventListener("change", () => {
    row.open = roomy.matches;
  });
  return row;
}

/** Shows the table as it stands at a revision or later; `answer` is its state, where that is known already.
 * @type {(revision: number, answer?: Told.TableState | Told.Bare) => Promise<void>} */
function refresh(revision, answer) {
  if (answer?.ended.length) showEnd(answer.ended);
  if (hasEnded || revision <= state?.revision) return Promise.resolve();
  wanted = Math.max(wanted, revision);
  loading ??= orTell(loadAll(answer), ({ message }) => {
    if (!hasEnded) problem.textContent = message;
  }).finally(() => {
    loading = null;
  });
  return loading;
}

async function loadAll(/** @type {Told.TableState | Told.Bare | undefined} */ answer) {
  await load(answer ?? (await read("/state")));
  while (wanted > state?.revision && !hasEnded) await load(await read("/state"));
}

async function load(/** @type {Told.TableState | Told.Bare} */ fresh) {
  if (fresh.ended.length) return showEnd(fresh.ended);
  if (!("setup" in fresh)) return;
  const isNew = !isSameMatch(fresh);
  const heard = await readExchanges();
  if (!hasEnded) await draw(fresh, isNew, heard);
}

/** True where nothing was decided since: bots hear much between two decisions. */
function isSameMatch(/** @type {Told.TableState} */ fresh) {
  const told = (/** @type {Told.TableState} */ { setup: { game, options, seed, round, seats: sitting }, made, redoable, left_ms: left, request }) =>
    JSON.stringify([game, options, seed, round, sitting, made, redoable, left, request]);
  return Boolean(state) && told(state) === told(fresh);
}

/** What was exchanged since; the applet gives so many at a time. */
async function readExchanges() {
  /** @type {Told.Passed} */
  const heard = { exchanges: [], next, from: 0 };
  for (let isMore = true; isMore;) {
    /** @type {Told.Passed} */
    const part = await read(`/exchanges?after=${heard.next}`);
    heard.exchanges.push(...part.exchanges);
    isMore = part.exchanges.length >= AT_ONCE_AT_MOST;
    [heard.next, heard.from] = [part.next, part.from];
  }
  return heard;
}

/** The match as whose eyes see it, from the applet; null where it does not come, and shows why. */
async function lend(/** @type {number | null} */ eyes) {
  showBusy(1);
  /** @type {Told.Replay | null} */
  let lent = null;
  await asked(read(`/replay?reader=${readerOf(eyes)}`).then((replay) => {
    lent = replay;
  })).finally(() => showBusy(-1));
  return lent;
}

async function draw(/** @type {Told.TableState} */ fresh, /** @type {boolean} */ isNew, /** @type {Told.Passed} */ { exchanges, next: following, from }) {
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

/** True where a match waits for its first bot, and bots are to move at once for a person. */
function isBotToBegin() {
  const { setup: { seats: sitting }, to_act: seat, made, running, redoable, trouble: bad } = state;
  return atOnce.checked && !made && !running && !redoable && !bad && seat !== null && !sitting[seat].person && sitting.some(({ person }) => person);
}

function whatIsPlayed() {
  const { game, title, seed, round, limits } = state.setup;
  const told = [title ?? game, `round ${round}`, `seed ${seed}`, limits.isolation ? `${limits.isolation} isolation` : ""].filter(Boolean);
  return [foreign(told.join(" · ")), state.by_hand ? el("span", { class: "mark", title: "Something was done that a referee would not have" }, "by hand") : ""];
}

/** Has the applet do something; a problem in words, or "". Mistakes at fields are thrown as they are.
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
  /** @type {Told.TableState | Told.Bare | undefined} */
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

/** Says whether what is shown is about to change. */
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

/** Waits for what the applet is asked for outside of `act`, and shows why it does not come. */
function asked(/** @type {Promise<void>} */ work) {
  return orTell(work, ({ message }) => {
    problem.textContent = message;
  });
}

async function decide(/** @type {string} */ word) {
  const isPerson = state.setup.seats[state.to_act ?? -1]?.person;
  const wrong = await act("/decide", { word });
  if (!wrong && isPerson && atOnce.checked) verb("play");
  return wrong;
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

function showEnd(/** @type {Told.EndedSeat[]} */ ended) {
  close("The applet has ended", el("ul", {}, ended.filter(({ said }) => said).map(({ seat, said }) => el("li", {}, `Seat ${seat}: `, foreign(said)))),
    el("p", { class: "ap-note" }, "Start it again in its terminal: arbiter applet."));
}

/** Nothing can be done here any more. */
function close(/** @type {string} */ title, /** @type {HTMLElement[]} */ ...words) {
  stopListening();
  hasEnded = true;
  for (const element of [board, top, lost]) element.hidden = true;
  end.hidden = false;
  const heading = el("h2", { id: "ap-end-title", tabindex: "-1" }, title);
  end.replaceChildren(heading, ...words);
  heading.focus();
}

/** Listens for keys on the whole page and calls `act(name)`; the dialog that lists and can end them. */
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
