// Who sits where, changed during a match: a bot is started anew and hears what was heard in its seat.

import { el } from "../replay/dom.js";
import { makeDialog } from "./dialog.js";
import { makeOccupant } from "./occupant.js";
import { read } from "./server.js";

/** The dialog; `act(path, body, options)` has the applet do something. */
export function makeSeats(act) {
  const rows = el("div", { class: "ap-rows" });
  let occupants = [];
  let before = [];
  const dialog = makeDialog("Seats", "Change", [
    el("p", { class: "ap-note" }, "Whoever sits down hears what was heard in the seat, and plays on from here."), rows,
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

  async function open({ setup }) {
    const { bots: all } = await read("/bots");
    const bots = shippedFor(all, setup.game);
    before = setup.seats.map(({ who }) => who);
    occupants = before.map((who, seat) => {
      const occupant = makeOccupant("ap-seat", seat);
      occupant.offer(bots);
      occupant.value = who;
      return occupant;
    });
    rows.replaceChildren(...occupants.map(({ element }) => element));
    dialog.open();
  }

  return { element: dialog.element, open };
}

/** The shipped bots of a game. */
export function shippedFor(bots, game) {
  return bots.filter((bot) => bot.game === game);
}
