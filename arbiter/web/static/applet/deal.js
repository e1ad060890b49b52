// The present deal in a form: other cards in the hands, and a branch of the match from there.

import { el } from "../replay/dom.js";
import { input, labelled, makeDialog } from "./dialog.js";

const COMPACT = ["dou_dizhu"];

/** The dialog; `act(path, body, options)` has the applet do something. */
export function makeDealEditor(act) {
  const rows = el("div", { class: "ap-rows" });
  let deal = null;
  let fields = [];
  const dialog = makeDialog("Edit the deal", "Deal these cards", [
    el("p", { class: "ap-note" }, "The match goes on from the beginning of this deal with the cards given here; it is then a match by hand."), rows,
  ], change, (name) => fields.find((field) => field.name === name || name.startsWith(`${field.name}.`))?.field);

  async function change() {
    const given = {};
    for (const { name, read } of fields) {
      const [key, place] = name.split(".");
      if (place === undefined) given[key] = read();
      else (given[key] ??= [])[Number(place)] = read();
    }
    await act("/deal", { deal: deal.deal, ...given }, { throws: true });
  }

  function open(replay) {
    if (!replay) return;
    deal = replay.deals.at(-1);
    const between = COMPACT.includes(replay.game.name) ? "" : " ";
    fields = deal.hands.map((hand, seat) => cardsField(`hands.${seat}`, `Hand of seat ${seat}`, hand, between));
    for (const [key, value] of Object.entries(deal)) {
      if (Array.isArray(value) && key !== "hands" && value.every((one) => typeof one === "string")) fields.push(cardsField(key, key, value, between));
      else if (typeof value === "number" && key !== "deal") fields.push(numberField(key, value));
    }
    rows.replaceChildren(...fields.map(({ element }) => element));
    dialog.open();
  }

  return { element: dialog.element, open };
}

function cardsField(name, label, cards, between) {
  const field = input(`ap-deal-${name.replace(".", "-")}`, { value: cards.join(between) });
  const words = () => (between ? field.value.trim().split(/[\s,]+/).filter(Boolean) : [...field.value.replaceAll(/\s/g, "")]);
  return { name, field, element: labelled(label, field), read: words };
}

function numberField(name, value) {
  const field = input(`ap-deal-${name}`, { value, inputmode: "numeric" });
  return { name, field, element: labelled(name, field), read: () => (field.value.trim() === "" ? null : Number(field.value)) };
}
