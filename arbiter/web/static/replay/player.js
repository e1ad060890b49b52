// The state of the viewer (event, seat in view, speed), and its transitions.

import { hasSeatView, stopsOf } from "./fold.js";

/** @typedef {(seat: number) => Promise<Api.Replay>} LoadView */

export const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_MS = 1000;
const TAKEN_MS = 600;

/** A player of a replay; it calls `onChange(player)` whenever its state changes.
 *
 * `loadView(seat)` promises the replay as a seat saw it; null if that is not available.
 */
export class Player {
  constructor(/** @type {Api.Replay} */ replay, /** @type {(player: Player) => void} */ onChange, /** @type {LoadView | null} */ loadView = null) {
    this.replay = replay;
    this.onChange = onChange;
    this.loadView = loadView;
    this.view = replay;
    this.views = /** @type {Map<number | null, Api.Replay>} */ (new Map());
    this.viewSeat = /** @type {number | null} */ (null);
    this.wanted = /** @type {number | null} */ (null);
    this.problem = "";
    this.speed = 1;
    this.isPlaying = false;
    this.timer = 0;
    this.i = this.stops[0] ?? 0;
    this.seen = this.i;
  }

  /** Starts at the position of a URL; NaN means not given, and invalid values are ignored. By default it starts at the fault. */
  start({ deal = NaN, i = NaN, seat = NaN, speed = NaN }) {
    if (SPEEDS.includes(speed)) this.speed = speed;
    if (Number.isInteger(i)) this.i = this.restAt(i);
    else this.i = this.firstOf(deal) ?? (this.fault ? this.restAt(this.fault.i) : this.i);
    this.seen = this.before(this.i) ?? -1;
    this.onChange(this);
    if (Number.isInteger(seat)) this.viewFrom(seat);
  }

  /** True if the match can be shown from a seat. */
  canSee(/** @type {number} */ seat) {
    return this.loadView !== null && hasSeatView(this.replay, seat);
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

  /** The events since the previous stop. */
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

  /** Moves to the next trick, or for -1 to the previous one. */
  toTrick(/** @type {number} */ by) {
    const tricks = this.tricks;
    this.steer(by > 0 ? tricks.find((stop) => stop > this.i) : tricks.findLast((stop) => stop < this.i));
  }

  /** Shows the match from a seat once its replay is loaded; for null, or the same seat again, with all hands. */
  async viewFrom(/** @type {number | null} */ seat) {
    const next = seat === null || seat === this.wanted || !this.canSee(seat) ? null : seat;
    this.wanted = next;
    this.problem = "";
    try {
      if (next !== null && this.loadView && !this.views.has(next)) this.views.set(next, await this.loadView(next));
      if (this.wanted !== next) return;
      this.viewSeat = next;
      this.view = this.views.get(next) ?? this.replay;
    } catch (error) {
      this.wanted = this.viewSeat;
      this.problem = /** @type {Error} */ (error).message;
    }
    this.onChange(this);
  }

  viewNextSeat() {
    const seats = this.replay.players.map((player) => player.seat).filter((seat) => this.canSee(seat));
    const next = seats[seats.indexOf(this.wanted ?? -1) + 1] ?? null;
    if (next !== this.wanted) this.viewFrom(next);
  }

  /** Moves to event `i`. */
  go(/** @type {number | undefined} */ i) {
    if (i === undefined) return;
    this.i = i;
    this.seen = this.before(i) ?? -1;
    if (this.isAtEnd) this.pause();
    this.onChange(this);
  }

  /** Pauses, and moves to event `i`. */
  steer(/** @type {number | undefined} */ i) {
    this.pause();
    this.go(i);
  }

  /** Moves to the beginning of this deal, or if it is there already, of the previous one. */
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
    // A taken trick stays long enough to be seen.
    const rest = this.news.some(({ t }) => t === "trick") ? Math.max(TAKEN_MS, STEP_MS / this.speed) : STEP_MS / this.speed;
    this.timer = setTimeout(() => {
      this.go(this.after(this.i));
      if (this.isPlaying) this.tick();
    }, rest);
  }

  /** The first stop after event `i`. */
  after(/** @type {number} */ i) {
    return this.stops.find((stop) => stop > i);
  }

  /** The last stop before event `i`. */
  before(/** @type {number} */ i) {
    return this.stops.findLast((stop) => stop < i);
  }

  /** The first stop at or after event `i`. */
  restAt(/** @type {number} */ i) {
    return this.stops.find((stop) => stop >= i) ?? this.last;
  }

  /** The first stop of a deal. */
  firstOf(/** @type {number} */ deal) {
    const dealt = this.view.events.find((event) => event.deal === deal && event.t === "deal");
    return dealt && this.restAt(dealt.i);
  }
}
