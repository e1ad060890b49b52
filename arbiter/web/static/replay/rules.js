// What each game adds to the fold: how many cards were dealt, what a play does, what is told besides.

import { cardsOfPlay } from "./cards.js";

export const RULES = {
  planning: {
    dealt: (options, number) => options?.deals?.[number]?.[0] ?? number + 1,
    opening: (seats) => ({ declared: Array(seats).fill(null), taken: Array(seats).fill(0) }),
    play: layOnTrick,
    taken: (position, seat) => {
      position.taken[seat] += 1;
    },
    hear: (position, command, [seat, number]) => {
      if (command !== "declare") return;
      position.declared[seat] = Number(number);
      delete position.chosen[seat];
    },
  },
  codepiece: {
    dealt: () => 13,
    opening: () => ({ bids: [], bid: null, declarer: null, trump: null, won: [0, 0] }),
    play: layOnTrick,
    taken: (position, seat) => {
      position.won[seat % 2] += 1;
    },
    hear: hearBidding,
  },
  dou_dizhu: {
    dealt: (options, number, seat, deal) => (seat === deal.landlord ? 20 : 17),
    opening: (seats, options, deal) => ({ landlord: deal.landlord ?? null, extra: deal.extra ?? [], bombs: 0 }),
    play: (position, seat, word) => {
      position.table = word === "pass" ? [...position.table, [seat, word]] : [[seat, word]];
      if (word === "BR" || /^(.)\1\1\1$/.test(word)) position.bombs += 1;
      removeCards(position, seat, cardsOfPlay("dou_dizhu", word));
    },
    taken: () => {},
  },
  chefs_hat: {
    dealt: () => 17,
    opening: () => ({ roles: null, special: null, round: 1, finished: [] }),
    play: (position, seat, word) => {
      if (word === "pass") return;
      position.table = [[seat, word]];
      removeCards(position, seat, cardsOfPlay("chefs_hat", word));
      if (position.counts[seat] === 0) position.finished.push(seat);
    },
    taken: (position) => {
      position.round += 1;
    },
    hear: (position, command, words) => {
      if (command === "set_roles") position.roles = words;
      if (command !== "special") return;
      position.special = { seat: Number(words[0]), word: words[1] };
      delete position.chosen[position.special.seat];
    },
  },
};

/** Takes cards out of a seat's hand, or off its count where the hand is hidden. */
export function removeCards(position, seat, cards) {
  const hand = position.hands[seat];
  position.counts[seat] = Math.max(0, position.counts[seat] - cards.length);
  if (!hand) return;
  for (const card of cards) {
    const place = hand.indexOf(card);
    if (place >= 0) hand.splice(place, 1);
  }
}

function layOnTrick(position, seat, word) {
  position.table = [...position.table, [seat, word]];
  removeCards(position, seat, [word]);
}

function hearBidding(position, command, [seat, word]) {
  delete position.chosen[seat];
  if (command === "trump") position.trump = word.replace("trump_", "");
  if (command !== "bid") return;
  const bid = word === "pass" ? 0 : Number(word.replace("bid_", ""));
  position.bids.push([Number(seat), bid]);
  if (bid) [position.bid, position.declarer] = [bid, Number(seat)];
}
