// Folds a replay (arbiter-replay/1) into positions: what its frames show, and the events around them.
//
// `positionAt(replay, i)` is what is known once events 0..i have happened.

/** A seat's own replay with the numbers that its events have in the whole one. */
export function aligned(whole, own, seat) {
  const told = whole.events.filter((event) => isSeen(event, seat, whole.players.length));
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

/** True for an event of the whole replay that a seat's own has, too. */
function isSeen({ t, seat: whose, seats: hearers }, seat, seats) {
  if (t === "tell") return !hearers || hearers.length === seats || hearers.includes(seat);
  return t !== "reveal" && (whose === seat || (t !== "ask" && t !== "answer"));
}
