// A page with something under way: it reloads until that is over, and updates the changed parts.
import { loadAgain } from "./page.js";

const FIRST_MS = 1500;
const MOST_MS = 15000; // an inspection may take minutes
let wait = FIRST_MS;
let timer = 0; // 0 for none

const underWay = () => document.querySelector("[data-under-way]") !== null;

function plan() {
  if (!timer && !document.hidden && underWay()) timer = setTimeout(load, wait);
}

async function load() {
  timer = 0;
  // Changes often come together; after a failure the next reload tries again.
  const isChanged = await loadAgain().catch(() => false);
  wait = isChanged ? FIRST_MS : Math.min(wait * 1.2, MOST_MS);
  plan();
}

document.addEventListener("visibilitychange", plan);
plan();
