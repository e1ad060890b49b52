// Reads a list of replays, {"replay", "own", "seat"} each; `own` is what a seat saw, or null, and writes the positions after every event, and the stops.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { aligned, positionAt, stopsOf } = await import(pathToFileURL(process.argv[2]));
const folded = JSON.parse(readFileSync(0, "utf8")).map(({ replay, own, seat }) => {
  const seen = own ? aligned(replay, own, seat) : replay;
  const positions = seen.events.map((event) => positionAt(seen, event.i));
  for (const position of positions) for (const key of ["extra", "gifts", "faces"]) delete position[key];
  return { events: seen.events, positions, stops: stopsOf(seen) };
});
process.stdout.write(JSON.stringify(folded));
