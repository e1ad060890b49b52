// Folds a replay (arbiter-replay/1) into positions: its frames, and the events around them.
//
// `positionAt(replay, i)` is the position after events 0..i.

/** @typedef {ReturnType<typeof positionAt>} Position */
/** @typedef {Required<Omit<Api.FrameChanges, "laid" | "request" | "say" | "roles">> & { roles: Record<string, any> }} Frame */

/** True if the replay has a seat's cards, so that it can be shown from that seat. */
export function hasSeatView(/** @type {Api.Replay} */ replay, /** @type {number} */ seat) {
  return replay.deals.some((deal) => Boolean(deal.hands?.[seat]));
}

/** The events at which the viewer stops: those with a frame. */
export function stopsOf(/** @type {Api.Replay} */ replay) {
  return replay.events.filter(({ shown }) => shown).map(({ i }) => i);
}

/** The position after event `i`: the last frame, and of its deal `gifts`, `taker` of the last cards, `dealPoints`, `fault`. */
export function positionAt(/** @type {Api.Replay} */ replay, /** @type {number} */ i) {
  const past = replay.events.filter((event) => event.i <= i);
  const number = past.at(-1)?.deal ?? 0;
  const inDeal = past.filter(({ deal }) => deal === number);
  const rest = past.findLastIndex(({ shown }, place) => shown && place < past.length - 1);
  const answers = past.filter((event) => event.t === "answer");
  return {
    ...frameOf(replay, past), i, number, faces: replay.faces,
    extra: replay.deals.find(({ deal }) => deal === number)?.extra ?? [],
    dealt: inDeal.some((event) => event.t === "deal"),
    gifts: inDeal.filter((event) => event.t === "exchange"),
    taker: past.slice(rest + 1).findLast((event) => event.t === "trick")?.seat ?? null,
    dealPoints: inDeal.findLast((event) => event.t === "end_deal")?.points ?? null,
    trouble: /** @type {number | undefined} */ (undefined),
    fault: inDeal.findLast((event) => event.t === "fault") ?? null,
    left: replay.players.map((_, seat) => answers.findLast((event) => event.seat === seat)?.left_ms ?? null),
  };
}

/** The frame after these events. */
function frameOf(/** @type {Api.Replay} */ replay, /** @type {Api.Event[]} */ events) {
  /** @type {Frame} */
  let frame = { hands: [], counts: [], table: [], roles: {}, to_act: null, points: replay.players.map(() => 0) };
  for (const { shown } of events) {
    frame = { ...frame, ...shown, roles: { ...frame.roles, ...shown?.roles } };
    if (!shown?.laid) continue;
    const [seat, , cards] = shown.laid;
    frame.table = [...frame.table, shown.laid];
    frame.counts = frame.counts.with(seat, frame.counts[seat] - cards.length);
    const left = frame.hands[seat] && cards.reduce((hand, name) => hand.toSpliced(hand.indexOf(name), 1), frame.hands[seat]);
    frame.hands = frame.hands.with(seat, left);
  }
  return frame;
}
