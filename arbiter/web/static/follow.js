// A page of something that is under way: it loads itself again until that is over, and changes what differs.
import { loadAgain } from "./page.js";

const FIRST_MS = 1500;
const MOST_MS = 15000; // an inspection that takes minutes is not asked about each second
let wait = FIRST_MS;
let timer = 0; // 0 for none

const underWay = () => document.querySelector("[data-under-way]") !== null;

function plan() {
  if (!timer && !document.hidden && underWay()) timer = setTimeout(load, wait);
}

async function load() {
  timer = 0;
  // One step often follows another; where it fails the next look tries again.
  const isChanged = await loadAgain().catch(() => false);
  wait = isChanged ? FIRST_MS : Math.min(wait * 1.2, MOST_MS);
  plan();
}

document.addEventListener("visibilitychange", plan);
plan();
