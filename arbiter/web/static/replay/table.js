// Draws one position: seats around the table in clockwise order, what lies in the middle, what is known.

import { cardFace, isSuited, suitFace } from "./cards.js";
import { el, foreign, spoken } from "./dom.js";
import { sayPoints, sayTime } from "./say.js";

const PLACES = { 2: ["south", "north"], 3: ["south", "west", "east"], 4: ["south", "west", "north", "east"] };
const MOST_ROWS = 6;

/** The frame of a table; `draw(position, eyes, left, pick)` fills it in. `onEyes(seat)` is called by a seat's button.
 *
 * `pick` makes the cards of `pick.seat` buttons: `pick.card(name, place)` says of a card whether it is `legal`,
 * whether it is `picked` (undefined where a click is the whole answer), and what to `choose()` on a click.
 */
export function makeTable(replay, canSee, onEyes) {
  const middle = el("section", { class: "rp-middle", "aria-label": "The table" });
  const seats = replay.players.map((player) => makeSeat(replay, player, canSee, onEyes));
  const element = el("div", { class: "rp-table", "data-seats": seats.length }, middle, seats.map((seat) => seat.element));
  const draw = (position, eyes, left, pick = null) => {
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

function makeSeat(replay, player, canSee, onEyes) {
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
  const draw = (position, eyes, left, pick) => {
    const isFaulty = position.fault?.seat === seat;
    const isActing = position.to_act === seat && !isFaulty;
    element.classList.toggle("rp-acting", isActing);
    element.classList.toggle("rp-faulty", isFaulty);
    state.textContent = isFaulty ? "fault" : isActing ? "to act" : "";
    eyesOf.setAttribute("aria-pressed", String(eyes === seat));
    body.replaceChildren(facts(replay, position, player, left), hand(replay, position, seat, pick));
  };
  return { element, draw };
}

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
function isBySeat(replay, values) {
  return Array.isArray(values) && values.length === replay.players.length;
}

function hand(replay, position, seat, pick) {
  const cards = position.hands[seat];
  const count = position.counts[seat];
  if (!position.dealt) return el("p", { class: "rp-hand rp-none" }, "no cards dealt");
  if (count === 0) return el("p", { class: "rp-hand rp-none" }, "no cards left");
  if (cards) return cardList(position.faces, cards, `Hand of seat ${seat}, ${count} ${count === 1 ? "card" : "cards"}`, pick);
  return el("p", { class: "rp-hand" }, el("span", { class: "rp-card rp-back" },
    el("span", { "aria-hidden": "true" }, `×${count}`), spoken(`${count} hidden ${count === 1 ? "card" : "cards"}`)));
}

/** Cards in a row, as a list that says what it is. */
function cardList(faces, cards, label, pick) {
  return el("ul", { class: "rp-hand", "aria-label": label, role: "list" },
    cards.map((name, place) => el("li", {}, pick ? pickBox(faces, name, pick.card(name, place)) : cardBox(faces, name))));
}

function cardBox(faces, name) {
  return el("span", { class: cardClass(faces, name) }, cardInside(faces, name));
}

/** A card to click; one that is not legal can be reached and read, and does nothing. */
function pickBox(faces, name, { legal, picked, choose }) {
  return el("button", {
    type: "button", class: `${cardClass(faces, name)} rp-pick`, "data-card": name, "aria-disabled": legal ? null : "true",
    "aria-pressed": picked === undefined ? null : String(picked), on: { click: () => legal && choose() },
  }, cardInside(faces, name), legal ? null : spoken(", not legal now"));
}

function cardClass(faces, name) {
  const { tone } = cardFace(faces, name);
  return tone ? `rp-card rp-suit-${tone.toLowerCase()}` : "rp-card";
}

function cardInside(faces, name) {
  const { text, symbol, said } = cardFace(faces, name);
  return [el("span", { class: "rp-face", "aria-hidden": "true" }, text),
    symbol ? el("span", { class: "rp-symbol", "aria-hidden": "true" }, symbol) : null, spoken(said)];
}

function drawMiddle(replay, position, base) {
  const parts = [el("p", { class: "rp-caption" }, captions(replay, position).map((line) => el("span", {}, line)))];
  const laid = position.table;
  if (laid.length) {
    const isTrick = isSuited(position.faces) && laid.every(([, , cards]) => cards.length === 1);
    parts.push((isTrick ? compass : rows)(replay, position, laid, base, position.taker !== null));
  } else {
    parts.push(el("p", { class: "rp-empty" }, quiet(position)));
    if (position.gifts.length) parts.push(...drawGifts(replay, position));
  }
  if (position.dealPoints) parts.push(drawResult(replay, position));
  if (position.fault) parts.push(drawFault(replay, position.fault));
  return parts;
}

function quiet(position) {
  if (!position.dealt) return "Nothing was dealt.";
  if (position.gifts.length) return "Exchanged:";
  return position.dealPoints ? "The deal is over." : "Nothing lies on the table.";
}

/** What all know beside the cards, and the open cards of the deal. */
function captions(replay, position) {
  const told = Object.entries(position.roles).filter(([, value]) => value !== null && value !== "" && !isBySeat(replay, value))
    .map(([name, value]) => (suitFace(value) ? suitBox(name, value) : `${name} ${[value].flat().join(" : ")}`));
  const extra = (position.deal.extra ?? []).map((name) => cardBox(position.faces, name));
  return extra.length ? [el("span", { class: "rp-extra" }, "extra ", extra), ...told] : told;
}

function suitBox(label, letter) {
  const { text, symbol, tone, said } = suitFace(letter);
  return el("span", {}, `${label} `, el("span", { class: tone ? `rp-suit-${tone.toLowerCase()} rp-strong` : "rp-strong" },
    el("span", { "aria-hidden": "true" }, `${symbol} ${text}`), spoken(said)));
}

/** A trick, each card before who played it. */
function compass(replay, position, laid, base, isPast) {
  const seats = replay.players.length;
  const places = PLACES[seats] ?? PLACES[4];
  const played = laid.map(([seat, , [card]], n) => {
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

/** The plays since the last lead, the newest below. */
function rows(replay, position, laid, base, isPast) {
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

function drawGifts(replay, position) {
  return [el("ul", { class: "rp-gifts", role: "list", "aria-label": "The exchange" }, position.gifts.map((gift) =>
    el("li", {}, foreign(replay.players[gift.seat].name, "rp-short"), el("span", {}, " gives "),
      gift.cards ? gift.cards.map((name) => cardBox(position.faces, name))
        : el("span", { class: "rp-card rp-back" }, el("span", { "aria-hidden": "true" }, `×${gift.count}`), spoken(`${gift.count} hidden cards`)),
      el("span", {}, " to "), foreign(replay.players[gift.to].name, "rp-short"))))];
}

function drawResult(replay, position) {
  return el("ul", { class: "rp-result", role: "list", "aria-label": "Points of the deal" },
    sayPoints(position.dealPoints).map((points, seat) => el("li", {}, foreign(replay.players[seat].name, "rp-short"),
      el("strong", {}, ` ${points}`))));
}

function drawFault(replay, fault) {
  return el("p", { class: "rp-fault" }, el("strong", {}, `Fault: ${fault.fault}`), el("br"),
    foreign(fault.player, "rp-short"), ": ", foreign(fault.text));
}
