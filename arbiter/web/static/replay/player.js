// Where the viewer stands: the event, the seat whose eyes it borrows, the speed; and how it moves.

import { aligned, hasEyes, stopsOf } from "./fold.js";

export const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_MS = 1000;

/** A player of a replay; `onChange(player)` is called whenever it stands elsewhere.
 *
 * `eyesOf(seat)` promises the replay as a seat saw it, null where nobody's eyes can be borrowed.
 */
export class Player {
  constructor(replay, onChange, eyesOf = null) {
    this.replay = replay;
    this.onChange = onChange;
    this.eyesOf = eyesOf;
    this.views = new Map([[null, replay]]);
    this.wanted = null;
    this.problem = "";
    this.speed = 1;
    this.isPlaying = false;
    this.timer = null;
    this.setEyes(null);
    this.i = this.stops[0] ?? 0;
    this.seen = this.i;
  }

  /** Takes up what an address says; what makes no sense there is left out. */
  start({ deal, i, seat, speed }) {
    if (SPEEDS.includes(speed)) this.speed = speed;
    if (Number.isInteger(i)) this.i = this.restAt(i);
    else if (Number.isInteger(deal)) this.i = this.firstOf(deal) ?? this.i;
    this.seen = this.before(this.i) ?? -1;
    this.onChange(this);
    if (Number.isInteger(seat)) this.look(seat);
  }

  /** True for a seat whose eyes can be borrowed. */
  canSee(seat) {
    return this.eyesOf !== null && hasEyes(this.replay, seat);
  }

  get last() {
    return this.stops.at(-1) ?? 0;
  }

  get deal() {
    return this.view.events.findLast((event) => event.i <= this.i)?.deal ?? 0;
  }

  get deals() {
    return this.replay.deals.map((deal) => deal.deal);
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

  setEyes(seat) {
    this.eyes = seat;
    this.view = this.views.get(seat);
    this.stops = stopsOf(this.view);
    this.tricks = this.view.events.filter((event) => event.t === "trick").map((event) => this.restAt(event.i));
  }

  /** Through a seat's eyes once its replay is there; with all that there is to see for null, or the seat again. */
  async look(seat) {
    const next = seat === null || seat === this.wanted || !this.canSee(seat) ? null : seat;
    this.wanted = next;
    this.problem = "";
    try {
      if (!this.views.has(next)) this.views.set(next, aligned(this.replay, await this.eyesOf(next), next));
      if (this.wanted !== next) return;
      this.setEyes(next);
    } catch (error) {
      this.wanted = this.eyes;
      this.problem = error.message;
    }
    this.onChange(this);
  }

  nextEyes() {
    const seats = this.replay.players.map((player) => player.seat).filter((seat) => this.canSee(seat));
    const next = seats[seats.indexOf(this.wanted) + 1] ?? null;
    if (next !== this.wanted) this.look(next);
  }

  /** Goes to event `i`, and rests there. */
  go(i) {
    if (i === undefined || i === null) return;
    this.i = i;
    this.seen = this.before(i) ?? -1;
    if (this.isAtEnd) this.pause();
    this.onChange(this);
  }

  step() {
    this.go(this.stops.find((stop) => stop > this.i));
  }

  back() {
    this.go(this.before(this.i));
  }

  nextTrick() {
    this.go(this.tricks.find((stop) => stop > this.i));
  }

  lastTrick() {
    this.go(this.tricks.findLast((stop) => stop < this.i));
  }

  nextDeal() {
    this.go(this.firstOf(this.deals[this.deals.indexOf(this.deal) + 1]));
  }

  /** To the beginning of this deal, or of the one before where the viewer stands there already. */
  lastDeal() {
    const first = this.firstOf(this.deal);
    this.go(first !== undefined && first < this.i ? first : this.firstOf(this.deals[this.deals.indexOf(this.deal) - 1]));
  }

  toDeal(deal) {
    this.go(this.firstOf(deal));
  }

  home() {
    this.go(this.stops[0]);
  }

  end() {
    this.go(this.last);
  }

  toFault() {
    if (this.fault) this.go(this.restAt(this.fault.i));
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.isAtEnd) this.home();
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

  setSpeed(speed) {
    this.speed = speed;
    if (this.isPlaying) this.tick();
    this.onChange(this);
  }

  changeSpeed(by) {
    this.setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1)]);
  }

  tick() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.step();
      if (this.isPlaying) this.tick();
    }, STEP_MS / this.speed);
  }

  /** The last rest before event `i`. */
  before(i) {
    return this.stops.findLast((stop) => stop < i);
  }

  /** Where the viewer rests once event `i` has happened. */
  restAt(i) {
    return this.stops.find((stop) => stop >= i) ?? this.last;
  }

  /** Where the viewer rests when a deal has been dealt. */
  firstOf(deal) {
    const dealt = this.view.events.find((event) => event.deal === deal && event.t === "deal");
    return dealt && this.restAt(dealt.i);
  }
}
