// Short names for who sits at the table: a bot is known by its file, equal ones by their seats.

/** Players whose names are short: of a season's "ada: python3 ada.py" it is "ada", of a program its file. */
export function shortNames(players) {
  return players.map((player) => ({ ...player, name: shortName(player.name) }));
}

/** The same with the seat in a name that more than one has, for sentences. */
export function toldApart(players) {
  const isTwice = (name) => players.filter((player) => player.name === name).length > 1;
  return players.map((player) => (isTwice(player.name) ? { ...player, name: `${player.name} (seat ${player.seat})` } : player));
}

function shortName(title) {
  const named = /^(\S+): /.exec(title);
  if (named) return named[1];
  const file = title.split(/\s+/).find((word) => word.includes("/") && !word.startsWith("-") && !/\/(?:env|python[\d.]*|node|sh|bash)$/.test(word));
  return file?.split("/").at(-1) || title;
}
