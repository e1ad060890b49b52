// Folds a replay (arbiter-replay/1) into positions: pure, no page needed.
//
// `positionAt(replay, i)` is what is known once events 0..i have happened; a move counts from the moment at
// which all are told of it. `viewed(replay, seat)` is the replay as that seat saw the match: the same events,
// less what it was not told. Every event keeps its number `i`.

import { cardOrder } from "./cards.js";
import { RULES, removeCards } from "./rules.js";

/** Nobody's eyes: of the cards none, of the rest what all seats know. */
export const NOBODY = -1;

/** The replay through the eyes of a seat, or of NOBODY; null for all that it holds. */
export function viewed(replay, seat) {
  if (seat === null) return replay;
  const deals = replay.deals.map((deal) => ({
    ...deal,
    hands: (deal.hands ?? []).map((hand, owner) => (owner === seat ? hand : null)),
  }));
  const events = replay.events.map((event) => seenBy(event, seat, replay.players.length)).filter((event) => event !== null);
  return { ...replay, deals, events };
}

/** True where the replay holds a seat's cards, so that its eyes can be borrowed. */
export function hasEyes(replay, seat) {
  return replay.deals.some((deal) => Boolean(deal.hands?.[seat]));
}

/** The events after which the viewer rests: the last one of each move, deal, exchange, fault. */
export function stopsOf(replay) {
  const stops = [];
  let dealt = false;
  replay.events.forEach((event, place) => {
    const before = replay.events[place - 1];
    if (before && begins(event, before) && (dealt || event.t !== "deal")) stops.push(before.i);
    dealt ||= event.t === "deal";
  });
  if (replay.events.length) stops.push(replay.events.at(-1).i);
  return stops;
}

/** The position after event `i`. */
export function positionAt(replay, i) {
  const past = replay.events.filter((event) => event.i <= i);
  const deal = past.at(-1)?.deal ?? 0;
  const position = opening(replay, deal);
  for (const event of past) {
    if (event.t === "end_deal") position.points = position.points.map((sum, seat) => sum + event.points[seat]);
    if (event.t === "answer") position.left[event.seat] = event.left_ms;
    if (event.deal === deal) take(position, event);
  }
  position.i = i;
  position.toAct = acting(replay, i);
  return position;
}

function opening(replay, number) {
  const { name, options } = replay.game;
  const seats = replay.players.length;
  const rules = RULES[name];
  const deal = replay.deals.find((one) => one.deal === number) ?? {};
  const order = cardOrder(name, options);
  const hands = replay.players.map((_, seat) => inOrder(deal.hands?.[seat], order));
  const counts = hands.map((hand, seat) => hand?.length ?? rules.dealt(options, number, seat, deal));
  return {
    game: name, options, number, deal, order, hands, counts, rules,
    i: -1, dealt: false, over: false, toAct: null, fault: null, dealPoints: null,
    // What lies on the table; all that was laid since the last lead; the trick before.
    table: [], laid: [], last: null,
    // What a seat decided and the others do not know yet.
    chosen: {}, gifts: [], left: Array(seats).fill(null),
    points: Array(seats).fill(0),
    ...rules.opening(seats, options, deal),
  };
}

function take(position, event) {
  switch (event.t) {
    case "deal":
      position.dealt = true;
      break;
    case "tell":
      hear(position, event.text.split(" "));
      break;
    case "answer":
      position.chosen[event.seat] = { request: event.request, text: event.text };
      break;
    case "exchange":
      give(position, event);
      break;
    case "trick":
      position.last = { taker: event.seat, laid: position.laid };
      position.rules.taken(position, event.seat);
      position.laid = [];
      if (!position.over) position.table = [];
      break;
    case "end_deal":
      position.over = true;
      position.dealPoints = event.points;
      break;
    case "fault":
      position.fault = event;
      break;
  }
}

function hear(position, words) {
  const [command, seat, word] = [words[0], Number(words[1]), words[2]];
  if (command === "play") {
    delete position.chosen[seat];
    if (position.laid.length === 0) position.last = null;
    position.laid = [...position.laid, [seat, word]];
    position.rules.play(position, seat, word);
  } else if (command === "end_deal") {
    position.over = true;
  } else {
    position.rules.hear?.(position, command, words.slice(1));
  }
}

function give(position, { seat, to, count, cards }) {
  position.chosen = {};
  position.gifts.push({ seat, to, count, cards });
  const known = cards ?? Array(count).fill(null);
  removeCards(position, seat, known);
  position.counts[to] += count;
  if (position.hands[to] && cards) position.hands[to] = inOrder([...position.hands[to], ...cards], position.order);
}

function inOrder(hand, order) {
  return hand ? [...hand].sort(order) : null;
}

/** Who is asked next, as far as the replay tells; null when nobody is, or nobody knows. */
function acting(replay, i) {
  for (const event of replay.events) {
    if (event.i < i || (event.i === i && event.t !== "ask")) continue;
    if (event.t === "ask") return event.seat;
    if (event.t === "tell" && isMove(event.text)) return Number(event.text.split(" ")[1]);
    if (["deal", "end_deal", "exchange", "fault"].includes(event.t)) return null;
  }
  return null;
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

function begins(event, before) {
  if (event.t === "fault") return before.t !== "ask";
  if (event.t === "tell") return begun(event, before);
  return ["deal", "ask", "end_deal"].includes(event.t);
}

function begun(event, before) {
  // A move is a stop of its own where its answer is not shown; so is an exchange as a whole.
  if (event.text.startsWith("exchange ")) return !(before.t === "tell" && before.text.startsWith("exchange "));
  return before.t !== "answer" && isMove(event.text);
}

function isMove(text) {
  return /^(play|bid|trump|special) /.test(text);
}
