// The present deal in a form: other cards in the hands, and a branch of the match from there.

import { el } from "../replay/dom.js";
import { input, labelled, makeDialog } from "./dialog.js";
/** @import { Act } from "./server.js" */

/** The dialog; `act(path, body, options)` has the applet do something. */
export function makeDealEditor(/** @type {Act} */ act) {
  const rows = el("div", { class: "ap-rows" });
  /** @type {Told.Dealt} */
  let deal;
  let fields = /** @type {(ReturnType<typeof cardsField> | ReturnType<typeof numberField>)[]} */ ([]);
  const dialog = makeDialog("Edit the deal", "Deal these cards", [
    el("p", { class: "ap-note" }, "The match goes on from the beginning of this deal with the cards given here; it is then a match by hand."), rows,
  ], change, (name) => fields.find((field) => field.name === name || name.startsWith(`${field.name}.`))?.field);

  async function change() {
    const given = /** @type {Record<string, unknown>} */ ({});
    const hands = fields.filter(({ name }) => name.startsWith("hands."));
    if (hands.some(isChanged)) given.hands = hands.map(({ read }) => read());
    for (const one of fields) if (!hands.includes(one) && isChanged(one)) given[one.name] = one.read();
    await act("/deal", { deal: deal.deal, ...given }, { throws: true });
  }

  async function open(/** @type {Told.Replay} */ replay, /** @type {string} */ seatWord) {
    deal = replay.deals[replay.deals.length - 1];
    const between = Object.keys(replay.faces).every((name) => name.length === 1) ? "" : " ";
    fields = deal.hands.map((hand, seat) => cardsField(`hands.${seat}`, `Hand of seat ${seat}`, hand ?? [], between));
    if (deal.extra) fields.push(cardsField("extra", "extra", deal.extra, between));
    const role = /** @type {Record<string, unknown>} */ (deal)[seatWord];
    if (typeof role === "number") fields.push(numberField(seatWord, role));
    rows.replaceChildren(...fields.map(({ element }) => element));
    dialog.open();
  }

  return { element: dialog.element, open };
}

function isChanged(/** @type {{ field: HTMLInputElement }} */ { field }) {
  return field.value !== field.defaultValue;
}

function cardsField(/** @type {string} */ name, /** @type {string} */ label, /** @type {string[]} */ cards, /** @type {string} */ between) {
  const field = input(`ap-deal-${name.replace(".", "-")}`, { value: cards.join(between) });
  const words = () => (between ? field.value.trim().split(/[\s,]+/).filter(Boolean) : [...field.value.replaceAll(/\s/g, "")]);
  return { name, field, element: labelled(label, field), read: words };
}

function numberField(/** @type {string} */ name, /** @type {number} */ value) {
  const field = input(`ap-deal-${name}`, { value, inputmode: "numeric" });
  return { name, field, element: labelled(name, field), read: () => (field.value.trim() === "" ? null : Number(field.value)) };
}
