// Names for who sits at the table.

/** Players with the seat in a name that more than one has, for sentences. */
export function toldApart(players) {
  const isTwice = (name) => players.filter((player) => player.name === name).length > 1;
  return players.map((player) => (isTwice(player.name) ? { ...player, name: `${player.name} (seat ${player.seat})` } : player));
}
