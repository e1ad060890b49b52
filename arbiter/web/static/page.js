// What every page does beyond being read: a switch of the scheme, moments in the reader's zone.
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const MOMENT = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };

function show() {
  const button = document.querySelector(".scheme");
  const isDark = root.dataset.scheme ? root.dataset.scheme === "dark" : dark.matches;
  button.textContent = isDark ? "Light" : "Dark";
  button.setAttribute("aria-label", isDark ? "Switch to light colours" : "Switch to dark colours");
  button.hidden = false;
}

export function moments(element) {
  for (const time of element.querySelectorAll("time")) {
    const when = new Date(time.dateTime);
    if (!Number.isNaN(when.valueOf())) {
      time.textContent = when.toLocaleString([], MOMENT);
      time.title = time.dateTime;
    }
  }
}

document.querySelector(".scheme").addEventListener("click", () => {
  const now = root.dataset.scheme ?? (dark.matches ? "dark" : "light");
  const scheme = now === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("scheme", scheme);
  } catch {
    // then it lasts for this page
  }
  root.dataset.scheme = scheme;
  show();
});
dark.addEventListener("change", show);
show();
moments(document);
