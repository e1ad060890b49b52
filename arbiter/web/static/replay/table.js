// Draws one position: seats around the table in clockwise order, the cards in the middle, known facts.

import { backs, cardBox, fan, markOf } from "./cards.js";
import { el, foreign, spoken } from "./dom.js";
import { moveCards } from "./motion.js";
import { isSuited, pointsText, timeText, suitFace } from "./say.js";
/** @import { Picking } from "./cards.js" @import { Seek } from "./exchanges.js" @import { Position } from "./fold.js" */

/** @type {Record<number, string[]>} */
const PLACES = { 2: ["south", "north"], 3: ["south", "west", "east"], 4: ["south", "west", "north", "east"] };
const MOST_ROWS = 4;

/** A table; `draw(position, viewSeat, left, pick)` draws a position. A seat's button calls `onViewSeat(seat)`. Below is
 * the seat in view, by default `bottom`.
 *
 * `pick` makes the cards of `pick.seat` buttons: `pick.card(name, place)` returns whether a card is `legal` and
 * `picked` (undefined if a click is the whole answer), and `choose()` for a click.
 */
export function makeTable(/** @type {Api.Replay} */ replay, /** @type {(seat: number) => boolean} */ canSee, /** @type {Seek} */ onViewSeat, bottom = 0) {
  const middle = el("section", { class: "rp-middle", "aria-label": "The table" });
  const seats = replay.players.map((player) => makeSeat(replay, player, canSee, onViewSeat));
  const element = el("div", { class: "rp-table", "data-seats": seats.length }, middle, seats.map((seat) => seat.element));
  let last = /** @type {Position | null} */ (null);
  let tray = bottom;
  /** @type {(position: Position, viewSeat: number | null, left: (number | null)[], pick?: Picking | null) => void} */
  const draw = (position, viewSeat, left, pick) => {
    const move = moveCards(element, last, position);
    element.dataset.cards = isSuited(position.faces) ? "suited" : "plain";
    const places = PLACES[seats.length] ?? PLACES[4];
    // If there is room for one hand, it is that of the acting seat.
    tray = pick?.seat ?? viewSeat ?? position.fault?.seat ?? position.to_act ?? (position.dealPoints ? bottom : tray);
    seats.forEach((seat, number) => {
      seat.element.dataset.place = places[(number - (viewSeat ?? bottom) + seats.length) % seats.length];
      seat.element.classList.toggle("rp-tray", number === tray);
      seat.draw(position, viewSeat, left[number], pick?.seat === number ? pick : null);
    });
    middle.replaceChildren(...drawMiddle(replay, position, viewSeat ?? bottom));
    move();
    last = position;
  };
  return { element, draw };
}

function makeSeat(/** @type {Api.Replay} */ replay, /** @type {Api.ReplayPlayer} */ player, /** @type {(seat: number) => boolean} */ canSee, /** @type {Seek} */ onViewSeat) {
  const { name, seat } = player;
  const state = el("span", { class: "rp-state" });
  const count = el("span", { class: "rp-count" });
  const known = el("div", { class: "rp-known" });
  const held = el("div", { class: "rp-held" });
  const label = `View of seat ${seat}: only what it saw`;
  const viewButton = el("button", {
    type: "button", class: "rp-eyes", "aria-pressed": "false", "aria-label": label, title: label,
    on: { click: () => onViewSeat(seat) },
  }, "view");
  const heading = el("h3", { class: "rp-name", title: name }, markOf(player),
    el("span", { class: "rp-number", "aria-hidden": "true" }, seat), spoken(`Seat ${seat}: `), foreign(name));
  const element = el("section", { class: "rp-seat", "data-seat": seat, "aria-label": `Seat ${seat}` },
    el("div", { class: "rp-plate" }, heading, count, state, canSee(seat) ? viewButton : null, known), held);
  /** @type {(position: Position, viewSeat: number | null, left: number | null, pick: Picking | null) => void} */
  const draw = (position, viewSeat, left, pick) => {
    const isFaulty = position.fault?.seat === seat;
    const isTroubled = position.trouble === seat;
    const isActing = position.to_act === seat && !isFaulty;
    element.classList.toggle("rp-acting", isActing);
    element.classList.toggle("rp-faulty", isFaulty || isTroubled);
    state.textContent = isTroubled ? "trouble" : isFaulty ? "fault" : isActing ? "to act" : "";
    viewButton.setAttribute("aria-pressed", String(viewSeat === seat));
    const number = position.counts[seat] ?? 0;
    count.replaceChildren(String(number), spoken(number === 1 ? " card" : " cards"));
    count.hidden = !position.dealt;
    known.replaceChildren(facts(replay, position, player, left));
    held.replaceChildren(el("p", { class: "rp-whose" }, markOf(player), foreign(name)), hand(position, seat, pick));
  };
  return { element, draw };
}

/** @type {(replay: Api.Replay, position: Position, player: Api.ReplayPlayer, left: number | null) => HTMLElement} */
function facts(replay, position, { seat, substitute }, left) {
  const details = Object.entries(position.roles).filter(([, values]) => isBySeat(replay, values) && values[seat] !== "")
    .map(([name, values]) => [name === "role" ? "" : name, values[seat] ?? "–"]);
  if (substitute) details.unshift(["", "substitute"]);
  if (position.dealPoints) details.push(["deal", pointsText(position.dealPoints)[seat]]);
  details.push(["points", pointsText(position.points)[seat]]);
  if (left !== null) details.push(["clock", timeText(left)]);
  return el("dl", { class: "rp-facts" }, details.map(([name, value]) =>
    el("div", { class: name ? null : "rp-role" }, el("dt", {}, name || spoken("role")), el("dd", {}, value))));
}

/** True for a list with a value per seat. */
export function isBySeat(/** @type {Api.Replay} */ replay, /** @type {unknown} */ values) {
  return Array.isArray(values) && values.length === replay.players.length;
}

/** @type {(position: Position, seat: number, pick: Picking | null) => HTMLElement} */
function hand(position, seat, pick) {
  const cards = position.hands[seat];
  const count = position.counts[seat];
  if (!position.dealt) return el("p", { class: "rp-hand rp-none" }, "no cards dealt");
  if (count === 0) return el("p", { class: "rp-hand rp-none" }, "no cards left");
  const label = `Hand of seat ${seat}, ${count} ${count === 1 ? "card" : "cards"}`;
  return el("div", { class: "rp-hand" }, cards ? fan(position.faces, cards, label, pick) : backs(count));
}

function drawMiddle(/** @type {Api.Replay} */ replay, /** @type {Position} */ position, /** @type {number} */ base) {
  /** @type {HTMLElement[]} */
  const parts = [el("p", { class: "rp-caption" }, captions(replay, position).map((line) => el("span", {}, line)))];
  const laid = position.table;
  if (laid.length) {
    const isTrick = isSuited(position.faces) && laid.every(([, , cards]) => cards.length === 1);
    parts.push(isTrick ? compass(replay, position, base) : rows(replay, position));
  } else {
    parts.push(el("p", { class: "rp-empty" }, quiet(position)));
    if (position.gifts.length) parts.push(...drawGifts(replay, position));
  }
  if (position.fault) parts.push(drawFault(position.fault));
  return parts;
}

function quiet(/** @type {Position} */ position) {
  if (!position.dealt) return "Nothing was dealt.";
  if (position.gifts.length) return "Exchanged:";
  return position.dealPoints ? "The deal is over." : "The table is empty.";
}

/** Public facts besides the cards, and the open cards of the deal. */
function captions(/** @type {Api.Replay} */ replay, /** @type {Position} */ position) {
  const details = Object.entries(position.roles).filter(([, value]) => value !== null && value !== "" && !isBySeat(replay, value))
    .map(([name, value]) => suitBox(name, value) ?? `${name} ${[value].flat().join(" : ")}`);
  const extra = position.extra.map((name) => cardBox(position.faces, name));
  return extra.length ? [el("span", { class: "rp-extra" }, "extra ", extra), ...details] : details;
}

function suitBox(/** @type {string} */ label, /** @type {string} */ letter) {
  const face = suitFace(letter);
  if (!face) return null;
  const { text, symbol, tone, message } = face;
  return el("span", {}, `${label} `, el("span", { class: tone ? `rp-suit-${tone.toLowerCase()} rp-strong` : "rp-strong" },
    el("span", { "aria-hidden": "true" }, `${symbol} ${text}`), spoken(message)));
}

/** The player of a card: the emblem, and the seat for a screen reader. */
function who(/** @type {Api.Replay} */ replay, /** @type {number} */ seat, note = "") {
  return el("span", { class: "rp-who" }, markOf(replay.players[seat]), spoken(`seat ${seat}: `), note);
}

/** A trick, each card in front of its player.
 * @type {(replay: Api.Replay, position: Position, base: number) => HTMLElement} */
function compass(replay, position, base) {
  const isPast = position.taker !== null;
  const seats = replay.players.length;
  const places = PLACES[seats] ?? PLACES[4];
  const at = (/** @type {number} */ seat) => places[(seat - base + seats) % seats];
  const played = position.table.map(([seat, , [card]], n) => {
    const took = position.taker === seat;
    const note = took ? "took it" : n === 0 ? "led" : "";
    return el("li", { class: took ? "rp-took" : null, "data-place": at(seat), "data-laid": seat }, cardBox(position.faces, card), who(replay, seat, note));
  });
  const rest = replay.players.flatMap(({ seat }) => (position.table.some(([laid]) => laid === seat) ? []
    : [el("li", { class: "rp-unlaid", "data-place": at(seat), "aria-hidden": "true" })]));
  return el("ul", { class: isPast ? "rp-compass rp-past" : "rp-compass", role: "list",
    "aria-label": isPast ? "The previous trick" : "The trick" }, played, rest);
}

/** The plays since the last lead, the newest below; the last one with cards is large.
 * @type {(replay: Api.Replay, position: Position) => HTMLElement} */
function rows(replay, position) {
  const [laid, isPast] = [position.table, position.taker !== null];
  const best = laid.findLastIndex(([, , cards]) => cards.length);
  const first = Math.max(0, Math.min(best, laid.length - MOST_ROWS));
  const items = laid.slice(first).map(([seat, words, cards], n) => el("li", { class: first + n === best ? "rp-newest" : null, "data-laid": seat },
    who(replay, seat), cards.length ? fan(position.faces, cards, words) : el("span", { class: "rp-pass" }, words)));
  const label = isPast ? "The previous round" : "Plays since the lead";
  return el("div", { class: "rp-plays" }, el("p", { class: "rp-more" }, first > 0 ? `${first} earlier` : ""),
    el("ol", { class: isPast ? "rp-rows rp-past" : "rp-rows", role: "list", "aria-label": label }, items));
}

function drawGifts(/** @type {Api.Replay} */ replay, /** @type {Position} */ position) {
  return [el("ul", { class: "rp-gifts", role: "list", "aria-label": "The exchange" }, position.gifts.map((gift) =>
    el("li", {}, who(replay, gift.seat), spoken("gives "), gift.cards ? gift.cards.map((name) => cardBox(position.faces, name)) : backs(gift.count),
      el("span", { "aria-hidden": "true" }, "→"), spoken("to "), who(replay, gift.to))))];
}

function drawFault(/** @type {Api.FaultEvent} */ fault) {
  return el("p", { class: "rp-fault" }, el("strong", {}, `Fault: ${fault.fault}`), el("br"),
    foreign(fault.player, "rp-short"), ": ", foreign(fault.text));
}
