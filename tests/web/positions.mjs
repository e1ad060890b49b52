// Reads a list of replays and writes the positions after every event, and the stops.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { positionAt, stopsOf } = await import(pathToFileURL(process.argv[2]));
const folded = JSON.parse(readFileSync(0, "utf8")).map((seen) => {
  const positions = seen.events.map((event) => positionAt(seen, event.i));
  for (const position of positions) for (const key of ["extra", "gifts", "faces"]) delete position[key];
  return { events: seen.events, positions, stops: stopsOf(seen) };
});
process.stdout.write(JSON.stringify(folded));
