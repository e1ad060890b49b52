// Where the viewer stands: the event, the seat whose eyes it borrows, the speed; and how it moves.

import { hasEyes, stopsOf } from "./fold.js";

/** @typedef {(seat: number) => Promise<Told.Replay>} EyesOf */

export const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_MS = 1000;
const TAKEN_MS = 600;

/** A player of a replay; `onChange(player)` is called whenever it stands elsewhere.
 *
 * `eyesOf(seat)` promises the replay as a seat saw it, null where nobody's eyes can be borrowed.
 */
export class Player {
  constructor(/** @type {Told.Replay} */ replay, /** @type {(player: Player) => void} */ onChange, /** @type {EyesOf | null} */ eyesOf = null) {
    this.replay = replay;
    this.onChange = onChange;
    this.eyesOf = eyesOf;
    this.view = replay;
    this.views = /** @type {Map<number | null, Told.Replay>} */ (new Map());
    this.eyes = /** @type {number | null} */ (null);
    this.wanted = /** @type {number | null} */ (null);
    this.problem = "";
    this.speed = 1;
    this.isPlaying = false;
    this.timer = 0;
    this.i = this.stops[0] ?? 0;
    this.seen = this.i;
  }

  /** Takes up what an address says, NaN for nothing; what makes no sense there is left out. Without a place it begins at the fault. */
  start({ deal = NaN, i = NaN, seat = NaN, speed = NaN }) {
    if (SPEEDS.includes(speed)) this.speed = speed;
    if (Number.isInteger(i)) this.i = this.restAt(i);
    else this.i = this.firstOf(deal) ?? (this.fault ? this.restAt(this.fault.i) : this.i);
    this.seen = this.before(this.i) ?? -1;
    this.onChange(this);
    if (Number.isInteger(seat)) this.look(seat);
  }

  /** True for a seat whose eyes can be borrowed. */
  canSee(/** @type {number} */ seat) {
    return this.eyesOf !== null && hasEyes(this.replay, seat);
  }

  get last() {
    return this.stops.at(-1) ?? 0;
  }

  get deal() {
    return this.view.events.findLast((event) => event.i <= this.i)?.deal ?? 0;
  }

  get fault() {
    return this.replay.events.find((event) => event.t === "fault") ?? null;
  }

  get isAtEnd() {
    return this.i >= this.last;
  }

  /** What happened since the viewer last rested, or at this event where it jumped. */
  get news() {
    return this.view.events.filter((event) => event.i > this.seen && event.i <= this.i);
  }

  get stops() {
    return stopsOf(this.view);
  }

  get tricks() {
    const stops = this.stops;
    return this.view.events.filter(({ t }) => t === "trick").map(({ i }) => stops.find((stop) => stop >= i) ?? this.last);
  }

  /** To the next trick, or the one before for -1. */
  toTrick(/** @type {number} */ by) {
    const tricks = this.tricks;
    this.steer(by > 0 ? tricks.find((stop) => stop > this.i) : tricks.findLast((stop) => stop < this.i));
  }

  /** Through a seat's eyes once its replay is there; with all that there is to see for null, or the seat again. */
  async look(/** @type {number | null} */ seat) {
    const next = seat === null || seat === this.wanted || !this.canSee(seat) ? null : seat;
    this.wanted = next;
    this.problem = "";
    try {
      if (next !== null && this.eyesOf && !this.views.has(next)) this.views.set(next, await this.eyesOf(next));
      if (this.wanted !== next) return;
      this.eyes = next;
      this.view = this.views.get(next) ?? this.replay;
    } catch (error) {
      this.wanted = this.eyes;
      this.problem = /** @type {Error} */ (error).message;
    }
    this.onChange(this);
  }

  nextEyes() {
    const seats = this.replay.players.map((player) => player.seat).filter((seat) => this.canSee(seat));
    const next = seats[seats.indexOf(this.wanted ?? -1) + 1] ?? null;
    if (next !== this.wanted) this.look(next);
  }

  /** Goes to event `i`, and rests there. */
  go(/** @type {number | undefined} */ i) {
    if (i === undefined) return;
    this.i = i;
    this.seen = this.before(i) ?? -1;
    if (this.isAtEnd) this.pause();
    this.onChange(this);
  }

  /** The same by hand, which stops the replay. */
  steer(/** @type {number | undefined} */ i) {
    this.pause();
    this.go(i);
  }

  /** To the beginning of this deal, or of the one before where the viewer stands there already. */
  lastDeal() {
    const first = this.firstOf(this.deal);
    this.steer(first !== undefined && first < this.i ? first : this.firstOf(this.deal - 1));
  }

  toDeal(/** @type {number} */ deal) {
    this.steer(this.firstOf(deal));
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.isAtEnd) this.steer(this.stops[0]);
    this.isPlaying = true;
    this.tick();
    this.onChange(this);
  }

  pause() {
    clearTimeout(this.timer);
    const wasPlaying = this.isPlaying;
    this.isPlaying = false;
    if (wasPlaying) this.onChange(this);
  }

  setSpeed(/** @type {number} */ speed) {
    this.speed = speed;
    if (this.isPlaying) this.tick();
    this.onChange(this);
  }

  changeSpeed(/** @type {number} */ by) {
    this.setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1)]);
  }

  tick() {
    clearTimeout(this.timer);
    // What was taken lies there until it was seen.
    const rest = this.news.some(({ t }) => t === "trick") ? Math.max(TAKEN_MS, STEP_MS / this.speed) : STEP_MS / this.speed;
    this.timer = setTimeout(() => {
      this.go(this.after(this.i));
      if (this.isPlaying) this.tick();
    }, rest);
  }

  /** The first rest after event `i`. */
  after(/** @type {number} */ i) {
    return this.stops.find((stop) => stop > i);
  }

  /** The last rest before event `i`. */
  before(/** @type {number} */ i) {
    return this.stops.findLast((stop) => stop < i);
  }

  /** Where the viewer rests once event `i` has happened. */
  restAt(/** @type {number} */ i) {
    return this.stops.find((stop) => stop >= i) ?? this.last;
  }

  /** Where the viewer rests when a deal has been dealt. */
  firstOf(/** @type {number} */ deal) {
    const dealt = this.view.events.find((event) => event.deal === deal && event.t === "deal");
    return dealt && this.restAt(dealt.i);
  }
}
