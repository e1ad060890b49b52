// Folds a replay (arbiter-replay/1) into positions: what its frames show, and the events around them.
//
// `positionAt(replay, i)` is what is known once events 0..i have happened. `viewed(replay, seat)` is the replay as
// that seat saw the match: the same events, less what it was not told. Every event keeps its number `i`.

/** Nobody's eyes: of the cards none, of the rest what all seats know. */
export const NOBODY = -1;

/** The replay through the eyes of a seat, or of NOBODY; null for all that it holds. */
export function viewed(replay, seat) {
  if (seat === null) return replay;
  const deals = replay.deals.map((deal) => ({
    ...deal,
    hands: (deal.hands ?? []).map((hand, owner) => (owner === seat ? hand : null)),
  }));
  const events = [];
  let frame = {};
  let [isNews, isSecret] = [false, false];
  for (const { shown, ...event } of replay.events) {
    const seen = seenBy(event, seat, replay.players.length);
    if (seen) events.push(seen);
    isNews ||= seen !== null;
    isSecret ||= event.t === "exchange" && seen.cards !== event.cards;
    if (!shown) continue;
    frame = { ...frame, ...shown };
    const say = !isNews ? events.at(-1)?.shown?.say : isSecret ? "Cards change hands." : frame.say;
    if (events.length) events.at(-1).shown = covered({ ...frame, say }, seat);
    [isNews, isSecret] = [false, false];
  }
  return { ...replay, deals, events };
}

/** A seat's own replay with the numbers that its events have in the whole one. */
export function aligned(whole, own, seat) {
  const told = whole.events.filter((event) => seenBy(event, seat, whole.players.length));
  const events = own.events.map((event, place) => ({ ...event, i: (event.t === "fault" ? whole.events.at(-1) : told[place]).i }));
  return { ...own, events };
}

/** True where the replay holds a seat's cards, so that its eyes can be borrowed. */
export function hasEyes(replay, seat) {
  return replay.deals.some((deal) => Boolean(deal.hands?.[seat]));
}

/** The events after which the viewer rests: those that have a frame. */
export function stopsOf(replay) {
  return replay.events.filter(({ shown }) => shown).map(({ i }) => i);
}

/** The position after event `i`: the last frame, and of its deal `gifts`, `taker` of the last cards, `dealPoints`, `fault`. */
export function positionAt(replay, i) {
  const past = replay.events.filter((event) => event.i <= i);
  const number = past.at(-1)?.deal ?? 0;
  const inDeal = past.filter(({ deal }) => deal === number);
  const rest = past.findLastIndex(({ shown }, place) => shown && place < past.length - 1);
  const found = (events, t) => events.findLast((event) => event.t === t);
  return {
    hands: [], counts: [], table: [], roles: {}, to_act: null, points: replay.players.map(() => 0),
    ...Object.assign({}, ...past.map(({ shown }) => shown)),
    i, number, faces: replay.faces,
    deal: replay.deals.find(({ deal }) => deal === number) ?? {},
    dealt: Boolean(found(inDeal, "deal")),
    gifts: inDeal.filter(({ t }) => t === "exchange"),
    taker: found(past.slice(rest + 1), "trick")?.seat ?? null,
    dealPoints: found(inDeal, "end_deal")?.points ?? null,
    fault: found(inDeal, "fault") ?? null,
    left: replay.players.map((_, seat) => past.findLast((event) => event.t === "answer" && event.seat === seat)?.left_ms ?? null),
  };
}

function covered(frame, seat) {
  const own = (values, cover) => values.map((value, owner) => (owner === seat ? value : cover));
  const roles = frame.roles.untold ? { ...frame.roles, untold: own(frame.roles.untold, "") } : frame.roles;
  return { ...frame, roles, hands: own(frame.hands, null) };
}

function seenBy(event, seat, seats) {
  const isOwn = event.seat === seat;
  switch (event.t) {
    case "tell":
      return !event.seats || event.seats.length === seats || event.seats.includes(seat) ? event : null;
    case "ask":
    case "answer":
      return isOwn ? event : null;
    case "reveal":
      return null;
    case "exchange":
      return isOwn || event.to === seat ? event : { ...event, cards: null };
    default:
      return event;
  }
}
