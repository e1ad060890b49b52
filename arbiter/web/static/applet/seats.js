// Who sits where, changed during a match: a bot is started anew and hears what was heard in its seat.

import { el } from "../replay/dom.js";
import { makeDialog } from "./dialog.js";
import { makeOccupant } from "./occupant.js";
import { read } from "./server.js";
/** @import { Act } from "./server.js" */

/** The dialog; `act(path, body, options)` has the applet do something. */
export function makeSeats(/** @type {Act} */ act) {
  const rows = el("div", { class: "ap-rows" });
  let occupants = /** @type {ReturnType<typeof makeOccupant>[]} */ ([]);
  let before = /** @type {string[]} */ ([]);
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

  async function open(/** @type {Told.State} */ { setup }) {
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
