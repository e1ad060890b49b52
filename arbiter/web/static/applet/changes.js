// Dialogs that change a match: the occupants of seats (a bot is restarted and gets the commands sent to its seat so
// far), and the cards of a deal; and the fields of an occupant.

import { cardButton } from "../replay/cards.js";
import { el } from "../replay/dom.js";
import { input, labelled, makeDialog } from "./dialog.js";
import { read } from "./server.js";
/** @import { Faces } from "../replay/say.js" @import { Act } from "./server.js" */

const KINDS = [["random", "random moves"], ["human", "a person"], ["shipped", "a shipped bot"], ["bot", "your bot"]];

/** The fields of one seat; `value` is bot:..., human or random, as the applet accepts it. */
export function makeOccupant(/** @type {string} */ id, /** @type {number} */ seat) {
  const kind = el("select", { id: `${id}-${seat}`, on: { change: () => show() } }, KINDS.map(([value, text]) => el("option", { value }, text)));
  const program = input(`${id}-${seat}-program`, { "aria-label": `Command of the bot in seat ${seat}`, placeholder: "python3 my_bot.py" });
  const shipped = el("select", { id: `${id}-${seat}-shipped`, "aria-label": `Shipped bot in seat ${seat}` });
  const element = el("div", { class: "ap-field ap-occupant" }, el("label", { for: kind.id }, `Seat ${seat}`), kind, program, shipped);

  function show() {
    program.hidden = kind.value !== "bot";
    shipped.hidden = kind.value !== "shipped";
  }

  /** Offers the shipped bots of a game. */
  function offer(/** @type {Api.ShippedBot[]} */ all, /** @type {string} */ game) {
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
    /** The element for errors about the occupant. */
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

/** The dialog of the seats; `act(path, body, options)` posts to the applet. */
export function makeSeats(/** @type {Act} */ act) {
  const rows = el("div", { class: "ap-rows" });
  let occupants = /** @type {ReturnType<typeof makeOccupant>[]} */ ([]);
  let before = /** @type {string[]} */ ([]);
  const dialog = makeDialog("Seats", "Change", [
    el("p", { class: "ap-note" }, "A new bot gets the commands sent to the seat so far, and plays from here."), rows,
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

  async function open(/** @type {Api.TableState} */ { setup }) {
    const { bots } = /** @type {Api.Bots} */ (await read("/bots"));
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

/** The dialog of the current deal: two clicks swap cards, and a branch of the match continues from there. */
export function makeDealEditor(/** @type {Act} */ act) {
  const rows = el("div", { class: "ap-rows" });
  /** @type {Api.DealtCards} */
  let deal;
  let hands = /** @type {ReturnType<typeof cardsField>[]} */ ([]);
  let role = /** @type {ReturnType<typeof labelled> | null} */ (null);
  let picked = /** @type {HTMLElement | null} */ (null);
  const roleField = input("ap-deal-role", { inputmode: "numeric" });
  const dialog = makeDialog("Edit the deal", "Deal these cards", [
    el("p", { class: "ap-note" }, "Click two cards to swap them. The match continues from the beginning of this deal, as a match by hand."), rows,
  ], change, (name) => hands.find((one) => one.name === name || name.startsWith(`${one.name}.`))?.field ?? (role && name ? roleField : null));

  async function change() {
    const given = /** @type {Record<string, unknown>} */ ({});
    const ofSeats = hands.filter(({ name }) => name.startsWith("hands."));
    if (ofSeats.some(isChanged)) given.hands = ofSeats.map(({ read }) => read());
    for (const one of hands) if (!ofSeats.includes(one) && isChanged(one)) given[one.name] = one.read();
    if (role && isChanged({ field: roleField })) given[roleField.name] = Number(roleField.value);
    await act("/deal", { deal: deal.deal, ...given }, { throws: true });
  }

  /** Picks a card, or swaps it with the picked one. */
  function pick(/** @type {HTMLElement} */ card) {
    const first = picked;
    first?.setAttribute("aria-pressed", "false");
    picked = first ? null : card;
    if (!first) return card.setAttribute("aria-pressed", "true");
    if (first === card) return;
    const gap = el("i", {});
    first.replaceWith(gap);
    card.replaceWith(first);
    gap.replaceWith(card);
    for (const one of hands) one.write();
    card.focus();
  }

  async function open(/** @type {string} */ seatWord) {
    const [replay, { faces: all }] = /** @type {[Api.Replay, Api.Cards]} */ (await Promise.all([read("/replay"), read("/cards")]));
    deal = replay.deals[replay.deals.length - 1];
    picked = null;
    const faces = { ...all, ...replay.faces };
    hands = deal.hands.map((hand, seat) => cardsField(faces, `hands.${seat}`, `Hand of seat ${seat}`, hand ?? [], pick));
    if (deal.extra) hands.push(cardsField(faces, "extra", "Extra cards", deal.extra, pick));
    const left = Object.keys(all).filter((name) => !deal.hands.some((hand) => hand?.includes(name)));
    const rest = cardsField(faces, "rest", "Not dealt", left, pick);
    const seat = /** @type {Record<string, unknown>} */ (deal)[seatWord];
    role = typeof seat === "number" ? labelled(`${seatWord[0].toUpperCase()}${seatWord.slice(1)} (a seat)`, roleField) : null;
    roleField.name = seatWord;
    roleField.defaultValue = roleField.value = String(seat ?? "");
    rows.replaceChildren(...hands.map(({ element }) => element), ...(left.length ? [rest.element] : []), ...(role ? [role] : []),
      el("details", {}, el("summary", {}, "As text"), el("div", { class: "ap-rows" }, hands.map(({ typed }) => typed))));
    dialog.open();
  }

  return { element: dialog.element, open };
}

function isChanged(/** @type {{ field: HTMLInputElement }} */ { field }) {
  return field.value !== field.defaultValue;
}

/** Clickable cards, and their text; a click calls `pick(card)`.
 * @param {Faces} faces @param {string} name @param {string} label @param {string[]} dealt @param {(card: HTMLElement) => void} pick */
function cardsField(faces, name, label, dealt, pick) {
  const between = Object.keys(faces).every((word) => word.length === 1) ? "" : " ";
  const field = input(`ap-deal-${name.replace(".", "-")}`, { value: dealt.join(between), on: { input: draw } });
  const cards = el("ul", { class: "ap-cards", role: "list", "aria-label": label });
  const element = el("div", { class: "ap-field" }, el("span", { class: "ap-label", "aria-hidden": "true" }, label), cards);
  const read = () => (between ? field.value.trim().split(/[\s,]+/).filter(Boolean) : [...field.value.replaceAll(/\s/g, "")]);

  function draw() {
    cards.replaceChildren(...read().map((word) => el("li", {}, cardButton(faces, word, pick))));
  }

  /** Updates the text from the cards. */
  function write() {
    field.value = [...cards.children].map((one) => /** @type {HTMLElement} */ (one.firstElementChild).dataset.card).join(between);
  }

  draw();
  return { name, field, read, write, element, typed: labelled(label, field) };
}
