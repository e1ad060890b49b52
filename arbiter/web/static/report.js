// The replays of a report: each is shown when it is opened, from the data beside it.

import { mount } from "./replay/replay.js";

function showReplay(box) {
  const place = box.querySelector(".replay-place");
  if (!place.player) {
    const line = box.querySelector("code");
    const [replay, ...own] = [...box.querySelectorAll("script")].map((script) => JSON.parse(script.textContent));
    const eyesOf = own.length ? async (seat) => own[seat] : null;
    place.player = mount(place, replay, { address: false, console: line, config: place.dataset.config, eyesOf });
  }
}

function openNamed() {
  const box = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (box?.matches("details.replay")) box.open = true;
}

for (const box of document.querySelectorAll("details.replay")) {
  box.addEventListener("toggle", () => {
    if (box.open) showReplay(box);
    else box.querySelector(".replay-place").player?.pause();
  });
}
addEventListener("hashchange", openNamed);
openNamed();
