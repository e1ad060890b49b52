// The replay viewer: `mount(element, replay, options)` puts it into an element.

import { el, foreign } from "./dom.js";
import { makeExchanges } from "./exchanges.js";
import { hasEyes, positionAt, stopsOf } from "./fold.js";
import { bindKeys, KEYS } from "./keys.js";
import { makeLane } from "./lane.js";
import { makeNotes } from "./notes.js";
import { Player, SPEEDS } from "./player.js";
import { makeReview } from "./review.js";
import { nameOf, sayEvents } from "./say.js";
import { bindTouches, makeScrubber } from "./scrubber.js";
import { makeSheet } from "./sheet.js";
import { makeTable } from "./table.js";
/** @import { EyesOf } from "./player.js" */

const FORMAT = "arbiter-replay/1";
const ADDRESS_MS = 200;

/** Why a value cannot be shown, in a sentence; "" for a replay that can. */
function problemOf(/** @type {any} */ replay) {
  if (replay === null || typeof replay !== "object") return "This is no replay.";
  if (replay.format !== FORMAT) return `This viewer shows ${FORMAT}, and was given another format.`;
  const parts = [replay.players, replay.deals, replay.events, replay.marks];
  if (!parts.every(Array.isArray) || !replay.game) return "This replay is incomplete.";
  if (!replay.events.length) return "This replay has no events.";
  return stopsOf(replay).length ? "" : "This replay is of an older version: it says nothing of the table.";
}

/** Shows a replay in `element`; Error with a sentence where it cannot be shown.
 *
 * Options: `address: false` keeps the position out of the page's address; `console` is an element for the
 * line that leads to the position on show, `config` the season's file in it; `home` one for the line that does so
 * with the replay's file, its `data-file`, under its `data-limits`; `eyesOf(seat)` promises the replay as a seat saw it;
 * `review` is what a review says of the match.
 * @param {HTMLElement} element @param {Told.Replay} replay
 * @param {{ address?: boolean, console?: HTMLElement | null, config?: string, home?: HTMLElement | null, eyesOf?: EyesOf | null, review?: Told.Review | null }} options
 */
export function mount(element, replay, { address = true, console: consoleLine, config = "season.yaml", home, eyesOf = null, review = null } = {}) {
  const problem = problemOf(replay);
  if (problem) throw new Error(problem);
  const onSeek = (/** @type {number} */ i) => player.go(player.restAt(i));
  const table = makeTable(replay, (seat) => eyesOf !== null && hasEyes(replay, seat), (seat) => player.look(seat));
  const lane = makeLane(replay, onSeek);
  const notes = makeNotes(replay, onSeek);
  const exchanges = makeExchanges(onSeek);
  const status = makeStatus(replay);
  const player = new Player(replay, draw, eyesOf);
  const reviewed = review && makeReview(player, review);
  const help = bindKeys(element, player, reviewed?.toggle);
  const controls = makeControls(player, help, reviewed?.button);
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
    // A clock is no card: all are shown, through any eyes.
    table.draw(position, player.eyes, positionAt(replay, player.i).left);
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
    // A reader is likely to try the bot whose eyes are borrowed, or which faulted.
    if (home) home.textContent = `arbiter console --from-replay ${quoted(home.dataset.file ?? "")}${untilOf(replay, player)}${home.dataset.limits} --seat "${player.eyes ?? player.fault?.seat ?? 0}=bot:python3 bot.py"`;
  }

  const place = address ? readAddress() : {};
  player.start(place);
  // It opens at the action: at the place that the address names, at the fault, or with the whole table in view.
  const isBelow = Number(element.querySelector(".rp-steer")?.getBoundingClientRect().bottom) > innerHeight;
  // Not by `scrollIntoView`: the Tab key would go on from there, and miss what stands before.
  if (address && (player.fault || place.i >= 0 || place.deal >= 0 || isBelow)) scrollTo(0, scrollY + element.getBoundingClientRect().top - 4);
  return player;
}

/** The line that says what happened, and through whose eyes one looks. */
function makeStatus(/** @type {Told.Replay} */ replay) {
  const said = el("p", { class: "rp-said", "aria-live": "polite" });
  const where = el("p", { class: "rp-where" });
  const draw = (/** @type {Player} */ player) => {
    said.setAttribute("aria-live", player.isPlaying ? "off" : "polite");
    const words = sayEvents(player.news);
    if (said.textContent !== words) said.textContent = words;
    const eyes = player.eyes === null ? "" : ` · through the eyes of ${nameOf(replay, player.eyes)}`;
    const hidden = replay.deals.length && !replay.players.some(({ seat }) => hasEyes(replay, seat));
    const place = `Deal ${player.deal + 1} of ${Math.max(replay.planned ?? 0, replay.deals.length)} · event ${player.i} of ${player.last}`;
    where.textContent = `${place}${eyes}${hidden ? " · hands are shown when the round is complete" : ""}${player.problem && ` · ${player.problem}`}`;
  };
  const { say } = /** @type {{ say?: string }} */ (replay.result);
  return { element: el("div", { class: "rp-status" }, say ? el("p", { class: "rp-result-say" }, foreign(say)) : null, said), where, draw };
}

function makeControls(/** @type {Player} */ player, /** @type {HTMLDialogElement} */ help, /** @type {HTMLElement | undefined} */ better) {
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
  const all = el("button", { type: "button", title: "Quit the eyes (q)", on: { click: () => player.look(null) } }, "All hands");
  const keys = el("button", { type: "button", "aria-label": "Keys", title: "Keys (?)", on: { click: () => help.showModal() } }, "?");
  const steps = el("div", { class: "rp-controls rp-steps", role: "group", "aria-label": "Steps" }, back, toggle, on);
  const choices = el("div", { class: "rp-controls", role: "group", "aria-label": "Choices" }, fault,
    el("label", {}, el("span", { class: "rp-label" }, "Speed "), speed), keys, better, all);
  const draw = () => {
    const isFirst = player.i <= player.stops[0];
    for (const one of back) one.setAttribute("aria-disabled", String(isFirst));
    for (const one of on) one.setAttribute("aria-disabled", String(player.isAtEnd));
    toggle.textContent = player.isPlaying ? "Pause" : "Play";
    speed.value = String(player.speed);
    all.hidden = player.eyes === null;
  };
  return { elements: [steps, choices], draw };
}

/** The option for the decisions up to the position on show, "" where not all are known. */
function untilOf(/** @type {Told.Replay} */ replay, /** @type {Player} */ player) {
  const made = player.replay.events.filter((event) => event.t === "answer" && event.i <= player.i).length;
  const knowsAll = replay.reader === "full" || replay.deals.every((deal) => deal.hands?.every((hand) => hand !== null));
  return knowsAll ? ` --until ${made}` : "";
}

/** A word as a shell takes it. */
function quoted(/** @type {string} */ word) {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function readAddress() {
  const words = new URLSearchParams(location.search);
  return Object.fromEntries(["deal", "i", "seat", "speed"].map((name) => [name, Number(words.get(name) || NaN)]));
}

/** Writes the position into the address a moment later: browsers limit how often it may change. */
function addressSaver() {
  let timer = 0;
  return (/** @type {Player} */ player) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const address = new URL(location.href);
      const { deal, i, eyes: seat, speed } = player;
      for (const [name, value] of Object.entries({ deal, i, seat, speed: speed === 1 ? null : speed })) {
        if (value === null) address.searchParams.delete(name);
        else address.searchParams.set(name, String(value));
      }
      try {
        history.replaceState(history.state, "", address);
      } catch {
        // A page that was opened from disk has an address of its own.
      }
    }, ADDRESS_MS);
  };
}
