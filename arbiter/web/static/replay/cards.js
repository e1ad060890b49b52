// Drawing of cards (faces in fans, backs with their number) and of players' emblems.

import { el, spoken, svg } from "./dom.js";
import { cardFace } from "./say.js";
/** @import { Part } from "./dom.js" @import { Faces } from "./say.js" */

/** @typedef {{ legal: boolean, picked?: boolean, choose: () => void }} Choice */
/** @typedef {{ seat: number, card: (name: string, place: number) => Choice }} Picking */

/** The emblem of a player, as on its page and in the standings. */
export function markOf(/** @type {Api.ReplayPlayer | undefined} */ player) {
  if (!player?.mark) return null;
  return svg("svg", { class: `pm p${player.mark.colour}`, viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: player.mark.shape }));
}

/** A card by its `name` in the protocol. */
export function cardBox(/** @type {Faces} */ faces, /** @type {string} */ name) {
  return el("span", { class: cardClass(faces, name), "data-card": name, "data-rank": bigRank(faces, name) }, cardInside(faces, name));
}

/** A clickable card; `choose()` of an illegal one shows the reason. */
function pickBox(/** @type {Faces} */ faces, /** @type {string} */ name, /** @type {Choice} */ { legal, picked, choose }) {
  const button = cardButton(faces, name, choose, picked);
  if (!legal) {
    button.setAttribute("aria-disabled", "true");
    button.append(spoken(", not legal now"));
  }
  return button;
}

/** A card as a button; `picked` is undefined if a click is the whole answer.
 * @param {Faces} faces @param {string} name @param {(card: HTMLElement) => void} choose @param {boolean | undefined} picked */
export function cardButton(faces, name, choose, picked = false) {
  const button = el("button", {
    type: "button", class: `${cardClass(faces, name)} rp-pick`, "data-card": name, "data-rank": bigRank(faces, name),
    "aria-pressed": picked === undefined ? null : String(picked), on: { click: () => choose(button) },
  }, cardInside(faces, name));
  return button;
}

function cardClass(/** @type {Faces} */ faces, /** @type {string} */ name) {
  const { tone } = cardFace(faces, name);
  return tone ? `rp-card rp-suit-${tone.toLowerCase()}` : "rp-card";
}

/** The rank of a card without a symbol, shown in its place. */
function bigRank(/** @type {Faces} */ faces, /** @type {string} */ name) {
  const { rank, symbol } = cardFace(faces, name);
  return symbol ? null : rank;
}

function cardInside(/** @type {Faces} */ faces, /** @type {string} */ name) {
  const { rank, symbol, tone, message } = cardFace(faces, name);
  return [el("span", { class: "rp-face", "aria-hidden": "true" }, rank),
    symbol ? el("span", { class: "rp-symbol", "aria-hidden": "true" }, symbol + tone) : null, spoken(message)];
}

/** Cards in a fan, as a labelled list; `pick` makes them buttons.
 * @type {(faces: Faces, cards: readonly string[], label: string, pick?: Picking | null) => HTMLElement} */
export function fan(faces, cards, label, pick) {
  const boxes = cards.map((name, place) => (pick ? pickBox(faces, name, pick.card(name, place)) : cardBox(faces, name)));
  return spread("ul", { "aria-label": label, role: "list" }, boxes.map((box) => ["li", box]));
}

/** Hidden cards: a fan of backs with their number. */
export function backs(/** @type {number} */ count) {
  return el("span", { class: "rp-back" }, el("span", { class: "rp-times-n", "aria-hidden": "true" }, `×${count}`),
    spoken(`${count} hidden ${count === 1 ? "card" : "cards"}`),
    spread("span", { "aria-hidden": "true" }, Array.from({ length: count }, () => ["span", el("span", { class: "rp-card rp-cover" })])));
}

/** Arranges parts in a fan; the style needs their number, and the distance of each from the middle, -1 to 1.
 * @template {"ul" | "span"} T @param {T} tag @param {Record<string, string>} attributes @param {["li" | "span", Part][]} parts */
function spread(tag, attributes, parts) {
  const middle = (parts.length - 1) / 2;
  const size = parts.length > 13 ? "many" : parts.length > 7 ? "some" : "few";
  return el(tag, { class: "rp-fan", "data-size": size, vars: { n: Math.max(parts.length, 2), half: Math.max(Math.ceil(parts.length / 2), 2) }, ...attributes },
    parts.map(([inner, part], place) => el(inner, { vars: { k: (place - middle) / Math.max(middle, 4) } }, part)));
}
