// Draws one position: seats around the table in clockwise order, what lies in the middle, what is known.

import { el, foreign, spoken } from "./dom.js";
import { cardFace, isSuited, sayPoints, sayTime, suitFace } from "./say.js";
/** @import { Faces } from "./say.js" @import { Seek } from "./exchanges.js" @import { Position } from "./fold.js" */

/** @typedef {{ legal: boolean, picked?: boolean, choose: () => void }} Choice */
/** @typedef {{ seat: number, card: (name: string, place: number) => Choice }} Picking */

/** @type {Record<number, string[]>} */
const PLACES = { 2: ["south", "north"], 3: ["south", "west", "east"], 4: ["south", "west", "north", "east"] };
const MOST_ROWS = 6;

/** The frame of a table; `draw(position, eyes, left, pick)` fills it in. `onEyes(seat)` is called by a seat's button.
 *
 * `pick` makes the cards of `pick.seat` buttons: `pick.card(name, place)` says of a card whether it is `legal`,
 * whether it is `picked` (undefined where a click is the whole answer), and what to `choose()` on a click.
 */
export function makeTable(/** @type {Told.Replay} */ replay, /** @type {(seat: number) => boolean} */ canSee, /** @type {Seek} */ onEyes) {
  const middle = el("section", { class: "rp-middle", "aria-label": "The table" });
  const seats = replay.players.map((player) => makeSeat(replay, player, canSee, onEyes));
  const element = el("div", { class: "rp-table", "data-seats": seats.length }, middle, seats.map((seat) => seat.element));
  /** @type {(position: Position, eyes: number | null, left: (number | null)[], pick?: Picking | null) => void} */
  const draw = (position, eyes, left, pick) => {
    element.dataset.cards = isSuited(position.faces) ? "suited" : "plain";
    const places = PLACES[seats.length] ?? PLACES[4];
    seats.forEach((seat, number) => {
      seat.element.dataset.place = places[(number - (eyes ?? 0) + seats.length) % seats.length];
      seat.draw(position, eyes, left[number], pick?.seat === number ? pick : null);
    });
    middle.replaceChildren(...drawMiddle(replay, position, eyes ?? 0));
  };
  return { element, draw };
}

function makeSeat(/** @type {Told.Replay} */ replay, /** @type {Told.ReplayPlayer} */ player, /** @type {(seat: number) => boolean} */ canSee, /** @type {Seek} */ onEyes) {
  const { name, seat } = player;
  const state = el("span", { class: "rp-state" });
  const body = el("div", { class: "rp-body" });
  const label = `Look through the eyes of seat ${seat}`;
  const eyesOf = el("button", {
    type: "button", class: "rp-eyes", "aria-pressed": "false", "aria-label": label, title: label,
    on: { click: () => onEyes(seat) },
  }, "eyes");
  const heading = el("h3", { class: "rp-name", title: name },
    el("span", { class: "rp-number", "aria-hidden": "true" }, seat), spoken(`Seat ${seat}: `), foreign(name));
  const element = el("section", { class: "rp-seat", "data-seat": seat, "aria-label": `Seat ${seat}` },
    el("div", { class: "rp-head" }, heading, state, canSee(seat) ? eyesOf : null), body);
  /** @type {(position: Position, eyes: number | null, left: number | null, pick: Picking | null) => void} */
  const draw = (position, eyes, left, pick) => {
    const isFaulty = position.fault?.seat === seat;
    const isTroubled = position.trouble === seat;
    const isActing = position.to_act === seat && !isFaulty;
    element.classList.toggle("rp-acting", isActing);
    element.classList.toggle("rp-faulty", isFaulty || isTroubled);
    state.textContent = isTroubled ? "trouble" : isFaulty ? "fault" : isActing ? "to act" : "";
    eyesOf.setAttribute("aria-pressed", String(eyes === seat));
    body.replaceChildren(facts(replay, position, player, left), hand(replay, position, seat, pick));
  };
  return { element, draw };
}

/** @type {(replay: Told.Replay, position: Position, player: Told.ReplayPlayer, left: number | null) => HTMLElement} */
function facts(replay, position, { seat, substitute }, left) {
  const told = Object.entries(position.roles).filter(([, values]) => isBySeat(replay, values) && values[seat] !== "")
    .map(([name, values]) => [name === "role" ? "" : name, values[seat] ?? "–"]);
  if (substitute) told.unshift(["", "substitute"]);
  if (!isSuited(position.faces)) told.push(["cards", position.counts[seat] ?? 0]);
  told.push(["points", sayPoints(position.points)[seat]]);
  told.push(["clock", left === null ? "–" : sayTime(left)]);
  return el("dl", { class: "rp-facts" }, told.map(([name, value]) =>
    el("div", { class: name ? null : "rp-role" }, el("dt", {}, name || spoken("role")), el("dd", {}, value))));
}

/** True for what stands beside the seats, not beside the table. */
function isBySeat(/** @type {Told.Replay} */ replay, /** @type {unknown} */ values) {
  return Array.isArray(values) && values.length === replay.players.length;
}

/** @type {(replay: Told.Replay, position: Position, seat: number, pick: Picking | null) => HTMLElement} */
function hand(replay, position, seat, pick) {
  const cards = position.hands[seat];
  const count = position.counts[seat];
  if (!position.dealt) return el("p", { class: "rp-hand rp-none" }, "no cards dealt");
  if (count === 0) return el("p", { class: "rp-hand rp-none" }, "no cards left");
  if (cards) return cardList(position.faces, cards, `Hand of seat ${seat}, ${count} ${count === 1 ? "card" : "cards"}`, pick);
  return el("p", { class: "rp-hand" }, el("span", { class: "rp-card rp-back" },
    el("span", { "aria-hidden": "true" }, `×${count}`), spoken(`${count} hidden ${count === 1 ? "card" : "cards"}`)));
}

/** Cards in a row, as a list that says what it is.
 * @type {(faces: Faces, cards: string[], label: string, pick: Picking | null) => HTMLElement} */
function cardList(faces, cards, label, pick) {
  return el("ul", { class: "rp-hand", "aria-label": label, role: "list" },
    cards.map((name, place) => el("li", {}, pick ? pickBox(faces, name, pick.card(name, place)) : cardBox(faces, name))));
}

function cardBox(/** @type {Faces} */ faces, /** @type {string} */ name) {
  return el("span", { class: cardClass(faces, name) }, cardInside(faces, name));
}

/** A card to click; one that is not legal can be reached and read, and does nothing. */
function pickBox(/** @type {Faces} */ faces, /** @type {string} */ name, /** @type {Choice} */ { legal, picked, choose }) {
  return el("button", {
    type: "button", class: `${cardClass(faces, name)} rp-pick`, "data-card": name, "aria-disabled": legal ? null : "true",
    "aria-pressed": picked === undefined ? null : String(picked), on: { click: () => legal && choose() },
  }, cardInside(faces, name), legal ? null : spoken(", not legal now"));
}

function cardClass(/** @type {Faces} */ faces, /** @type {string} */ name) {
  const { tone } = cardFace(faces, name);
  return tone ? `rp-card rp-suit-${tone.toLowerCase()}` : "rp-card";
}

function cardInside(/** @type {Faces} */ faces, /** @type {string} */ name) {
  const { text, symbol, said } = cardFace(faces, name);
  return [el("span", { class: "rp-face", "aria-hidden": "true" }, text),
    symbol ? el("span", { class: "rp-symbol", "aria-hidden": "true" }, symbol) : null, spoken(said)];
}

function drawMiddle(/** @type {Told.Replay} */ replay, /** @type {Position} */ position, /** @type {number} */ base) {
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
  if (position.dealPoints) parts.push(drawResult(replay, position.dealPoints));
  if (position.fault) parts.push(drawFault(position.fault));
  return parts;
}

function quiet(/** @type {Position} */ position) {
  if (!position.dealt) return "Nothing was dealt.";
  if (position.gifts.length) return "Exchanged:";
  return position.dealPoints ? "The deal is over." : "Nothing lies on the table.";
}

/** What all know beside the cards, and the open cards of the deal. */
function captions(/** @type {Told.Replay} */ replay, /** @type {Position} */ position) {
  const told = Object.entries(position.roles).filter(([, value]) => value !== null && value !== "" && !isBySeat(replay, value))
    .map(([name, value]) => suitBox(name, value) ?? `${name} ${[value].flat().join(" : ")}`);
  const extra = position.extra.map((name) => cardBox(position.faces, name));
  return extra.length ? [el("span", { class: "rp-extra" }, "extra ", extra), ...told] : told;
}

function suitBox(/** @type {string} */ label, /** @type {string} */ letter) {
  const face = suitFace(letter);
  if (!face) return null;
  const { text, symbol, tone, said } = face;
  return el("span", {}, `${label} `, el("span", { class: tone ? `rp-suit-${tone.toLowerCase()} rp-strong` : "rp-strong" },
    el("span", { "aria-hidden": "true" }, `${symbol} ${text}`), spoken(said)));
}

/** A trick, each card before who played it.
 * @type {(replay: Told.Replay, position: Position, base: number) => HTMLElement} */
function compass(replay, position, base) {
  const isPast = position.taker !== null;
  const seats = replay.players.length;
  const places = PLACES[seats] ?? PLACES[4];
  const played = position.table.map(([seat, , [card]], n) => {
    const took = position.taker === seat;
    const notes = [...(n === 0 ? ["led"] : []), ...(took ? ["took it"] : [])].join(", ");
    const who = el("span", { class: "rp-who" }, el("span", { class: "rp-number", "aria-hidden": "true" }, seat),
      spoken(`seat ${seat}: `), ` ${notes}`);
    return el("li", { class: took ? "rp-took" : null, "data-place": places[(seat - base + seats) % seats] },
      who, cardBox(position.faces, card));
  });
  return el("ul", { class: isPast ? "rp-compass rp-past" : "rp-compass", role: "list",
    "aria-label": isPast ? "The trick before" : "The trick" }, played);
}

/** The plays since the last lead, the newest below.
 * @type {(replay: Told.Replay, position: Position) => HTMLElement} */
function rows(replay, position) {
  const [laid, isPast] = [position.table, position.taker !== null];
  const shown = laid.slice(-MOST_ROWS);
  const items = shown.map(([seat, words, cards], n) => el("li", { class: n === shown.length - 1 ? "rp-newest" : null },
    el("span", { class: "rp-who" }, el("span", { class: "rp-number", "aria-hidden": "true" }, seat), spoken(`seat ${seat}: `)),
    cards.length ? el("span", { class: "rp-play" }, cards.map((name) => cardBox(position.faces, name)))
      : el("span", { class: "rp-pass" }, words)));
  const more = laid.length - shown.length;
  const label = isPast ? "The round before" : "Plays since the lead";
  return el("div", {}, el("p", { class: "rp-more" }, more > 0 ? `${more} before these` : ""),
    el("ol", { class: isPast ? "rp-rows rp-past" : "rp-rows", role: "list", "aria-label": label }, items));
}

function drawGifts(/** @type {Told.Replay} */ replay, /** @type {Position} */ position) {
  return [el("ul", { class: "rp-gifts", role: "list", "aria-label": "The exchange" }, position.gifts.map((gift) =>
    el("li", {}, foreign(replay.players[gift.seat].name, "rp-short"), el("span", {}, " gives "),
      gift.cards ? gift.cards.map((name) => cardBox(position.faces, name))
        : el("span", { class: "rp-card rp-back" }, el("span", { "aria-hidden": "true" }, `×${gift.count}`), spoken(`${gift.count} hidden cards`)),
      el("span", {}, " to "), foreign(replay.players[gift.to].name, "rp-short"))))];
}

function drawResult(/** @type {Told.Replay} */ replay, /** @type {number[]} */ points) {
  return el("ul", { class: "rp-result", role: "list", "aria-label": "Points of the deal" },
    sayPoints(points).map((won, seat) => el("li", {}, foreign(replay.players[seat].name, "rp-short"),
      el("strong", {}, ` ${won}`))));
}

function drawFault(/** @type {Told.FaultEvent} */ fault) {
  return el("p", { class: "rp-fault" }, el("strong", {}, `Fault: ${fault.fault}`), el("br"),
    foreign(fault.player, "rp-short"), ": ", foreign(fault.text));
}
