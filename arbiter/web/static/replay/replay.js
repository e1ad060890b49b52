// The replay viewer: `mount(element, replay, options)` renders it in an element.

import { el, foreign } from "./dom.js";
import { makeExchanges } from "./exchanges.js";
import { hasSeatView, positionAt, stopsOf } from "./fold.js";
import { bindKeys, KEYS } from "./keys.js";
import { makeLane } from "./lane.js";
import { makeNotes } from "./notes.js";
import { Player, SPEEDS } from "./player.js";
import { makeReview } from "./review.js";
import { nameOf, eventsText } from "./say.js";
import { bindTouches, makeScrubber } from "./scrubber.js";
import { makeSheet } from "./sheet.js";
import { makeTable } from "./table.js";
/** @import { LoadView } from "./player.js" */

const FORMAT = "arbiter-replay/1";
const ADDRESS_MS = 200;

/** Why a value cannot be shown, as a sentence; "" for a valid replay. */
function problemOf(/** @type {any} */ replay) {
  if (replay === null || typeof replay !== "object") return "Expected a replay.";
  if (replay.format !== FORMAT) return `Expected the format ${FORMAT}, got another one.`;
  const parts = [replay.players, replay.deals, replay.events, replay.marks];
  if (!parts.every(Array.isArray) || !replay.game) return "This replay is incomplete.";
  if (!replay.events.length) return "This replay has no events.";
  return stopsOf(replay).length ? "" : "This replay is of an older version, without positions of the table.";
}

/** Shows a replay in `element`; Error with a sentence if it cannot be shown.
 *
 * Options: `address: false` keeps the position out of the URL; `console` is an element for the command that opens
 * the current position, `config` the season's file in it; `home` is one for the command that does so with the
 * replay's file, its `data-file`, under its `data-limits`; `loadView(seat)` promises the replay as a seat saw it;
 * `review` is the review of the match; `bottom` is the seat below while no seat is in view.
 * @param {HTMLElement} element @param {Api.Replay} replay
 * @param {{ address?: boolean, console?: HTMLElement | null, config?: string, home?: HTMLElement | null, loadView?: LoadView | null, review?: Api.Review | null, bottom?: number }} options
 */
export function mount(element, replay, { address = true, console: consoleLine, config = "season.yaml", home, loadView = null, review = null, bottom = 0 } = {}) {
  const problem = problemOf(replay);
  if (problem) throw new Error(problem);
  const onSeek = (/** @type {number} */ i) => player.go(player.restAt(i));
  const table = makeTable(replay, (seat) => loadView !== null && hasSeatView(replay, seat), (seat) => player.viewFrom(seat), bottom);
  const lane = makeLane(replay, onSeek);
  const notes = makeNotes(replay, onSeek);
  const exchanges = makeExchanges(onSeek);
  const status = makeStatus(replay);
  const player = new Player(replay, draw, loadView);
  exchanges.element.open = Boolean(player.fault);
  const reviewed = review && makeReview(player, review);
  const help = bindKeys(element, player, reviewed?.toggle);
  const controls = makeControls(player, help, reviewed ? [reviewed.worst, reviewed.button] : []);
  const scrubber = makeScrubber(player);
  const sheet = makeSheet(player);
  bindTouches(table.element, player);
  element.classList.add("rp");
  element.replaceChildren(
    el("div", { class: "rp-board" }, el("div", { class: "rp-main" }, status.element, reviewed?.line, table.element,
      el("div", { class: "rp-steer" }, scrubber.element, status.where, controls.elements)),
    el("div", { class: "rp-below" }, sheet.elements, lane.element, reviewed?.elements, notes.element, exchanges.element)), help);
  const save = address ? addressSaver() : null;

  function draw() {
    const position = positionAt(player.view, player.i);
    // All readers see the clocks.
    table.draw(position, player.viewSeat, positionAt(replay, player.i).left);
    exchanges.draw(player.view, player.deal, player.i);
    lane.draw(player.deal, player.i);
    notes.draw(player.i);
    reviewed?.draw();
    status.draw(player);
    controls.draw();
    scrubber.draw();
    sheet.draw();
    save?.(player);
    if (consoleLine) consoleLine.textContent = `arbiter console --config ${quoted(config)} --from ${quoted(replay.id)}${untilOf(replay, player)}`;
    // A reader probably wants to try the bot that is looked at, or that faulted.
    if (home) home.textContent = `arbiter console --from-replay ${quoted(home.dataset.file ?? "")}${untilOf(replay, player)}${home.dataset.limits} --seat "${player.viewSeat ?? player.fault?.seat ?? 0}=bot:python3 bot.py"`;
  }

  const place = address ? readAddress() : {};
  player.start(place);
  // It scrolls to the viewer if the URL names a position, at a fault, or if the table is not fully visible.
  const isBelow = Number(element.querySelector(".rp-steer")?.getBoundingClientRect().bottom) > innerHeight;
  // Not by `scrollIntoView`, which would move the start of Tab navigation.
  if (address && (player.fault || place.i >= 0 || place.deal >= 0 || isBelow)) scrollTo(0, scrollY + element.getBoundingClientRect().top - 4);
  return player;
}

/** The status lines: what happened, and the seat in view. */
function makeStatus(/** @type {Api.Replay} */ replay) {
  const message = el("p", { class: "rp-said", "aria-live": "polite" });
  const where = el("p", { class: "rp-where" });
  const draw = (/** @type {Player} */ player) => {
    message.setAttribute("aria-live", player.isPlaying ? "off" : "polite");
    const words = eventsText(player.news);
    if (message.textContent !== words) message.textContent = words;
    const viewSeat = player.viewSeat === null ? "" : ` · as seen by ${nameOf(replay, player.viewSeat)}`;
    const hidden = replay.deals.length && !replay.players.some(({ seat }) => hasSeatView(replay, seat));
    const place = `Deal ${player.deal + 1} of ${Math.max(replay.planned ?? 0, replay.deals.length)} · event ${player.i} of ${player.last}`;
    where.textContent = `${place}${viewSeat}${hidden ? " · hands are shown when the round is complete" : ""}${player.problem && ` · ${player.problem}`}`;
  };
  const { say } = /** @type {{ say?: string }} */ (replay.result);
  return { element: el("div", { class: "rp-status" }, say ? el("p", { class: "rp-result-say" }, foreign(say)) : null, message), where, draw };
}

function makeControls(/** @type {Player} */ player, /** @type {HTMLDialogElement} */ help, /** @type {(HTMLElement | null)[]} */ better) {
  const button = (/** @type {string} */ text, /** @type {string} */ key) => {
    const [sign, words, , act] = KEYS.find(([, , one]) => one === key) ?? KEYS[0];
    const label = words[0].toUpperCase() + words.slice(1);
    return el("button", { type: "button", "aria-label": label, title: `${label} (${sign})`, on: { click: () => act(player, help) } }, text);
  };
  const back = [button("|‹", "Home"), button("«", "["), button("‹", "ArrowLeft")];
  const on = [button("›", "ArrowRight"), button("»", "]"), button("›|", "End")];
  const toggle = el("button", { type: "button", class: "rp-toggle", title: "Play or pause (space)",
    on: { click: () => player.toggle() } }, "Play");
  const fault = player.fault ? button("Fault", "f") : null;
  const speed = el("select", { on: { change: () => player.setSpeed(Number(speed.value)) } },
    SPEEDS.map((value) => el("option", { value }, `${value} ×`)));
  const all = el("button", { type: "button", title: "Show all hands again (q)", on: { click: () => player.viewFrom(null) } }, "All hands");
  const keys = el("button", { type: "button", "aria-label": "Keys", title: "Keys (?)", on: { click: () => help.showModal() } }, "?");
  const steps = el("div", { class: "rp-controls rp-steps", role: "group", "aria-label": "Steps" }, back, toggle, on);
  const choices = el("div", { class: "rp-controls", role: "group", "aria-label": "Choices" }, fault,
    el("label", {}, el("span", { class: "rp-label" }, "Speed "), speed), keys, ...better, all);
  const draw = () => {
    const isFirst = player.i <= player.stops[0];
    for (const one of back) one.setAttribute("aria-disabled", String(isFirst));
    for (const one of on) one.setAttribute("aria-disabled", String(player.isAtEnd));
    toggle.textContent = player.isPlaying ? "Pause" : "Play";
    speed.value = String(player.speed);
    all.hidden = player.viewSeat === null;
  };
  return { elements: [steps, choices], draw };
}

/** The option for the decisions up to the current position, "" if not all are known. */
function untilOf(/** @type {Api.Replay} */ replay, /** @type {Player} */ player) {
  const made = player.replay.events.filter((event) => event.t === "answer" && event.i <= player.i).length;
  const knowsAll = replay.reader === "full" || replay.deals.every((deal) => deal.hands?.every((hand) => hand !== null));
  return knowsAll ? ` --until ${made}` : "";
}

/** A word quoted for a shell. */
function quoted(/** @type {string} */ word) {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function readAddress() {
  const words = new URLSearchParams(location.search);
  return Object.fromEntries(["deal", "i", "seat", "speed"].map((name) => [name, Number(words.get(name) || NaN)]));
}

/** Writes the position to the URL after a delay: browsers limit how often it may change. */
function addressSaver() {
  let timer = 0;
  return (/** @type {Player} */ player) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const address = new URL(location.href);
      const { deal, i, viewSeat: seat, speed } = player;
      for (const [name, value] of Object.entries({ deal, i, seat, speed: speed === 1 ? null : speed })) {
        if (value === null) address.searchParams.delete(name);
        else address.searchParams.set(name, String(value));
      }
      try {
        history.replaceState(history.state, "", address);
      } catch {
        // The URL of a page opened from disk cannot be changed.
      }
    }, ADDRESS_MS);
  };
}
