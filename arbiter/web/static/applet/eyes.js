// Whose cards are shown: those of the one person who plays, of the one whose turn it is among several, or all.

/** @import { Standing } from "./present.js" */

/** Nobody's eyes: of the cards none, of the rest what all seats know. */
export const NOBODY = -1;

/** The reader whose replay has just these cards. */
export function readerOf(/** @type {number | null} */ eyes) {
  if (eyes === null) return "full";
  return eyes === NOBODY ? "public" : `seat:${eyes}`;
}

/** Keeps the others' hands covered; `look(state)` gives {eyes, next}: whose cards are shown (a seat, NOBODY,
 * or null for all), and the seat that the keyboard is to be passed to, or null. */
export class Eyes {
  constructor(areOpen = false) {
    this.areOpen = areOpen;
    this.last = /** @type {number | null} */ (null);
  }

  /** Shows a seat's cards: whoever sits there has the keyboard now. */
  show(/** @type {number} */ seat) {
    this.last = seat;
  }

  look(/** @type {Standing} */ { setup, to_act: toAct, over }) {
    const people = setup.seats.flatMap(({ person }, seat) => (person ? [seat] : []));
    if (this.areOpen || over || people.length === 0) return { eyes: null, next: null };
    if (people.length === 1) return { eyes: people[0], next: null };
    if (toAct !== null && people.includes(toAct) && toAct !== this.last) return { eyes: NOBODY, next: toAct };
    return { eyes: people.find((seat) => seat === this.last) ?? NOBODY, next: null };
  }
}
