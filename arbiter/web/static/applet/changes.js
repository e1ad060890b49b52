// Dialogs that change a match: who sits where (a bot is started anew and hears what was heard in its seat), and which
// cards are dealt; and who may sit in a seat, as fields.

import { el } from "../replay/dom.js";
import { input, labelled, makeDialog } from "./dialog.js";
import { read } from "./server.js";
/** @import { Act } from "./server.js" */

const KINDS = [["random", "random moves"], ["human", "a person"], ["shipped", "a shipped bot"], ["bot", "a bot of your own"]];

/** The fields of one seat; `value` is bot:..., human or random, as the applet takes it. */
export function makeOccupant(/** @type {string} */ id, /** @type {number} */ seat) {
  const kind = el("select", { id: `${id}-${seat}`, on: { change: () => show() } }, KINDS.map(([value, text]) => el("option", { value }, text)));
  const program = input(`${id}-${seat}-program`, { "aria-label": `What starts the bot in seat ${seat}`, placeholder: "python3 my_bot.py" });
  const shipped = el("select", { id: `${id}-${seat}-shipped`, "aria-label": `Shipped bot in seat ${seat}` });
  const element = el("div", { class: "ap-field ap-occupant" }, el("label", { for: kind.id }, `Seat ${seat}`), kind, program, shipped);

  function show() {
    program.hidden = kind.value !== "bot";
    shipped.hidden = kind.value !== "shipped";
  }

  /** The shipped bots to choose from: those of a game. */
  function offer(/** @type {Told.ShippedBot[]} */ all, /** @type {string} */ game) {
    const bots = all.filter((bot) => bot.game === game);
    const before = shipped.value;
    shipped.replaceChildren(...bots.map(({ name, who }) => el("option", { value: who }, name)));
    if (bots.some(({ who }) => who === before)) shipped.value = before;
    for (const option of kind.options) option.disabled = option.value === "shipped" && bots.length === 0;
    if (kind.value === "shipped" && bots.length === 0) kind.value = "random";
    show();
  }

  return {
    element, offer, field: kind,
    /** The element that a mistake about who sits there belongs to. */
    get culprit() {
      return kind.value === "bot" ? program : kind.value === "shipped" ? shipped : kind;
    },
    get value() {
      return kind.value === "bot" ? `bot:${program.value}` : kind.value === "shipped" ? shipped.value : kind.value;
    },
    set value(who) {
      const isShipped = [...shipped.options].some((option) => option.value === who);
      if (isShipped) shipped.value = who;
      else if (who.startsWith("bot:")) program.value = who.slice("bot:".length);
      kind.value = isShipped ? "shipped" : who.startsWith("bot:") ? "bot" : who;
      show();
    },
  };
}

/** The dialog of the seats; `act(path, body, options)` has the applet do something. */
export function makeSeats(/** @type {Act} */ act) {
  const rows = el("div", { class: "ap-rows" });
  let occupants = /** @type {ReturnType<typeof makeOccupant>[]} */ ([]);
  let before = /** @type {string[]} */ ([]);
  const dialog = makeDialog("Seats", "Change", [
    el("p", { class: "ap-note" }, "A new occupant hears what was heard in the seat, and plays on from here."), rows,
  ], change, (field) => occupants[Number(/\d+/.exec(field)?.[0] ?? at)]?.culprit);
  let at = 0;

  async function change() {
    for (const [seat, occupant] of occupants.entries()) {
      at = seat;
      if (occupant.value === before[seat]) continue;
      await act("/seat", { seat, who: occupant.value }, { throws: true });
      before[seat] = occupant.value;
    }
  }

  async function open(/** @type {Told.TableState} */ { setup }) {
    const { bots } = /** @type {Told.Bots} */ (await read("/bots"));
    before = setup.seats.map(({ who }) => who);
    occupants = before.map((who, seat) => {
      const occupant = makeOccupant("ap-seat", seat);
      occupant.offer(bots, setup.game);
      occupant.value = who;
      return occupant;
    });
    rows.replaceChildren(...occupants.map(({ element }) => element));
    dialog.open();
  }

  return { element: dialog.element, open };
}

/** The dialog of the present deal: other cards in the hands, and a branch of the match from there. */
export function makeDealEditor(/** @type {Act} */ act) {
  const rows = el("div", { class: "ap-rows" });
  /** @type {Told.DealtCards} */
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
